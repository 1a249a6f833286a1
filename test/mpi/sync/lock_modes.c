/* Locks: several targets at once, oneself, MPI_MODE_NOCHECK, shared readers, lock after a fence that began nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Each process holds shared locks of all targets at once and completes them in another order. */
static void several(struct test_window *window)
{
    long one = 1;

    for (int target = 0; target < test_size; target++) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
    }
    for (int target = test_size - 1; target >= 0; target--) {
        MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, MPI_SUM, window->win);
    }
    for (int i = 0; i < test_size; i++) {
        MPI_Win_unlock(test_neighbour(i), window->win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win);
    CHECK(test_size == *(long *) window->base, "%s: the sum is %ld", test_flavor_name[window->flavor],
          *(long *) window->base);
    MPI_Win_unlock(test_rank, window->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One at a time by other means: the lock needs no protocol. */
static void nocheck(struct test_window *window)
{
    long value = 77;

    for (int turn = 0; turn < test_size; turn++) {
        if (turn == test_rank) {
            int right = test_neighbour(1);

            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, MPI_MODE_NOCHECK, window->win);
            MPI_Put(&value, 1, MPI_LONG, right, test_at(window, right, 0), 1, MPI_LONG, window->win);
            MPI_Win_unlock(right, window->win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window->win);
    CHECK(77 == *(long *) window->base, "%s: %ld", test_flavor_name[window->flavor], *(long *) window->base);
    MPI_Win_unlock_all(window->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The local lock keeps the others out while the owner changes two words that must always be equal. */
static void owner(struct test_window *window)
{
    long *memory = (long *) window->base, pair[2];

    for (int round = 0; round < 50; round++) {
        int target = test_neighbour(round);

        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, window->win);
        memory[0] = 1000 * test_rank + round;
        test_compute(0.00002);
        memory[1] = memory[0];
        MPI_Win_unlock(test_rank, window->win);
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
        MPI_Get(&pair[0], 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, window->win);
        MPI_Get(&pair[1], 1, MPI_LONG, target, test_at(window, target, sizeof(long)), 1, MPI_LONG, window->win);
        MPI_Win_unlock(target, window->win);
        CHECK(0 == round || pair[0] == pair[1], "%s: %ld and %ld", test_flavor_name[window->flavor], pair[0], pair[1]);
        if (0 == round) {
            MPI_Barrier(MPI_COMM_WORLD); /* from now on everybody has written its pair */
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 2 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        several(&window);
        MPI_Win_fence(0, window.win); /* no operation follows: no epoch has begun */
        nocheck(&window);
        owner(&window);
        MPI_Win_fence(0, window.win);
        test_window_close(&window);
    }
    return test_finish();
}
