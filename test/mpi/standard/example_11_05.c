/* Example 11.5: lock, put, unlock: the data is at the target when unlock returns; a lock of the own window excludes the
 * others' from then on, as it protects loads and stores.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { BYTES = 50000, ROUNDS = 5, COUNTS = 20, TARGET = 0 };

/* What all processes but the target put is there when they have unlocked and say so. */
static void data_is_there(const struct test_window *window, int round)
{
    unsigned char *buffer = malloc(BYTES);
    int said;

    if (TARGET != test_rank) {
        test_fill(buffer, BYTES, test_rank, round);
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
        MPI_OK(MPI_Put(buffer, BYTES, MPI_BYTE, TARGET, test_at(window, TARGET, (MPI_Aint) BYTES * test_rank), BYTES,
                       MPI_BYTE, window->win));
        MPI_OK(MPI_Win_unlock(TARGET, window->win));
        memset(buffer, 0, BYTES);
        MPI_Send(&round, 1, MPI_INT, TARGET, 0, MPI_COMM_WORLD);
        MPI_Recv(&said, 1, MPI_INT, TARGET, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    for (int from = 0; TARGET == test_rank && from < test_size; from++) {
        long wrong;

        if (TARGET == from) {
            continue;
        }
        MPI_Recv(&said, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
        wrong = test_differs(window->base + (size_t) BYTES * from, BYTES, from, round);
        MPI_OK(MPI_Win_unlock(TARGET, window->win));
        CHECK(wrong < 0, "%s: byte %ld from %d is wrong", test_flavor_name[window->flavor], wrong, from);
        MPI_Send(&round, 1, MPI_INT, from, 0, MPI_COMM_WORLD);
    }
    free(buffer);
}

/* A counter that the target reads and writes in memory, and the others with get and put. */
static void locks_exclude(const struct test_window *window)
{
    volatile long *counter = (volatile long *) window->base;
    MPI_Aint disp = test_at(window, TARGET, 0);
    long count = 0;

    for (int i = 0; i < COUNTS; i++) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
        if (TARGET == test_rank) {
            count = *counter;
            test_compute(0.0001);
            *counter = count + 1;
        } else {
            MPI_Get(&count, 1, MPI_LONG, TARGET, disp, 1, MPI_LONG, window->win);
            MPI_Win_flush(TARGET, window->win);
            count++;
            MPI_Put(&count, 1, MPI_LONG, TARGET, disp, 1, MPI_LONG, window->win);
        }
        MPI_OK(MPI_Win_unlock(TARGET, window->win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (TARGET == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, window->win));
        count = *counter;
        MPI_OK(MPI_Win_unlock(TARGET, window->win));
        CHECK((long) COUNTS * test_size == count, "%s: counted to %ld", test_flavor_name[window->flavor], count);
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (MPI_Aint) BYTES * test_size, MPI_INFO_NULL, MPI_COMM_WORLD);
        locks_exclude(&window);
        for (int round = 0; round < ROUNDS; round++) {
            data_is_there(&window, round);
        }
        test_window_close(&window);
    }
    return test_finish();
}
