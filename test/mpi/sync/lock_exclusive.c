/* An exclusive lock really excludes: counters incremented by plain get and put under it are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 100 };

static void count(struct test_window *window)
{
    long value = 0;

    for (int round = 0; round < ROUNDS; round++) {
        int target = (test_rank + round) % test_size;
        MPI_Aint disp = test_at(window, target, 0);

        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
        MPI_Get(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, window->win);
        MPI_Win_flush(target, window->win);
        value++;
        MPI_Put(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, window->win);
        MPI_Win_unlock(target, window->win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All counters together, read under shared locks by everyone at once. */
static void check_total(struct test_window *window)
{
    long total = 0, value;

    for (int target = 0; target < test_size; target++) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
        MPI_Get(&value, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, window->win);
        MPI_Win_unlock(target, window->win);
        total += value;
    }
    CHECK((long) ROUNDS * test_size == total, "%s: counted to %ld, not %d", test_flavor_name[window->flavor], total,
          ROUNDS * test_size);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            count(&window);
            check_total(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
