/* How much MPI_Put + MPI_Win_flush takes on top of ucp_put_nbx + ucp_ep_flush_nbx. Prints; fails only on wrong data.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Of meaning where the put is UCX's: over shared memory with --mca osc_ucp_direct 0 (set-up rdma of run-tests).
 */
#include "bare_ucx.h"

enum { ROUNDS = 21, TIMES = 20000 };

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static int ascending(const void *left, const void *right)
{
    double difference = *(const double *) left - *(const double *) right;

    return (difference > 0) - (difference < 0);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof(*values), ascending);
    return values[ROUNDS / 2];
}

/** Nanoseconds for each way, medians of interleaved rounds. */
static void measure(struct bare *bare, MPI_Win win)
{
    double mpi[ROUNDS], ucx[ROUNDS], difference[ROUNDS], begin;
    uint64_t value = 0;

    for (int round = 0; round < ROUNDS; round++) {
        begin = seconds();
        for (int i = 0; i < TIMES; i++) {
            bare_put(bare, &value, sizeof(value));
            bare_flush(bare);
        }
        ucx[round] = (seconds() - begin) / TIMES * 1e9;
        begin = seconds();
        for (int i = 0; i < TIMES; i++) {
            value++;
            MPI_Put(&value, sizeof(value), MPI_BYTE, 1, 0, sizeof(value), MPI_BYTE, win);
            MPI_Win_flush(1, win);
        }
        mpi[round] = (seconds() - begin) / TIMES * 1e9;
        difference[round] = mpi[round] - ucx[round];
    }
    printf("put + flush of 8 bytes: MPI %.1f ns, bare UCX %.1f ns, difference %.1f ns\n", median(mpi), median(ucx),
           median(difference));
    fflush(stdout);
}

int main(int argc, char **argv)
{
    struct bare bare;
    uint64_t *memory;
    MPI_Win win;

    test_init(&argc, &argv);
    if (2 != test_size) {
        test_skip("needs two processes");
    }
    bare_open(&bare, 4096);
    MPI_OK(MPI_Win_allocate(4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        measure(&bare, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(0 == test_rank || (uint64_t) ROUNDS * TIMES == *memory, "the last put is not there");
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    bare_close(&bare);
    return test_finish();
}
