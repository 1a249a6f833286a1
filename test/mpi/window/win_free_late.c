/* A process is slow to return from MPI_Win_free of a dynamic window. Others have returned, and make another window in
 * the memory that the first one had: nothing of the first one is written there any more.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { ROUNDS = 5, REGIONS = 200000, WORDS = 3000 };

static char room[REGIONS];

/** Rank 0 touches rank 1, and is slow: to forget so many regions takes some ten milliseconds. */
static void touched_and_freed(void)
{
    static long memory;
    MPI_Aint place = 0;
    MPI_Win win;
    long value = 1;

    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_attach(win, &memory, sizeof(memory)));
    MPI_Get_address(&memory, &place);
    MPI_Bcast(&place, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    if (0 == test_rank) {
        for (int i = 0; i < REGIONS; i++) {
            MPI_OK(MPI_Win_attach(win, &room[i], 0));
        }
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
        MPI_OK(MPI_Put(&value, 1, MPI_LONG, 1, place, 1, MPI_LONG, win));
        MPI_OK(MPI_Win_unlock(1, win));
    }
    MPI_OK(MPI_Win_free(&win));
}

/** The others' next window, in which nobody writes but its owners. */
static void next(MPI_Comm others, int round)
{
    volatile long *words;
    MPI_Win win;
    void *base;

    MPI_OK(MPI_Win_allocate(WORDS * sizeof(long), 1, MPI_INFO_NULL, others, &base, &win));
    words = base;
    for (int i = 0; i < WORDS; i++) {
        words[i] = -1;
    }
    test_compute(0.3);
    for (int i = 0; i < WORDS; i++) {
        CHECK(-1 == words[i], "round %d: word %d has become %#lx", round, i, (unsigned long) words[i]);
    }
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    MPI_Comm others;

    test_init(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, 0 == test_rank ? MPI_UNDEFINED : 0, test_rank, &others);
    for (int round = 0; round < ROUNDS; round++) {
        touched_and_freed();
        if (MPI_COMM_NULL != others) {
            next(others, round);
        }
    }
    if (MPI_COMM_NULL != others) {
        MPI_Comm_free(&others);
    }
    return test_finish();
}
