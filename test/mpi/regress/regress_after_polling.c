/* A process that has polled inside MPI for a while, and then does something else, still answers its peers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <unistd.h>

enum { AWAY, DONE, WORDS, GETS = 50 };
static const double polls_for = 0.6;

static long get_away(MPI_Win win)
{
    long away = -1;

    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(&away, 1, MPI_LONG, 1, AWAY, 1, MPI_LONG, win);
    MPI_Win_unlock(1, win);
    return away;
}

/* Gets all the time that the target polls, and some more when it is away. */
static void origin(MPI_Win win)
{
    long one = 1;

    while (1 != get_away(win)) {
    }
    for (int i = 0; i < GETS; i++) {
        CHECK(1 == get_away(win), "got another value");
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&one, 1, MPI_LONG, 1, DONE, 1, MPI_LONG, win);
    MPI_Win_unlock(1, win);
}

static void target(volatile long *memory)
{
    int flag;

    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < polls_for;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    memory[AWAY] = 1;
    for (int i = 0; i < test_patience() * 100 && 1 != memory[DONE]; i++) {
        usleep(10000);
    }
    CHECK(1 == memory[DONE], "%d gets were not over in %d s", GETS, test_patience());
}

int main(int argc, char **argv)
{
    long memory[WORDS] = { 0 };
    MPI_Win win;

    test_init(&argc, &argv);
    test_needs(2);
    MPI_Win_create(memory, sizeof(memory), sizeof(memory[0]), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        origin(win);
    } else if (1 == test_rank) {
        target(memory);
    }
    MPI_Win_free(&win);
    return test_finish();
}
