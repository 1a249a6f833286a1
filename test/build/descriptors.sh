#!/bin/bash
# A process has no file descriptors left for connections over tcp: the call fails, and a line says so. Nobody waits for
# ever.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$scratch/touch.c" <<'EOT'
#include <mpi.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

/* Rank 0 touches one process, leaves itself two descriptors, and touches everybody. */
int main(int argc, char **argv)
{
    struct rlimit limit;
    int rank, size, i, one = 1, *base;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    if (0 == rank) {
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(1, win);
        getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = (rlim_t) dup(0) + 2; /* the lowest that is free */
        setrlimit(RLIMIT_NOFILE, &limit);
        for (i = 1; i < size; i++) {
            MPI_Accumulate(&one, 1, MPI_INT, i, 0, 1, MPI_INT, MPI_SUM, win);
            MPI_Win_flush(i, win);
        }
        printf("all are touched\n");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
EOT
quietly "$mpicc" -o "$scratch/touch" "$scratch/touch.c"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT
status=0
"$within" 60 "$mpirun" -np 8 --oversubscribe --mca osc ucp --mca pml ob1 -x UCX_TLS=tcp,self -x UCX_NET_DEVICES=lo \
    --mca osc_ucp_node 0 "$scratch/touch" >"$scratch/out" 2>&1 </dev/null || status=$?
line='MPI_Accumulate, target [0-9], window .*used up its [0-9]+ file descriptors; set ulimit -n'
if [ $status -eq 0 ] || [ $status -eq 124 ] || ! grep -Eq "$line" "$scratch/out"; then
    show "$scratch/out"
    fail "status $status; a line should tell of ulimit -n"
fi
