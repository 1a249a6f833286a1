/* Thousands of operations outstanding at once: puts, gets, accumulates and fetching ones, with requests and without, to
 * all processes; whatever resources they need, none is refused and all arrive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { N = 5000, SIZE = 3 * N * 8 };

static MPI_Request requests[N];
static int64_t values[N], results[N];

/** Words [0, N) are put, [N, 2 N) are counted, word 2 N is counted by all. */
static void run(struct test_window *window, int target, int with_requests)
{
    int64_t one = 1, last = -1;
    MPI_Win win = window->win;

    for (int i = 0; i < N; i++) {
        values[i] = 10 * (int64_t) i + test_rank;
        if (with_requests) {
            MPI_OK(MPI_Rput(&values[i], 8, MPI_BYTE, target, test_at(window, target, 8 * i), 8, MPI_BYTE, win,
                            &requests[i]));
        } else {
            MPI_OK(MPI_Put(&values[i], 8, MPI_BYTE, target, test_at(window, target, 8 * i), 8, MPI_BYTE, win));
        }
    }
    if (with_requests) {
        MPI_OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    }
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < N; i++) {
        MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, test_at(window, target, 8 * (N + i)), 1, MPI_INT64_T,
                              MPI_SUM, win));
        if (with_requests) {
            MPI_OK(MPI_Rget(&results[i], 8, MPI_BYTE, target, test_at(window, target, 8 * i), 8, MPI_BYTE, win,
                            &requests[i]));
        } else {
            MPI_OK(MPI_Get(&results[i], 8, MPI_BYTE, target, test_at(window, target, 8 * i), 8, MPI_BYTE, win));
        }
    }
    if (with_requests) {
        MPI_OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    }
    MPI_OK(MPI_Win_flush(target, win));
    CHECK(0 == memcmp(values, results, sizeof(values)), "got what was not put");
    for (int i = 0; i < N; i++) {
        if (with_requests) {
            MPI_OK(MPI_Rget_accumulate(&one, 1, MPI_INT64_T, &results[i], 1, MPI_INT64_T, target,
                                       test_at(window, target, 16 * N), 1, MPI_INT64_T, MPI_SUM, win, &requests[i]));
        } else {
            MPI_OK(MPI_Fetch_and_op(&one, &results[i], MPI_INT64_T, target, test_at(window, target, 16 * N), MPI_SUM,
                                    win));
        }
    }
    if (with_requests) {
        MPI_OK(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    }
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < N; i++) {
        CHECK(results[i] > last, "count %d is %ld after %ld", i, (long) results[i], (long) last);
        last = results[i];
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        struct test_window window;
        int64_t *mine;

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, SIZE, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_OK(MPI_Win_lock_all(0, window.win));
        run(&window, test_neighbour(1), 0);
        run(&window, test_neighbour(1), 1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_OK(MPI_Win_unlock_all(window.win));
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, window.win));
        mine = (int64_t *) window.base;
        for (int i = 0; i < N; i++) {
            CHECK(2 == mine[N + i], "%s: word %d was counted %ld times", test_flavor_name[flavor], i,
                  (long) mine[N + i]);
        }
        CHECK(2 * N == mine[2 * N], "%s: counted %ld times", test_flavor_name[flavor], (long) mine[2 * N]);
        MPI_OK(MPI_Win_unlock(test_rank, window.win));
        test_window_close(&window);
    }
    return test_finish();
}
