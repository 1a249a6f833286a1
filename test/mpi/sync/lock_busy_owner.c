/* A lock whose owner computes: origins of its own node and of others meet at it, and all get in.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <unistd.h>

enum { OWNER, ROUNDS = 60, READERS_ROUNDS = 10 };

/** Exclusive and shared in turn; between get and put nobody else may write, while readers see no half of it. */
static void contend(struct test_window *window)
{
    MPI_Aint first = test_at(window, OWNER, 0);
    long     pair[2];

    for (int round = 0; round < ROUNDS; round++) {
        int exclusive = 0 != (round + test_rank) % 3;

        MPI_Win_lock(exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, OWNER, 0, window->win);
        MPI_Get(pair, 2, MPI_LONG, OWNER, first, 2, MPI_LONG, window->win);
        MPI_Win_flush(OWNER, window->win);
        CHECK(pair[0] == pair[1], "%s: %ld and %ld under a lock", test_flavor_name[window->flavor], pair[0], pair[1]);
        if (exclusive) {
            pair[0]++;
            pair[1]++;
            MPI_Put(&pair[0], 1, MPI_LONG, OWNER, first, 1, MPI_LONG, window->win);
            MPI_Put(&pair[1], 1, MPI_LONG, OWNER, first + (MPI_Aint) sizeof(long), 1, MPI_LONG, window->win);
        }
        MPI_Win_unlock(OWNER, window->win);
    }
}

/** All readers hold the lock at the same time: they wait for each other inside. */
static void read_together(struct test_window *window, MPI_Comm others)
{
    MPI_Barrier(others); /* a writer in the queue would keep those out that come after it */
    for (int round = 0; round < READERS_ROUNDS; round++) {
        MPI_Win_lock(MPI_LOCK_SHARED, OWNER, 0, window->win);
        MPI_Barrier(others);
        MPI_Win_unlock(OWNER, window->win);
    }
    MPI_Barrier(others);
}

/** Time without a call of MPI. */
static void compute(double seconds)
{
    struct timespec now, begin;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        usleep(200);
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((double) (now.tv_sec - begin.tv_sec) + 1e-9 * (double) (now.tv_nsec - begin.tv_nsec) < seconds);
}

static long increments(int rank)
{
    long n = 0;

    for (int round = 0; round < ROUNDS; round++) {
        n += 0 != (round + rank) % 3;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Comm           others;

    test_init(&argc, &argv);
    test_needs(2);
    MPI_Comm_split(MPI_COMM_WORLD, OWNER == test_rank ? MPI_UNDEFINED : 0, test_rank, &others);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        long wanted = 0, pair[2];

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 2 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        if (OWNER == test_rank) {
            compute(0.2);
        } else {
            contend(&window);
            read_together(&window, others);
            contend(&window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int rank = 1; rank < test_size; rank++) {
            wanted += 2 * increments(rank);
        }
        MPI_Win_lock(MPI_LOCK_SHARED, OWNER, 0, window.win);
        MPI_Get(pair, 2, MPI_LONG, OWNER, test_at(&window, OWNER, 0), 2, MPI_LONG, window.win);
        MPI_Win_unlock(OWNER, window.win);
        CHECK(wanted == pair[0] && wanted == pair[1], "%s: counted to %ld and %ld, not %ld", test_flavor_name[flavor],
              pair[0], pair[1], wanted);
        test_window_close(&window);
    }
    if (OWNER != test_rank) {
        MPI_Comm_free(&others);
    }
    return test_finish();
}
