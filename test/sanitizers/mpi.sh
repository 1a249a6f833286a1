#!/bin/bash
# The unit tests and a choice of the MPI programs, the component in them, under AddressSanitizer (with leaks) and
# UndefinedBehaviorSanitizer.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test/sanitizers/mpi.sh [--full]    (all of test/tests.table in its set-ups node, shm, tcp and rdma)
#
# Builds in $BUILD/sanitizers. Set-ups on one host only; test/sanitizers/leaks.supp names what is not ours.

set -eu

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/../.." && pwd)
out=${BUILD:-$top}/sanitizers
programs=(soak win_many win_dynamic win_free acc_random types_random lock_modes lock_all pscw_groups requests
    regress_flood errors_range threads near_fastbox types_pieces)
lean=(-m -s node -t soak -t types_random) # they use windows of one node in all ways
flags="-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"

if ! echo 'int main(void){return 0;}' | ${CC:-gcc} -fsanitize=address,undefined -x c -o /dev/null - 2>/dev/null; then
    echo "the compiler has no sanitizers (on Debian, apt install libasan8 libubsan1)"
    exit 77
fi
mkdir -p "$out"
cd "$out"
[ -e config.status ] ||
    "$top/configure" --with-component-dir="$out/components" CFLAGS="$flags" >configure.log 2>&1 ||
    { tail -n 20 configure.log; exit 1; }
{ make -j "$(nproc)" && make install; } >make.log 2>&1 || { grep -E 'error|\*\*\*' make.log; exit 1; }
${CC:-gcc} -c -o keep.o "$here/keep.c"
wanted=("${programs[@]}")
[ "${1-}" != --full ] || wanted=(mpi-tests)
# shellcheck disable=SC2016 # make expands it
make -C test/mpi -j "$(nproc)" LDFLAGS=-rdynamic LDADD='$(OMPI_LIBS) -lpthread '"$out/keep.o" "${wanted[@]}" \
    >programs.log 2>&1 || { grep -E 'error|\*\*\*' programs.log; exit 1; }

# The unit tests ask for absurd amounts of memory. What leaks in them is Open MPI's: windows are made in MPI programs.
# LeakSanitizer guesses where loaded components have their thread-local variables, from the memory in front of them.
# With some contents of that memory it reads at an invalid address (gcc 12). So it must not look there.
export ASAN_OPTIONS=fast_unwind_on_malloc=0:allocator_may_return_null=1:intercept_tls_get_addr=0
export UBSAN_OPTIONS=print_stacktrace=1
export LSAN_OPTIONS=suppressions=$here/leaks.supp:print_suppressions=0
failed=0
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 make -C test/unit check >unit.log 2>&1 || {
    grep -hE 'SUMMARY|runtime error' test/unit/*.log unit.log
    failed=1
}
choice=(-s shm -s tcp)
if [ "${1-}" = --full ]; then
    choice+=(-s node -s rdma)
else
    for program in "${programs[@]}"; do
        choice+=(-t "$program")
    done
fi
export TEST_SECONDS=${TEST_SECONDS:-5} BUILD=$out COMPONENT_DIR=$out/components
"$top/test/run-tests" "${choice[@]}" || failed=1
if [ "${1-}" != --full ]; then
    "$top/test/run-tests" "${lean[@]}" || failed=1
fi
exit $failed
