/* MPI_Cancel of a one-sided request is refused and does no harm: the operation completes and can be waited for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { COUNT = 30000 };

static long values[COUNT], got[COUNT];

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Request request;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        int target = test_neighbour(1), wrong = 0;

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(values), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        for (int i = 0; i < COUNT; i++) {
            values[i] = i + 1;
            got[i] = -1;
        }
        MPI_Win_lock_all(0, window.win);
        MPI_Put(values, COUNT, MPI_LONG, target, test_at(&window, target, 0), COUNT, MPI_LONG, window.win);
        MPI_Win_flush(target, window.win);
        MPI_Rget(got, COUNT, MPI_LONG, target, test_at(&window, target, 0), COUNT, MPI_LONG, window.win, &request);
        MPI_Cancel(&request); /* erroneous: whatever it returns */
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        for (int i = 0; i < COUNT; i++) {
            wrong += got[i] != i + 1;
        }
        CHECK(0 == wrong, "%s: %d words are wrong", test_flavor_name[flavor], wrong);
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
