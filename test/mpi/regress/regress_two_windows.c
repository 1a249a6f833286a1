/* Others' bugs: with two windows in use a flush hung, or an unlock completed the other window's operations only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { BYTES = 300000, ROUNDS = 20 };

/* The origin tells by a message which window is complete; the target then finds all data there. */
static void origin(struct test_window *windows, unsigned char **buffers, int target, int round)
{
    int first = round % 2;

    for (int i = 0; i < 2; i++) {
        test_fill(buffers[i], BYTES, test_rank, 2 * round + i);
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, windows[i].win);
        MPI_Put(buffers[i], BYTES, MPI_BYTE, target, test_at(&windows[i], target, 0), BYTES, MPI_BYTE, windows[i].win);
    }
    if (0 == round % 3) {
        MPI_Win_flush(target, windows[first].win);
        MPI_Send(&first, 1, MPI_INT, target, 0, MPI_COMM_WORLD);
        MPI_Recv(&first, 1, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_unlock(target, windows[first].win);
    } else {
        MPI_Win_unlock(target, windows[first].win);
        MPI_Send(&first, 1, MPI_INT, target, 0, MPI_COMM_WORLD);
        MPI_Recv(&first, 1, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    first = 1 - first;
    MPI_Win_unlock(target, windows[first].win);
    MPI_Send(&first, 1, MPI_INT, target, 0, MPI_COMM_WORLD);
    MPI_Recv(&first, 1, MPI_INT, target, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void target(struct test_window *windows, int from, int round)
{
    int which;

    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, windows[0].win); /* MPI_Win_sync needs a passive epoch */
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, windows[1].win);
    for (int i = 0; i < 2; i++) {
        long wrong;

        MPI_Recv(&which, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Win_sync(windows[which].win);
        wrong = test_differs(windows[which].base, BYTES, from, 2 * round + which);
        CHECK(wrong < 0, "%s, round %d, window %d: byte %ld is wrong", test_flavor_name[windows->flavor], round, which,
              wrong);
        MPI_Send(&which, 1, MPI_INT, from, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock(test_rank, windows[0].win);
    MPI_Win_unlock(test_rank, windows[1].win);
}

int main(int argc, char **argv)
{
    unsigned char *buffers[2] = {malloc(BYTES), malloc(BYTES)};
    struct test_window windows[2];

    test_init(&argc, &argv);
    test_needs(2);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&windows[0], flavor, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
        test_window_open(&windows[1], flavor, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < ROUNDS; round++) {
            if (0 == test_rank) {
                origin(windows, buffers, 1, round);
            } else if (1 == test_rank) {
                target(windows, 0, round);
            }
        }
        test_window_close(&windows[0]);
        test_window_close(&windows[1]);
    }
    free(buffers[0]);
    free(buffers[1]);
    return test_finish();
}
