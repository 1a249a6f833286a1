/* Polling by MPIX_Win_get_notify_value or by MPIX_Win_reset_notify_value makes progress: what the origin does before it
 * notifies may need this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <stdlib.h>

#include "windows.h"

#include "osc_ucp_ext.h"

enum { LONGS = 1 << 17 };

static struct test_window window;
static long *data;

/* The send is over when the target has received, which takes calls of the target's. */
static void origin_notifies(void)
{
    MPI_OK(MPI_Ssend(data, LONGS, MPI_LONG, 1, 0, MPI_COMM_WORLD));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window.win));
    MPI_OK(MPIX_Put_notify(data, 1, MPI_LONG, 1, 0, 1, MPI_LONG, 0, window.win));
    MPI_OK(MPI_Win_unlock(1, window.win));
}

static void target_polls(int reset)
{
    double begin = MPI_Wtime();
    MPI_Request request;
    MPI_Count value = 0;

    MPI_OK(MPI_Irecv(data, LONGS, MPI_LONG, 0, 0, MPI_COMM_WORLD, &request));
    while (0 == value && MPI_Wtime() - begin < test_patience()) {
        MPI_OK(reset ? MPIX_Win_reset_notify_value(window.win, 0, &value)
                     : MPIX_Win_get_notify_value(window.win, 0, &value));
    }
    CHECK(1 == value, "polled by %s, the counter is %lld", reset ? "reset" : "get", (long long) value);
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void check(enum test_flavor flavor, int reset)
{
    test_window_open(&window, flavor, 64, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 1));
    if (0 == test_rank) {
        origin_notifies();
    } else if (1 == test_rank) {
        target_polls(reset);
    }
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    data = calloc(LONGS, sizeof(*data));
    for (int reset = 0; reset <= 1; reset++) {
        check(TEST_ALLOCATE, reset);
        check(TEST_CREATE, reset);
    }
    free(data);
    return test_finish();
}
