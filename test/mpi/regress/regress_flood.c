/* Others' bug: progress from a completion callback. All flood all with 20000 small operations before the first wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { OPERATIONS = 20000, WORDS = 100 };

int main(int argc, char **argv)
{
    struct test_window window;
    static long results[OPERATIONS], one = 1;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        long sum = 0, total, places = WORDS * (long) test_size;

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 2 * places * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int i = 0; i < OPERATIONS; i++) {
            int target = (test_rank + i) % test_size;
            MPI_Aint mine = (places + test_rank * WORDS + i % WORDS) * sizeof(long);

            if (0 == i % 3) {
                MPI_Put(&one, 1, MPI_LONG, target, test_at(&window, target, mine), 1, MPI_LONG, window.win);
            } else if (1 == i % 3) {
                MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(&window, target, i % WORDS * sizeof(long)), 1,
                               MPI_LONG, MPI_SUM, window.win);
            } else {
                MPI_Fetch_and_op(&one, &results[i], MPI_LONG, target,
                                 test_at(&window, target, i % WORDS * sizeof(long)), MPI_SUM, window.win);
            }
        }
        MPI_Win_unlock_all(window.win);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window.win);
        for (int i = 0; i < WORDS; i++) {
            sum += ((long *) window.base)[i];
        }
        MPI_Win_unlock(test_rank, window.win);
        MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK((long) test_size * (OPERATIONS - (OPERATIONS + 2) / 3) == total, "%s: the sum is %ld",
              test_flavor_name[flavor], total);
        test_window_close(&window);
    }
    return test_finish();
}
