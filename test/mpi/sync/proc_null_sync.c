/* MPI_PROC_NULL in an epoch: operations on nobody succeed without a lock of theirs, and the epoch has to be ended.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void check(struct test_window *window)
{
    MPI_Aint disp = test_at(window, test_rank, 0);
    MPI_Win win = window->win;
    long value = 1, got = -3;
    MPI_Request request;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, win));
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win));
    MPI_OK(MPI_Fetch_and_op(&value, &got, MPI_LONG, MPI_PROC_NULL, 0, MPI_SUM, win));
    MPI_OK(MPI_Rget(&got, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win, &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(-3 == got, "%s: got %ld from nobody", test_flavor_name[window->flavor], got);
    MPI_OK(MPI_Win_flush(MPI_PROC_NULL, win));
    MPI_OK(MPI_Win_flush_local(MPI_PROC_NULL, win));
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, test_rank, disp, 1, MPI_LONG, win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win)); /* the epoch is still there */
    MPI_OK(MPI_Win_unlock(test_rank, win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_LONG, test_rank, disp, 1, MPI_LONG, win));
    CHECK(1 == *(volatile long *) window->base, "%s: the put is not there", test_flavor_name[window->flavor]);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
            check(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
