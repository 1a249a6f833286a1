/* MPI 4.1: requests of operations that a flush has completed may be freed instead of waited for; 1000 of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { COUNT = 1000 };

static void use(struct test_window *window, int right)
{
    static MPI_Request requests[2 * COUNT];
    static long values[COUNT], got[COUNT];

    for (int i = 0; i < COUNT; i++) {
        values[i] = 10 * i + test_rank;
        MPI_Rput(&values[i], 1, MPI_LONG, right, test_at(window, right, i * sizeof(long)), 1, MPI_LONG, window->win,
                 &requests[i]);
    }
    MPI_Win_flush(right, window->win);
    for (int i = 0; i < COUNT; i++) {
        MPI_Rget(&got[i], 1, MPI_LONG, right, test_at(window, right, i * sizeof(long)), 1, MPI_LONG, window->win,
                 &requests[COUNT + i]);
    }
    MPI_Win_flush_local_all(window->win);
    CHECK(0 == memcmp(values, got, sizeof(got)), "%s: rget did not get what rput put",
          test_flavor_name[window->flavor]);
    for (int i = 0; i < 2 * COUNT; i++) {
        MPI_OK(MPI_Request_free(&requests[i]));
        CHECK(MPI_REQUEST_NULL == requests[i], "request %d is still there", i);
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, COUNT * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_lock_all(0, window.win);
            use(&window, test_neighbour(1));
            MPI_Win_unlock_all(window.win);
            test_window_close(&window);
        }
    }
    return test_finish();
}
