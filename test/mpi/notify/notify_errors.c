/* Notified access: what must be refused, with which error class, and that it changes nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

static struct test_window window;
static long value = 3;
static int right;

#define MUST_FAIL(class, call) MPI_FAILS(class, call)

static int put(int target, int index)
{
    return MPIX_Put_notify(&value, 1, MPI_LONG, target, test_at(&window, right, 0), 1, MPI_LONG, index, window.win);
}

static void own_counters(int from)
{
    MPI_Request request;
    MPI_Count count;

    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, MPIX_Win_get_notify_value(window.win, from, &count));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, MPIX_Win_get_notify_value(window.win, -1, &count));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, MPIX_Win_reset_notify_value(window.win, from, &count));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, MPIX_Win_notify_wait(window.win, from, 1, &count));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, MPIX_Win_notify_threshold(window.win, from, 1, &request));
}

static void epochs(void)
{
    MUST_FAIL(MPI_ERR_RMA_SYNC, put(right, 0));
    MPI_OK(MPI_Win_fence(0, window.win));
    MUST_FAIL(MPI_ERR_RMA_SYNC, put(right, 0));
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win));
    if (test_size > 1) {
        MUST_FAIL(MPI_ERR_RMA_SYNC, put(test_rank, 0));
    }
    MPI_OK(MPI_Win_unlock(right, window.win));
}

/* The target has `n` counters. */
static void indices(int n)
{
    MPI_OK(MPI_Win_lock_all(0, window.win));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, put(right, n));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, put(right, -1));
    MUST_FAIL(MPIX_ERR_RMA_NOTIFICATION, put(MPI_PROC_NULL, -1));
    MUST_FAIL(MPI_ERR_RANK, put(test_size, 0));
    MPI_OK(put(MPI_PROC_NULL, n + 5));
    if (n > 0) { /* MPI's own function refuses it: no notification */
        MUST_FAIL(MPI_ERR_COUNT, MPIX_Put_notify(&value, -1, MPI_LONG, right, test_at(&window, right, 0), 1, MPI_LONG,
                                                 0, window.win));
        MUST_FAIL(MPI_ERR_RMA_RANGE, MPIX_Put_notify(&value, 1, MPI_LONG, right, test_at(&window, right, 1 << 20), 1,
                                                     MPI_LONG, 0, window.win));
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
}

/* Memory that the target has not attached: the put fails there, and is not counted. The next one is. */
static void not_attached(void)
{
    static long apart;
    int left = (test_rank + test_size - 1) % test_size, rc;
    MPI_Aint mine, there;
    MPI_Count count;

    test_refusals = 1;
    MPI_OK(MPI_Get_address(&apart, &mine));
    MPI_OK(MPI_Sendrecv(&mine, 1, MPI_AINT, left, 0, &there, 1, MPI_AINT, right, 0, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win));
    rc = MPIX_Put_notify(&value, 1, MPI_LONG, right, there, 1, MPI_LONG, 0, window.win);
    CHECK((MPI_SUCCESS != rc) | (MPI_SUCCESS != MPI_Win_flush(right, window.win)), "%s",
          "a put to memory that is not attached has succeeded");
    MPI_OK(put(right, 0));
    MPI_OK(MPI_Win_unlock(right, window.win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPIX_Win_reset_notify_value(window.win, 0, &count));
    CHECK(1 == count, "one put that failed and one other were counted %lld times", (long long) count);
}

/* A long operation goes by other messages than a short one: what failed before it does not keep it from counting. */
static void not_attached_before(void)
{
    enum { LONG = 4096 };
    static long apart, longs[LONG], data[LONG];
    int left = (test_rank + test_size - 1) % test_size, rc;
    MPI_Aint mine[2], there[2];
    MPI_Count count;

    test_refusals = 2;
    MPI_OK(MPI_Win_attach(window.win, longs, sizeof(longs)));
    MPI_OK(MPI_Get_address(&apart, &mine[0]));
    MPI_OK(MPI_Get_address(longs, &mine[1]));
    MPI_OK(MPI_Sendrecv(mine, 2, MPI_AINT, left, 0, there, 2, MPI_AINT, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win));
    rc = MPI_Put(&value, 1, MPI_LONG, right, there[0], 1, MPI_LONG, window.win);
    CHECK((MPI_SUCCESS != rc) | (MPI_SUCCESS != MPI_Win_flush(right, window.win)), "%s",
          "a put to memory that is not attached has succeeded");
    MPI_OK(MPIX_Put_notify(data, LONG, MPI_LONG, right, there[1], LONG, MPI_LONG, 0, window.win));
    MPI_OK(MPI_Win_unlock(right, window.win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPIX_Win_reset_notify_value(window.win, 0, &count));
    CHECK(1 == count, "a long put behind one that failed was counted %lld times", (long long) count);
    MPI_OK(MPI_Win_detach(window.win, longs));
}

/* One process fails, or all do: nobody waits for ever, and nothing changes. */
static void numbers_refused(int n)
{
    MPI_Count count, sum = -1, bound;
    int sb, ub, number, rc;

    MPI_OK(MPIX_Win_notify_limits(window.win, &sb, &ub, &bound));
    CHECK(sb > 0 && sb <= ub && bound > 0, "the limits are %d, %d and %lld", sb, ub, (long long) bound);
    MUST_FAIL(MPI_ERR_ARG, MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, ub + 1));
    MUST_FAIL(MPI_ERR_ARG, MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, -1));
    rc = MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, test_size - 1 == test_rank ? -7 : 1);
    CHECK(MPI_SUCCESS != rc, "%s", "one process has failed, and others not");
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win));
    MUST_FAIL(MPI_ERR_RMA_SYNC, MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 1));
    MPI_OK(MPI_Win_unlock(right, window.win));
    MPI_OK(MPIX_Win_get_num_notify(window.win, right, &number));
    CHECK(n == number, "there are %d counters after calls that failed, not %d", number, n);
    MUST_FAIL(MPI_ERR_RANK, MPIX_Win_get_num_notify(window.win, test_size, &number));
    for (number = 0; number < n; number++) {
        MPI_OK(MPIX_Win_get_notify_value(window.win, number, &count));
        sum = number > 0 ? sum + count : count;
    }
    CHECK(n == 0 || 0 == sum, "operations that failed were counted %lld times", (long long) sum);
}

static void flavor_run(enum test_flavor flavor)
{
    test_window_open(&window, flavor, 64, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
    own_counters(0);
    indices(0);
    numbers_refused(0);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 3));
    own_counters(3);
    epochs();
    if (TEST_DYNAMIC != flavor) { /* there, the target finds out, and the flush says so */
        indices(3);
    } else if (test_size > 1) {
        not_attached();
        not_attached_before();
    }
    numbers_refused(3);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor;

    test_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    right = (test_rank + 1) % test_size;
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavor_run(flavor);
        }
    }
    MUST_FAIL(MPI_ERR_WIN, MPIX_Win_set_num_notify(MPI_WIN_NULL, MPI_INFO_NULL, 1));
    return test_finish();
}
