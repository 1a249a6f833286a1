/* Every operation with notification, on every kind of window: the count alone tells the target that it can read the
 * data, or that the window was read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

#define LONGS 40000 /* by rendezvous and in fragments, where there are such */
#define ROUNDS 20

static const int sizes[] = {1, 0, 7, 300, 5000, LONGS};
static const int n_sizes = sizeof(sizes) / sizeof(sizes[0]);

static struct test_window window;
static long *buffer, *result, *mine;
static int left, right;

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, OPERATIONS };

static long element(int rank, int round, int i)
{
    return 1000000L * (rank + 1) + 1000L * round + i % 1000;
}

/* Wait for the `expected`-th notification: by looking, by the blocking call, or by a request, in turns. */
static void await(int index, MPI_Count expected)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Count value = -1;

    switch (expected % 3) {
    case 0:
        do {
            MPI_OK(MPIX_Win_get_notify_value(window.win, index, &value));
        } while (value < expected);
        break;
    case 1:
        MPI_OK(MPIX_Win_notify_wait(window.win, index, expected, &value));
        break;
    default:
        MPI_OK(MPIX_Win_notify_threshold(window.win, index, expected, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        MPI_OK(MPIX_Win_get_notify_value(window.win, index, &value));
    }
    CHECK(expected == value, "counter %d is %lld, not %lld", index, (long long) value, (long long) expected);
}

static void issue(int operation, int with_request, int n, int index)
{
    MPI_Aint at = test_at(&window, right, 0);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Win win = window.win;

    switch (operation + OPERATIONS * with_request) {
    case PUT:
        MPI_OK(MPIX_Put_notify(buffer, n, MPI_LONG, right, at, n, MPI_LONG, index, win));
        break;
    case GET:
        MPI_OK(MPIX_Get_notify(result, n, MPI_LONG, right, at, n, MPI_LONG, index, win));
        break;
    case ACCUMULATE:
        MPI_OK(MPIX_Accumulate_notify(buffer, n, MPI_LONG, right, at, n, MPI_LONG, MPI_SUM, index, win));
        break;
    case GET_ACCUMULATE:
        MPI_OK(MPIX_Get_accumulate_notify(buffer, n, MPI_LONG, result, n, MPI_LONG, right, at, n, MPI_LONG, MPI_SUM,
                                          index, win));
        break;
    case PUT + OPERATIONS:
        MPI_OK(MPIX_Rput_notify(buffer, n, MPI_LONG, right, at, n, MPI_LONG, index, win, &request));
        break;
    case GET + OPERATIONS:
        MPI_OK(MPIX_Rget_notify(result, n, MPI_LONG, right, at, n, MPI_LONG, index, win, &request));
        break;
    case ACCUMULATE + OPERATIONS:
        MPI_OK(MPIX_Raccumulate_notify(buffer, n, MPI_LONG, right, at, n, MPI_LONG, MPI_SUM, index, win, &request));
        break;
    default:
        MPI_OK(MPIX_Rget_accumulate_notify(buffer, n, MPI_LONG, result, n, MPI_LONG, right, at, n, MPI_LONG, MPI_SUM,
                                           index, win, &request));
    }
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/* What the window has before the operation on it. */
static void fill(int operation, int round)
{
    int i;

    for (i = 0; i < LONGS; i++) {
        mine[i] = PUT == operation ? -1 : 3 * element(test_rank, round, i);
        buffer[i] = element(test_rank, round, i);
        result[i] = -2;
    }
}

/* Each process has an operation on its right neighbour, and sees that of its left one by its counter. */
static void exchange(int operation, int round, MPI_Count expected)
{
    int n = sizes[round % n_sizes], index = operation, i, wrong = 0;

    fill(operation, round);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win));
    issue(operation, round / n_sizes % 2, n, index);
    MPI_OK(MPI_Win_flush_local(right, window.win));
    await(index, expected);
    for (i = 0; i < LONGS && GET != operation; i++) {
        long old = PUT == operation ? -1 : 3 * element(test_rank, round, i);
        long data = element(left, round, i);

        wrong += mine[i] != (i >= n ? old : PUT == operation ? data : old + data);
    }
    CHECK(0 == wrong, "operation %d of %d longs (%s): %d are wrong when the count is %lld", operation, n,
          test_flavor_name[window.flavor], wrong, (long long) expected);
    if (GET == operation) { /* the window was read: it may change */
        memset(mine, 0xff, LONGS * sizeof(long));
    }
    MPI_OK(MPI_Win_unlock(right, window.win));
    for (i = wrong = 0; i < n && (GET == operation || GET_ACCUMULATE == operation); i++) {
        wrong += result[i] != 3 * element(right, round, i);
    }
    CHECK(0 == wrong, "operation %d of %d longs (%s): %d results are wrong", operation, n,
          test_flavor_name[window.flavor], wrong);
}

static void numbers(void)
{
    int n = -1, rank;

    for (rank = 0; rank < test_size; rank++) {
        MPI_OK(MPIX_Win_get_num_notify(window.win, rank, &n));
        CHECK(0 == n, "rank %d has %d counters before the first call", rank, n);
    }
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, OPERATIONS + test_rank % 3));
    for (rank = 0; rank < test_size; rank++) {
        MPI_OK(MPIX_Win_get_num_notify(window.win, rank, &n));
        CHECK(OPERATIONS + rank % 3 == n, "rank %d has %d counters", rank, n);
    }
}

static void flavor_run(enum test_flavor flavor)
{
    MPI_Count value = -1;
    int round, operation;

    test_window_open(&window, flavor, LONGS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    mine = (long *) window.base;
    numbers();
    for (round = 0; round < ROUNDS; round++) {
        for (operation = 0; operation < OPERATIONS; operation++) {
            exchange(operation, round, round + 1);
        }
    }
    MPI_OK(MPIX_Win_reset_notify_value(window.win, GET, &value));
    CHECK(ROUNDS == value, "reset gives %lld", (long long) value);
    MPI_OK(MPIX_Win_get_notify_value(window.win, GET, &value));
    CHECK(0 == value, "after a reset there is %lld", (long long) value);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 1));
    MPI_OK(MPIX_Win_get_notify_value(window.win, 0, &value));
    CHECK(0 == value, "after a new number there is %lld", (long long) value);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor;

    test_init(&argc, &argv);
    buffer = malloc(LONGS * sizeof(long));
    result = malloc(LONGS * sizeof(long));
    right = (test_rank + 1) % test_size;
    left = (test_rank + test_size - 1) % test_size;
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavor_run(flavor);
        }
    }
    free(buffer);
    free(result);
    return test_finish();
}
