/* Example 11.18: a counting semaphore: every process counts down by accumulate, and polls with get_accumulate until all
 * have.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { A = 0, ROUNDS = 10 };

static void semaphore(const struct test_window *window)
{
    volatile int *x = (volatile int *) window->base;
    int minus_one = -1, z, last = test_size, left;
    MPI_Aint disp = test_at(window, A, 0);

    MPI_OK(MPI_Win_lock_all(0, window->win));
    if (A == test_rank) {
        *x = test_size;
        MPI_OK(MPI_Win_sync(window->win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Accumulate(&minus_one, 1, MPI_INT, A, disp, 1, MPI_INT, MPI_SUM, window->win));
    do {
        MPI_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &z, 1, MPI_INT, A, disp, 1, MPI_INT, MPI_NO_OP, window->win));
        MPI_OK(MPI_Win_flush(A, window->win));
        CHECK(z >= 0 && z <= last && z < test_size, "%s: X went from %d to %d", test_flavor_name[window->flavor], last,
              z);
        last = z;
    } while (0 < z);
    MPI_OK(MPI_Win_unlock_all(window->win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (A == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, A, 0, window->win));
        left = *x;
        MPI_OK(MPI_Win_unlock(A, window->win));
        CHECK(0 == left, "%s: X is %d in the end", test_flavor_name[window->flavor], left);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* or A's lock would wait for the next round's lock_all, and that one for A */
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < ROUNDS; round++) {
            semaphore(&window);
        }
        test_window_close(&window);
    }
    return test_finish();
}
