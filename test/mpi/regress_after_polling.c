/* A process that has polled inside MPI for a while, and then does something else, still answers its peers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <unistd.h>

static const double polls_for = 0.6, away_for = 1.5;

/** Locks, gets and unlocks until the target has been away for a while; the longest of them in seconds. */
static double get_again_and_again(MPI_Win win)
{
    double begin = MPI_Wtime(), last = begin, longest = 0, now = begin;
    int got;

    while (now - begin < polls_for + away_for / 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
        now = MPI_Wtime();
        longest = now - last > longest ? now - last : longest;
        last = now;
    }
    return longest;
}

int main(int argc, char **argv)
{
    int memory = 0, flag;
    double longest;
    MPI_Win win;

    test_init(&argc, &argv);
    if (test_size < 2) {
        test_skip("needs 2 processes");
    }
    MPI_Win_create(&memory, sizeof(memory), sizeof(memory), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        longest = get_again_and_again(win);
        CHECK(longest < away_for / 4, "the longest get took %.2f s", longest);
    } else if (1 == test_rank) {
        for (double begin = MPI_Wtime(); MPI_Wtime() - begin < polls_for;) {
            MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        usleep((useconds_t) (away_for * 1e6));
    }
    MPI_Win_free(&win);
    return test_finish();
}
