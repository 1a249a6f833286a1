#!/bin/bash
# File descriptors for connections over tcp. For 64 processes that all touch each other 256 each are enough. If those of
# an origin or of a target are used up, the call fails, and a line says so. Nobody waits for ever.
#
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source=test/build/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

cat >"$scratch/touch.c" <<'EOT'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Leave this process two descriptors. */
static void few_left(void)
{
    struct rlimit limit;

    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = (rlim_t) dup(0) + 2; /* the lowest that is free */
    setrlimit(RLIMIT_NOFILE, &limit);
}

static void touch(int rank, MPI_Win win)
{
    int one = 1;

    MPI_Accumulate(&one, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(rank, win);
}

/* Who touches everybody: rank 0 ("origin"), everybody rank 0 ("target"), or all ("all"). */
int main(int argc, char **argv)
{
    const char *who = argv[argc - 1];
    int rank, size, i, *base;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (0 == rank && 0 != strcmp("all", who)) {
        touch(1, win);
        few_left();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < size; i++) {
        if (0 == strcmp("all", who) || (0 == strcmp("origin", who) ? 0 == rank : 0 == i && 0 != rank)) {
            touch(i, win);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == strcmp("all", who) && size != *base) {
        fprintf(stderr, "%d processes have touched rank %d, not %d\n", *base, rank, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
EOT
quietly "$mpicc" -o "$scratch/touch" "$scratch/touch.c"

export OMPI_MCA_mca_base_component_path=$components:SYSTEM_DEFAULT:USER_DEFAULT

# run PROCESSES WHO: sets status.
run()
{
    status=0
    "$within" 60 "$mpirun" -np "$1" --oversubscribe --mca osc ucp --mca pml ob1 --mca mpi_yield_when_idle 1 \
        -x UCX_TLS=tcp,self -x UCX_NET_DEVICES=lo --mca osc_ucp_node 0 bash -c 'ulimit -n 256 && exec "$@"' bash \
        "$scratch/touch" "$2" >"$scratch/out" 2>&1 </dev/null || status=$?
}

# fails WHO LINE: it ends, with that line.
fails()
{
    run 8 "$1"
    if [ $status -eq 0 ] || [ $status -eq 124 ] || ! grep -Eq "$2" "$scratch/out"; then
        show "$scratch/out"
        fail "$1: status $status; a line should tell of ulimit -n"
    fi
}

fails origin 'MPI_Accumulate, target [0-9], window .*used up its [0-9]+ file descriptors; set ulimit -n'
fails target 'MPI_Accumulate, target 0, window .*cannot be reached: .*no file descriptors left \(ulimit -n\)'
run 64 all
if [ $status -ne 0 ]; then
    show "$scratch/out"
    fail "64 processes with 256 descriptors each: status $status"
fi
