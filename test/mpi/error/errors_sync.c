/* MPI_ERR_RMA_SYNC for operations outside their epoch and unmatched synchronization; the window stays usable.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static MPI_Win win;
static MPI_Aint disp;
static int right;
static long value = 3, result;

#define MUST_FAIL(call) MPI_FAILS(MPI_ERR_RMA_SYNC, call)

static void no_communication(void)
{
    MPI_Request request;

    MUST_FAIL(MPI_Put(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, win));
    MUST_FAIL(MPI_Get(&result, 1, MPI_LONG, right, disp, 1, MPI_LONG, win));
    MUST_FAIL(MPI_Accumulate(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, MPI_SUM, win));
    MUST_FAIL(MPI_Get_accumulate(&value, 1, MPI_LONG, &result, 1, MPI_LONG, right, disp, 1, MPI_LONG, MPI_SUM, win));
    MUST_FAIL(MPI_Fetch_and_op(&value, &result, MPI_LONG, right, disp, MPI_SUM, win));
    MUST_FAIL(MPI_Compare_and_swap(&value, &value, &result, MPI_LONG, right, disp, win));
    MUST_FAIL(MPI_Rput(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, win, &request));
    MUST_FAIL(MPI_Rget(&result, 1, MPI_LONG, right, disp, 1, MPI_LONG, win, &request));
    MUST_FAIL(MPI_Raccumulate(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, MPI_SUM, win, &request));
    MUST_FAIL(MPI_Rget_accumulate(&value, 1, MPI_LONG, &result, 1, MPI_LONG, right, disp, 1, MPI_LONG, MPI_SUM, win,
                                  &request));
}

static void no_passive_calls(void)
{
    MUST_FAIL(MPI_Win_unlock(right, win));
    MUST_FAIL(MPI_Win_unlock_all(win));
    MUST_FAIL(MPI_Win_flush(right, win));
    MUST_FAIL(MPI_Win_flush_local(right, win));
    MUST_FAIL(MPI_Win_flush_all(win));
    MUST_FAIL(MPI_Win_flush_local_all(win));
}

static void no_active_calls(void)
{
    int flag;

    MUST_FAIL(MPI_Win_complete(win));
    MUST_FAIL(MPI_Win_wait(win));
    MUST_FAIL(MPI_Win_test(win, &flag));
}

/* Inside a lock: only that target, no second lock, no active epoch. */
static void locked(MPI_Group group)
{
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MUST_FAIL(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MUST_FAIL(MPI_Win_lock_all(0, win));
    MUST_FAIL(MPI_Win_unlock_all(win));
    MUST_FAIL(MPI_Win_start(group, 0, win));
    MUST_FAIL(MPI_Win_fence(0, win));
    if (test_size > 1) {
        MUST_FAIL(MPI_Put(&value, 1, MPI_LONG, test_rank, disp, 1, MPI_LONG, win));
        MUST_FAIL(MPI_Win_unlock(test_rank, win));
        MUST_FAIL(MPI_Win_flush(test_rank, win));
    }
    no_active_calls();
    MPI_OK(MPI_Win_unlock(right, win));
    MPI_OK(MPI_Win_lock_all(0, win));
    MUST_FAIL(MPI_Win_lock_all(0, win));
    MUST_FAIL(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MUST_FAIL(MPI_Win_unlock(right, win));
    MPI_OK(MPI_Win_unlock_all(win));
}

/* Between start and complete: the neighbour only, no lock, no second start; request calls are for passive epochs. */
static void started(MPI_Group left_group, MPI_Group right_group)
{
    MPI_Request request;

    MPI_OK(MPI_Win_post(left_group, 0, win));
    MUST_FAIL(MPI_Win_post(left_group, 0, win));
    MPI_OK(MPI_Win_start(right_group, 0, win));
    MUST_FAIL(MPI_Win_start(right_group, 0, win));
    MUST_FAIL(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MUST_FAIL(MPI_Win_lock_all(0, win));
    MUST_FAIL(MPI_Win_fence(0, win));
    MUST_FAIL(MPI_Rput(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, win, &request));
    if (test_size > 1) {
        MUST_FAIL(MPI_Put(&value, 1, MPI_LONG, test_rank, disp, 1, MPI_LONG, win));
    }
    no_passive_calls();
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, win));
    MPI_OK(MPI_Win_complete(win));
    MPI_OK(MPI_Win_wait(win));
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Group all, left_group, right_group;
    int left;

    test_init(&argc, &argv);
    left = test_neighbour(-1);
    right = test_neighbour(1);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        win = window.win;
        disp = test_at(&window, right, 0);
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        MPI_Win_get_group(win, &all);
        MPI_Group_incl(all, 1, &left, &left_group);
        MPI_Group_incl(all, 1, &right, &right_group);
        for (int round = 0; round < 2; round++) {
            no_communication();
            no_passive_calls();
            no_active_calls();
            locked(right_group);
            MPI_Barrier(MPI_COMM_WORLD);
            started(left_group, right_group);
            MPI_OK(MPI_Win_fence(0, win));
            MPI_OK(MPI_Put(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, win));
            MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
            CHECK(3 == *(long *) window.base, "%s: the window does not work any more", test_flavor_name[flavor]);
        }
        MPI_Group_free(&all);
        MPI_Group_free(&left_group);
        MPI_Group_free(&right_group);
        test_window_close(&window);
    }
    return test_finish();
}
