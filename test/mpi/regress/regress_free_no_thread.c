/* MPI_Win_free returns where no service thread answers: windows with no_locks are made, used now and then, so that the
 * processes have sent each other different numbers of messages, and freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "deadline.h"

#ifndef NO_LOCKS
#define NO_LOCKS "true"
#endif

enum { ROUNDS = 400, USED_EVERY = 7 };

/** Rank 0 puts in one between fences. */
static void use(MPI_Win win, int round)
{
    static const int one = 1;

    test_deadline("MPI_Win_fence", round);
    MPI_OK(MPI_Win_fence(0, win));
    if (0 == test_rank) {
        MPI_OK(MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win));
    }
    MPI_OK(MPI_Win_fence(0, win));
}

int main(int argc, char **argv)
{
    int memory[16] = {0};
    MPI_Info info;
    MPI_Win win;

    test_init(&argc, &argv);
    test_needs(2);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", NO_LOCKS);
    for (int round = 0; round < ROUNDS; round++) {
        test_deadline("MPI_Win_create", round);
        MPI_OK(MPI_Win_create(memory, sizeof(memory), sizeof(int), info, MPI_COMM_WORLD, &win));
        if (0 == round % USED_EVERY) {
            use(win, round);
        }
        test_deadline("MPI_Win_free", round);
        MPI_OK(MPI_Win_free(&win));
        test_deadline("MPI_Barrier", round);
        MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    test_deadline_met();
    MPI_Info_free(&info);
    CHECK(1 != test_rank || 1 == memory[0], "the put has not come: %d", memory[0]);
    return test_finish();
}
