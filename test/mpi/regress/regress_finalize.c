/* Others' bug: hang at MPI_Finalize. The last epoch ends right before it, and some processes come late.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

int main(int argc, char **argv)
{
    static long values[1000];
    static struct test_window windows[2];
    MPI_Request requests[1000];

    test_init(&argc, &argv);
    for (int w = 0; w < 2; w++) {
        test_window_open(&windows[w], w ? TEST_ALLOCATE : TEST_CREATE, sizeof(values), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, windows[w].win);
    }
    if (test_rank % 2) {
        test_compute(0.3); /* the others are done and wait in MPI_Finalize */
    }
    for (int i = 0; i < 1000; i++) {
        values[i] = i;
        MPI_Rput(&values[i], 1, MPI_LONG, i % test_size, i * sizeof(long), 1, MPI_LONG, windows[i % 2].win,
                 &requests[i]);
    }
    MPI_Waitall(1000, requests, MPI_STATUSES_IGNORE);
    for (int w = 0; w < 2; w++) {
        MPI_Win_unlock_all(windows[w].win);
    }
    MPI_Finalize();
    return test_failures > 0;
}
