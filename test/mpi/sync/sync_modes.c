/* One window, all modes one after the other: fence, post-start, lock, lock_all, and freed after a plain fence.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void put(struct test_window *window, long *value, long number)
{
    int right = test_neighbour(1);

    *value = number;
    MPI_Put(value, 1, MPI_LONG, right, test_at(window, right, 0), 1, MPI_LONG, window->win);
}

static void must_be(struct test_window *window, long wanted, const char *mode)
{
    long value = *(volatile long *) window->base;

    CHECK(wanted == value, "%s, after %s: %ld, not %ld", test_flavor_name[window->flavor], mode, value, wanted);
}

static void cycle(struct test_window *window, MPI_Group left, MPI_Group right, int round)
{
    int target = test_neighbour(1);
    long value;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win);
    put(window, &value, 10 * round + 1);
    MPI_Win_fence(0, window->win);
    must_be(window, 10 * round + 1, "fence");
    MPI_Win_post(left, 0, window->win);
    MPI_Win_start(right, 0, window->win);
    put(window, &value, 10 * round + 2);
    MPI_Win_complete(window->win);
    MPI_Win_wait(window->win);
    must_be(window, 10 * round + 2, "post-start");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
    put(window, &value, 10 * round + 3);
    MPI_Win_unlock(target, window->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win);
    must_be(window, 10 * round + 3, "lock");
    MPI_Win_unlock(test_rank, window->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window->win);
    put(window, &value, 10 * round + 4);
    MPI_Win_flush_all(window->win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window->win);
    must_be(window, 10 * round + 4, "lock_all");
    MPI_Win_unlock_all(window->win);
    MPI_Win_fence(0, window->win);
}

int main(int argc, char **argv)
{
    int left = 0, right = 0;
    struct test_window window;
    MPI_Group all, origins, targets;

    test_init(&argc, &argv);
    left = test_neighbour(-1);
    right = test_neighbour(1);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &left, &origins);
    MPI_Group_incl(all, 1, &right, &targets);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            for (int round = 0; round < 20; round++) {
                cycle(&window, origins, targets, round);
            }
            test_window_close(&window);
        }
    }
    MPI_Group_free(&all);
    MPI_Group_free(&origins);
    MPI_Group_free(&targets);
    return test_finish();
}
