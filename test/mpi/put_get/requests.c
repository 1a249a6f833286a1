/* Request operations: 1000 of each kind outstanding at once, ended by waitall, waitany or test.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { COUNT = 1000 };

static long values[COUNT], got[COUNT], one = 1;
static MPI_Request requests[COUNT];

enum { WAITALL, WAITANY, TEST, WAYS };

/* All requests of a round end here; those of an Rget also deliver. */
static void finish(int way)
{
    int index, done = 0;

    if (WAITALL == way) {
        MPI_Waitall(COUNT, requests, MPI_STATUSES_IGNORE);
    } else if (WAITANY == way) {
        for (int i = 0; i < COUNT; i++) {
            MPI_Waitany(COUNT, requests, &index, MPI_STATUS_IGNORE);
            CHECK(MPI_UNDEFINED != index, "only %d requests ended", i);
        }
    } else {
        for (int i = 0; i < COUNT; i++, done = 0) {
            while (!done) {
                MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
            }
        }
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(MPI_REQUEST_NULL == requests[i], "request %d is still there", i);
    }
}

/* The window of the target: words 0 .. COUNT-1 belong to this origin alone in this round. */
static void use(struct test_window *window, int target, int way)
{
    for (int i = 0; i < COUNT; i++) {
        values[i] = 100000 * way + 10 * i + test_rank;
        MPI_Rput(&values[i], 1, MPI_LONG, target, test_at(window, target, i * sizeof(long)), 1, MPI_LONG, window->win,
                 &requests[i]);
    }
    finish(way);
    MPI_Win_flush(target, window->win);
    for (int i = 0; i < COUNT; i++) {
        got[i] = -1;
        MPI_Rget(&got[i], 1, MPI_LONG, target, test_at(window, target, i * sizeof(long)), 1, MPI_LONG, window->win,
                 &requests[i]);
    }
    finish(way);
    CHECK(0 == memcmp(values, got, sizeof(got)), "%s, way %d: rget did not get what rput put",
          test_flavor_name[window->flavor], way);
    MPI_Win_flush(target, window->win);
    for (int i = 0; i < COUNT; i++) {
        MPI_Raccumulate(&one, 1, MPI_LONG, target, test_at(window, target, i * sizeof(long)), 1, MPI_LONG, MPI_SUM,
                        window->win, &requests[i]);
    }
    finish(way);
    MPI_Win_flush(target, window->win);
    for (int i = 0; i < COUNT; i++) {
        got[i] = -1;
        MPI_Rget_accumulate(&one, 1, MPI_LONG, &got[i], 1, MPI_LONG, target,
                            test_at(window, target, i * sizeof(long)), 1, MPI_LONG, MPI_SUM, window->win,
                            &requests[i]);
    }
    finish(way);
    for (int i = 0; i < COUNT; i++) {
        CHECK(values[i] + 1 == got[i], "%s, way %d: rget_accumulate %d gave %ld, not %ld",
              test_flavor_name[window->flavor], way, i, got[i], values[i] + 1);
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, COUNT * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int way = 0; way < WAYS; way++) {
            use(&window, test_neighbour(1), way);
            MPI_Win_flush_all(window.win);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
