/* osc_ucp_check_schedule: accumulates stay in their order also behind an operation with notification that was refused.
 * The error of a call that was kept until then, or for too long, is not lost.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

enum { ROUNDS = 20, COUNTERS = 1 };

static struct test_window window;

static void replace(int value)
{
    MPI_OK(MPI_Accumulate(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, window.win));
    MPI_OK(MPI_Win_flush_local(1, window.win));
}

/** Refused by the component, or by MPI. */
static void refuse(int by_mpi)
{
    static const int zero;

    if (by_mpi) {
        MPI_FAILS(MPI_ERR_COUNT, MPIX_Put_notify(&zero, -1, MPI_INT, 0, 0, 1, MPI_INT, 0, window.win));
    } else {
        MPI_FAILS(MPIX_ERR_RMA_NOTIFICATION,
                  MPIX_Put_notify(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, COUNTERS, window.win));
    }
}

/** A call that must fail, and then what carries it out: time, an operation with notification, or one that is refused.
 *  The call that completes it tells the error. */
static void fail(int behind)
{
    static const int one = 1;
    double end = MPI_Wtime() + 1.2;
    int flag;

    MPI_OK(MPI_Put(&one, 1, MPI_INT, 1, 1000, 1, MPI_INT, window.win));
    while (0 == behind && MPI_Wtime() < end) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    if (0 != behind) {
        (void) MPIX_Put_notify(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, 1 == behind ? 0 : COUNTERS, window.win);
    }
    MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Win_flush(1, window.win));
    MPI_OK(MPI_Win_flush(1, window.win));
}

int main(int argc, char **argv)
{
    int last = 0;

    setenv("OMPI_MCA_osc_ucp_check_schedule", "11", 0);
    test_init(&argc, &argv);
    test_needs(2);
    test_window_open(&window, TEST_ALLOCATE, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, COUNTERS));
    MPI_OK(MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (int i = 0; 0 == test_rank && i < ROUNDS; i++) {
        replace(2 * i + 1);
        refuse(i % 2);
        replace(2 * i + 2);
        MPI_OK(MPI_Win_flush(1, window.win));
        MPI_OK(MPI_Get(&last, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win));
        MPI_OK(MPI_Win_flush(1, window.win));
        CHECK(2 * i + 2 == last, "%d instead of %d", last, 2 * i + 2);
    }
    for (int i = 0; 0 == test_rank && i < 3; i++) {
        fail(i);
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
    return test_finish();
}
