#!/bin/bash
# osc_ucp_check_schedule: correct programs do not notice it, and a mistaken one fails.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../build/lib.sh"

programs=(requests acc_order lock_epochs types_put_get notify_operations)
[ -z "${FULL-}" ] || programs+=(put_get acc_atomic acc_types fence pscw lock_all win_dynamic threads)
wanted=(-s node -s tcp)
for program in "${programs[@]}"; do
    wanted+=(-t "$program")
done

# Run "$@" of the tests in folder $1, a build; the output is in $scratch/out.
run()
{
    BUILD=$1 COMPONENT_DIR=$components "$top/test/run-tests" "${@:2}" >"$scratch/out" 2>&1 </dev/null
}

# A program in the place of one of them. It fails only as its get is late: it must have been run with the parameter.
mistaken=$scratch/mistaken/test/mpi/put_get
mkdir -p "$mistaken"
cat >"$scratch/mistaken.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int *base, got = 0, early;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Win_allocate(sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 1;
    MPI_Win_fence(0, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    early = *(volatile int *) &got; /* the mistake: before the fence */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    if (1 != early) {
        fprintf(stderr, "read too early\n");
    }
    return 1 == early ? EXIT_SUCCESS : EXIT_FAILURE;
}
END
quietly "$mpicc" -O1 -o "$mistaken/requests" "$scratch/mistaken.c"
run "$scratch/mistaken" -s node -t requests || { cat "$scratch/out"; fail "the mistake is seen without the parameter"; }

export OMPI_MCA_osc_ucp_check_schedule=1
if run "$scratch/mistaken" -s node -t requests || ! grep -q 'read too early' "$scratch/out"; then
    cat "$scratch/out"
    fail "a result that is used too early is not seen"
fi
run "$build" "${wanted[@]}" || {
    cat "$scratch/out"
    fail "programs fail when their calls are delayed and reordered"
}
tail -n 1 "$scratch/out"
