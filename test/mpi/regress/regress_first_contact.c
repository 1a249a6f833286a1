/* The first message to a process leaves before the call returns that sent it: who computes next keeps nobody waiting.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

static double busy_for; /* seconds: 1, and more on a busy machine */

static void compute(double seconds)
{
    double begin = MPI_Wtime();

    while (MPI_Wtime() - begin < seconds) {
    }
}

/** The first of a pair gets out of its call and computes; the second, in its own meanwhile, must not wait for that. */
static void check_waited(const char *call, double begin)
{
    double waited = MPI_Wtime() - begin;

    CHECK(waited < busy_for / 2, "%.2f s in %s", waited, call);
}

static void try_post(int rank, MPI_Win win, MPI_Group other)
{
    double begin = MPI_Wtime();

    if (0 == rank) {
        MPI_Win_post(other, 0, win);
        compute(busy_for);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(other, 0, win);
        check_waited("MPI_Win_start", begin);
        MPI_Win_complete(win);
    }
}

static void try_complete(int rank, MPI_Win win, MPI_Group other)
{
    double begin = MPI_Wtime();

    if (0 == rank) {
        compute(busy_for / 10); /* the target has posted */
        MPI_Win_start(other, MPI_MODE_NOCHECK, win);
        MPI_Win_complete(win);
        compute(busy_for);
    } else {
        MPI_Win_post(other, MPI_MODE_NOCHECK, win);
        MPI_Win_wait(win);
        check_waited("MPI_Win_wait", begin);
    }
}

static void try_fence(int rank, MPI_Win win)
{
    double begin = MPI_Wtime();

    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (0 == rank) {
        compute(busy_for);
    } else {
        check_waited("MPI_Win_fence", begin);
    }
}

int main(int argc, char **argv)
{
    MPI_Group both, other;
    MPI_Comm pair;
    MPI_Win win;
    int rank, size, peer;

    test_init(&argc, &argv);
    busy_for = test_patience() / 15.0;
    MPI_Bcast(&busy_for, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, test_rank / 2, test_rank, &pair);
    MPI_Comm_rank(pair, &rank);
    MPI_Comm_size(pair, &size);
    peer = 1 - rank;
    MPI_Comm_group(pair, &both);
    MPI_Group_incl(both, size - 1, &peer, &other);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, pair, &win);
    MPI_Barrier(pair);
    if (2 == size) { /* each pair tries another call, since contact is first only once */
        if (0 == test_rank / 2 % 3) {
            try_post(rank, win, other);
        } else if (1 == test_rank / 2 % 3) {
            try_complete(rank, win, other);
        } else {
            try_fence(rank, win);
        }
    }
    MPI_Group_free(&both);
    MPI_Group_free(&other);
    MPI_Win_free(&win);
    MPI_Comm_free(&pair);
    return test_finish();
}
