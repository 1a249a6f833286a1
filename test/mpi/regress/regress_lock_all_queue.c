/* Two processes share the same two targets, which they lock in opposite orders, by MPI_Win_lock_all or one by one.
 * Others wait to lock each of these alone: nobody may wait for ever.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Each has one of the targets when somebody waits to have it alone, and then accesses the other one. */
static void share(struct test_window *window, int first, int second, int all)
{
    char one = 1;

    MPI_OK(all ? MPI_Win_lock_all(0, window->win) : MPI_Win_lock(MPI_LOCK_SHARED, first, 0, window->win));
    MPI_OK(MPI_Put(&one, 1, MPI_BYTE, first, test_at(window, first, test_rank), 1, MPI_BYTE, window->win));
    MPI_OK(MPI_Win_flush(first, window->win));
    MPI_Barrier(MPI_COMM_WORLD);
    test_compute(0.05);
    if (!all) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, second, 0, window->win));
    }
    MPI_OK(MPI_Put(&one, 1, MPI_BYTE, second, test_at(window, second, test_rank), 1, MPI_BYTE, window->win));
    MPI_OK(MPI_Win_flush(second, window->win));
    if (all) {
        MPI_OK(MPI_Win_unlock_all(window->win));
    } else {
        MPI_OK(MPI_Win_unlock(second, window->win));
        MPI_OK(MPI_Win_unlock(first, window->win));
    }
}

static void have_alone(struct test_window *window, int target)
{
    char one = 1;

    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
    MPI_OK(MPI_Put(&one, 1, MPI_BYTE, target, test_at(window, target, test_rank), 1, MPI_BYTE, window->win));
    MPI_OK(MPI_Win_flush(target, window->win));
    MPI_OK(MPI_Win_unlock(target, window->win));
}

static void meet(enum test_flavor flavor, int all)
{
    struct test_window window;

    test_window_open(&window, flavor, test_size, MPI_INFO_NULL, MPI_COMM_WORLD);
    if (test_rank < 2) {
        share(&window, 2 + test_rank, 3 - test_rank, all);
    } else {
        have_alone(&window, 5 - test_rank);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window.win);
    if (test_rank >= 2) {
        CHECK(1 == window.base[0] && 1 == window.base[1] && 1 == window.base[5 - test_rank], "%s: not all have written",
              test_flavor_name[flavor]);
    }
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(4);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            meet(flavor, 1);
            meet(flavor, 0);
        }
    }
    return test_finish();
}
