/* Waiting for each other by way of a process that computes: A waits for the lock on C that B holds, and C calls no MPI;
 * and the same over several windows, whose epochs are nested.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <unistd.h>

enum { A, B, C, WINDOWS = 3 };

/* Word 0 is put by B as the last act of its epoch, and must be seen by A in its own. */
static void chain(struct test_window *window)
{
    MPI_Aint word = test_at(window, C, 0);
    volatile const long *memory = (volatile const long *) window->base;
    long value = 17, seen = -1, done = 1;

    MPI_Barrier(MPI_COMM_WORLD);
    if (B == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, C, 0, window->win));
        MPI_OK(MPI_Get(&seen, 1, MPI_LONG, C, word, 1, MPI_LONG, window->win));
        MPI_OK(MPI_Win_flush(C, window->win));
        MPI_Send(NULL, 0, MPI_BYTE, A, 0, MPI_COMM_WORLD); /* B has the lock */
        usleep(200000);
        MPI_OK(MPI_Put(&value, 1, MPI_LONG, C, word, 1, MPI_LONG, window->win));
        MPI_OK(MPI_Win_unlock(C, window->win));
    } else if (A == test_rank) {
        MPI_Recv(NULL, 0, MPI_BYTE, B, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, C, 0, window->win));
        MPI_OK(MPI_Get(&seen, 1, MPI_LONG, C, word, 1, MPI_LONG, window->win));
        MPI_OK(MPI_Win_unlock(C, window->win));
        CHECK(17 == seen, "%s: A got into B's epoch: %ld", test_flavor_name[window->flavor], seen);
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, C, 0, window->win));
        MPI_OK(MPI_Put(&done, 1, MPI_LONG, C, word + sizeof(long), 1, MPI_LONG, window->win));
        MPI_OK(MPI_Win_unlock(C, window->win));
    } else if (C == test_rank) {
        test_compute_until(&memory[1], 1);
        CHECK(1 == memory[1], "%s: A and B were not done while C computed", test_flavor_name[window->flavor]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Epochs on all windows at once, begun in one order and ended in the other. */
static void nested(struct test_window windows[WINDOWS])
{
    long one = 1;

    MPI_Barrier(MPI_COMM_WORLD);
    if (C != test_rank) {
        for (int i = 0; i < WINDOWS; i++) {
            MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, C, 0, windows[i].win));
        }
        for (int i = WINDOWS - 1; i >= 0; i--) {
            MPI_OK(MPI_Accumulate(&one, 1, MPI_LONG, C, test_at(&windows[i], C, 0), 1, MPI_LONG, MPI_SUM,
                                  windows[i].win));
            MPI_OK(MPI_Win_unlock(C, windows[i].win));
        }
    } else {
        for (int i = 0; i < WINDOWS; i++) {
            test_compute_until((long *) windows[i].base, test_size - 1);
            CHECK(test_size - 1 == *(volatile long *) windows[i].base, "window %d: %ld of %d epochs while C computed",
                  i, *(volatile long *) windows[i].base, test_size - 1);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_window window, windows[WINDOWS];

    test_init(&argc, &argv);
    test_needs(3);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, 2 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            chain(&window);
            test_window_close(&window);
        }
    }
    for (int i = 0; i < WINDOWS; i++) {
        test_window_open(&windows[i], 0 == i ? TEST_CREATE : 1 == i ? TEST_ALLOCATE : TEST_DYNAMIC, sizeof(long),
                         MPI_INFO_NULL, MPI_COMM_WORLD);
    }
    nested(windows);
    for (int i = 0; i < WINDOWS; i++) {
        test_window_close(&windows[i]);
    }
    return test_finish();
}
