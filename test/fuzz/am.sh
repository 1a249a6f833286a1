#!/bin/bash
# Feeds the service side with the corpus, and with what libFuzzer makes of it for a minute.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test/fuzz/am.sh [SECONDS [OPTION_OF_LIBFUZZER]...]
#
# Needs clang and a configured build; the program is left in $BUILD/fuzz. The corpus began with what seeds.py writes,
# and holds what reaches new code: after long runs,
# $BUILD/fuzz/fuzz_am -merge=1 NEW_FOLDER test/fuzz/corpus $BUILD/fuzz/found.

set -eu

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
build=${BUILD:-$top/build}
out=$build/fuzz
seconds=${1:-60}
shift $(($# > 0 ? 1 : 0))
sources=(base/record.c base/node_file.c base/watched.c layout/layout.c layout/walk.c op/op.c op/op_layout.c op/pairs.c
    op/stripes.c memory/attached.c memory/cma.c memory/regions.c wire/wire.c service/apply.c service/arrival.c
    service/asked.c service/locks.c service/refused.c service/reply.c service/target.c service/target_addr.c
    ../../../../opal/mca/common/ucp/common_ucp_reserve.c)

if ! command -v clang >/dev/null; then
    echo "clang is not installed (on Debian, apt install clang)"
    exit 77
fi
if ! echo 'int LLVMFuzzerTestOneInput(void){return 0;}' | clang -x c -fsanitize=fuzzer -o /dev/null - 2>/dev/null; then
    echo "clang has no libFuzzer (on Debian, apt install libclang-rt-dev or libfuzzer-14-dev)"
    exit 77
fi
# What configure found: Open MPI 5.0 also needs PMIx's headers, and the macros of base/host.h.
made_with()
{
    sed -n "s/^$1 = //p" "$build/Makefile"
}
# shellcheck disable=SC2207  # words without spaces
includes=(-D_GNU_SOURCE -I"$top" -I"$top/ompi/mca/osc/ucp" $(made_with OMPI_CPPFLAGS) -idirafter "$top/compat")

mkdir -p "$out/found"
# shellcheck disable=SC2046  # words without spaces
clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined \
    -Wno-everything "${includes[@]}" "$here/fuzz_am.c" "${sources[@]/#/$top/ompi/mca/osc/ucp/}" \
    $(made_with OMPI_LIBS) -lpthread -o "$out/fuzz_am"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_osc=^ucp,ucx OMPI_MCA_pml=ob1
export OMPI_MCA_btl=self ASAN_OPTIONS=detect_leaks=0:handle_segv=1:allow_user_segv_handler=0
"$out/fuzz_am" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=4096 -use_value_profile=1 \
    -artifact_prefix="$out/" -verbosity=1 -print_final_stats=1 "$@" "$out/found" "$here/corpus" 2>&1 | tail -n 40
exit "${PIPESTATUS[0]}"
