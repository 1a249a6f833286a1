/* MPI_PROC_NULL as the target and zero counts: every communication call succeeds and touches nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Each communication call with `count` elements; the request of those that have one is waited for. */
static void all_calls(struct test_window *window, int target, int count, int with_requests)
{
    MPI_Aint disp = MPI_PROC_NULL == target ? 0 : test_at(window, target, 0);
    long value = 5, compare = 0, got = -3;
    MPI_Request request[4];
    MPI_Win win = window->win;

    MPI_OK(MPI_Put(&value, count, MPI_LONG, target, disp, count, MPI_LONG, win));
    MPI_OK(MPI_Get(&got, count, MPI_LONG, target, disp, count, MPI_LONG, win));
    MPI_OK(MPI_Accumulate(&value, count, MPI_LONG, target, disp, count, MPI_LONG, MPI_SUM, win));
    MPI_OK(MPI_Get_accumulate(&value, count, MPI_LONG, &got, count, MPI_LONG, target, disp, count, MPI_LONG, MPI_SUM,
                              win));
    if (MPI_PROC_NULL == target) {
        MPI_OK(MPI_Fetch_and_op(&value, &got, MPI_LONG, target, disp, MPI_SUM, win));
        MPI_OK(MPI_Compare_and_swap(&value, &compare, &got, MPI_LONG, target, disp, win));
    }
    if (with_requests) {
        MPI_OK(MPI_Rput(&value, count, MPI_LONG, target, disp, count, MPI_LONG, win, &request[0]));
        MPI_OK(MPI_Rget(&got, count, MPI_LONG, target, disp, count, MPI_LONG, win, &request[1]));
        MPI_OK(MPI_Raccumulate(&value, count, MPI_LONG, target, disp, count, MPI_LONG, MPI_SUM, win, &request[2]));
        MPI_OK(MPI_Rget_accumulate(&value, count, MPI_LONG, &got, count, MPI_LONG, target, disp, count, MPI_LONG,
                                   MPI_SUM, win, &request[3]));
        MPI_OK(MPI_Waitall(4, request, MPI_STATUSES_IGNORE));
    }
    CHECK(-3 == got, "%s: a result of an operation on nothing: %ld", test_flavor_name[window->flavor], got);
}

static void check(struct test_window *window)
{
    int right = test_neighbour(1);

    MPI_Win_fence(0, window->win);
    all_calls(window, MPI_PROC_NULL, 1, 0);
    all_calls(window, right, 0, 0);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
    MPI_OK(MPI_Win_lock_all(0, window->win));
    all_calls(window, MPI_PROC_NULL, 1, 1);
    all_calls(window, right, 0, 1);
    MPI_OK(MPI_Win_flush(right, window->win));
    MPI_OK(MPI_Win_flush_all(window->win));
    MPI_OK(MPI_Win_unlock_all(window->win));
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(0 == *(long *) window->base, "%s: the memory was written", test_flavor_name[window->flavor]);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            check(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
