/* The key no_locks: lock and lock_all are refused with MPI_ERR_RMA_SYNC; active target synchronization works.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void check(struct test_window *window, MPI_Group left, MPI_Group right)
{
    int target = test_neighbour(1);
    long *memory = (long *) window->base, value = 1 + test_rank;

    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, MPI_MODE_NOCHECK, window->win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, window->win));
    MPI_OK(MPI_Win_fence(0, window->win));
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win));
    CHECK(1 + test_neighbour(-1) == memory[0], "%s: fence: %ld", test_flavor_name[window->flavor], memory[0]);
    MPI_OK(MPI_Win_post(left, 0, window->win));
    MPI_OK(MPI_Win_start(right, 0, window->win));
    MPI_OK(MPI_Accumulate(&value, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, MPI_SUM, window->win));
    MPI_OK(MPI_Win_complete(window->win));
    MPI_OK(MPI_Win_wait(window->win));
    CHECK(2 * (1 + test_neighbour(-1)) == memory[0], "%s: post: %ld", test_flavor_name[window->flavor], memory[0]);
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Group all, left, right;
    MPI_Info info;
    int rank;

    test_init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    rank = test_neighbour(-1);
    MPI_Group_incl(all, 1, &rank, &left);
    rank = test_neighbour(1);
    MPI_Group_incl(all, 1, &rank, &right);
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, sizeof(long), info, MPI_COMM_WORLD);
            MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
            check(&window, left, right);
            test_window_close(&window);
        }
    }
    MPI_Info_free(&info);
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    return test_finish();
}
