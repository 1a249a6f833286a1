#!/bin/bash
# The unit tests and a few of the MPI programs under valgrind, with Open MPI's own suppressions: nothing may be reported
# that happens in the component's functions, or in what they call, nor memory that they leave behind.
#
# SPDX-License-Identifier: BSD-3-Clause
#
# usage: test/sanitizers/valgrind.sh [--full]    (or FULL=1: more programs, and long unit tests; 10 minutes)
#
# What Open MPI, PMIx, and network libraries do on their own, is not looked at.
#
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

programs=(requests) not='*_random'
if [ -n "${FULL:-}" ] || [ "${1-}" = --full ]; then
    programs+=(put_get win_dynamic win_several acc_types lock_modes pscw types_put_get errors_range threads win_shared
        near_long)
    not=
fi
valgrind=(valgrind --fullpath-after= --keep-debuginfo=yes --num-callers=40 "--log-file=$scratch/report.%p")

command -v valgrind >/dev/null || skip "valgrind is not installed (on Debian, apt install valgrind)"
suppressions=$("$(dirname "$mpicc")/ompi_info" --parsable --path pkgdatadir | cut -d: -f3)/openmpi-valgrind.supp
if [ -r "$suppressions" ]; then
    valgrind+=("--suppressions=$suppressions")
fi
# UCX replaces the functions of memory that valgrind replaces, too.
export UCX_MEM_EVENTS=n OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT

# Run "$@", called $1, which puts a report of each process into $scratch. What concerns the component is then in
# $scratch/found.
look()
{
    local name=$1 status=0

    shift
    rm -f "$scratch"/report.*
    "$within" 250 "$@" >"$scratch/out" 2>&1 </dev/null || status=$?
    if [ $status -ne 0 ] && [ $status -ne 77 ]; then
        show "$scratch/out"
        fail "$name: exit status $status"
    fi
    grep -q 'ERROR SUMMARY' "$scratch"/report.* || fail "$name: valgrind has reported nothing at all"
    # Reports are paragraphs; each frame in them has the name of its source.
    cat "$scratch"/report.* | sed 's/^==[0-9]*== \{0,1\}//' |
        awk -v RS= '/\/opal\/mca\/common\/ucp\/|\/ompi\/mca\/osc\/ucp\// { print $0 "\n" }' >"$scratch/found"
}

# Nothing was found in $1.
expect_nothing()
{
    [ ! -s "$scratch/found" ] || { cat "$scratch/found"; fail "$1"; }
}

# Program $1, of the tests or a file, over transports $2: node for lean windows.
look_at_program()
{
    local launch=(-x "UCX_TLS=$2" --mca osc_ucp_node 0) program=$1

    [ node != "$2" ] || launch=()
    [ -e "$program" ] || program=$(echo "$build"/test/mpi/*/"$1")
    look "$1, $2" "$mpirun" -np 2 --oversubscribe --mca osc ucp --mca pml ob1 --mca mpi_yield_when_idle 1 \
        "${launch[@]}" -x UCX_MEM_EVENTS "${valgrind[@]}" --leak-check=full --show-leak-kinds=definite,indirect \
        "$program"
}

# First a program whose fault must be found: the component reads a buffer that was freed.
cat >"$scratch/freed.c" <<'END'
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char *base, *buffer = calloc(1, 1000);
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(1000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_fence(0, win);
    free(buffer);
    MPI_Put(buffer, 1000, MPI_BYTE, 1, 0, 1000, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
END
quietly "$mpicc" -g -O1 -Wno-use-after-free -o "$scratch/freed" "$scratch/freed.c"
for tls in node sm,self; do
    look_at_program "$scratch/freed" $tls
    grep -q '^Invalid read of size' "$scratch/found" || {
        cat "$scratch"/report.*
        fail "$tls: a buffer was freed before the component read it, and valgrind tells nothing"
    }
done

# They leave behind what the component gives back when Open MPI closes it.
quietly make -C "$build/test/unit" check TESTS=
for test in "$build"/test/unit/test_*.o; do
    name=$(basename "$test" .o)
    # shellcheck disable=SC2053  # a pattern
    if [[ $name != $not ]]; then
        look "$name" "${valgrind[@]}" "${test%.o}"
        expect_nothing "$name"
    fi
done
for program in "${programs[@]}"; do
    quietly make -C "$build/test/mpi" "$program"
    for tls in node sm,self tcp,self; do
        look_at_program "$program" $tls
        expect_nothing "$program, $tls"
    done
done
