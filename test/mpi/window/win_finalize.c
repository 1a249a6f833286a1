/* MPI_Finalize with windows still open: of every flavour, used before, all epochs closed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

int main(int argc, char **argv)
{
    static struct test_window windows[2 * TEST_FLAVORS];
    static long value = 7;

    test_init(&argc, &argv);
    for (int i = 0; i < 2 * TEST_FLAVORS; i++) {
        enum test_flavor flavor = i % TEST_FLAVORS;
        int right = test_neighbour(1);

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&windows[i], flavor, 2 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, right, 0, windows[i].win);
        MPI_Put(&value, 1, MPI_LONG, right, test_at(&windows[i], right, 0), 1, MPI_LONG, windows[i].win);
        MPI_Accumulate(&value, 1, MPI_LONG, right, test_at(&windows[i], right, sizeof(long)), 1, MPI_LONG, MPI_SUM,
                       windows[i].win);
        MPI_Win_unlock(right, windows[i].win);
    }
    return test_finish();
}
