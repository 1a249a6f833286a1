/* Passive progress: lock, put, fetch_and_op, unlock complete while the target computes and makes no MPI call.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Word 0 is put, word 1 is fetched and added to, word 2 is put when the first two are known to be done. */
static void origin(struct test_window *window)
{
    MPI_Aint word = test_at(window, 1, 0);
    long value = 42, one = 1, was = -1, done = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window->win);
    MPI_Put(&value, 1, MPI_LONG, 1, word, 1, MPI_LONG, window->win);
    MPI_Fetch_and_op(&one, &was, MPI_LONG, 1, word + sizeof(long), MPI_SUM, window->win);
    MPI_Win_unlock(1, window->win);
    CHECK(7 == was, "%s: fetched %ld", test_flavor_name[window->flavor], was);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window->win);
    MPI_Put(&done, 1, MPI_LONG, 1, word + 2 * sizeof(long), 1, MPI_LONG, window->win);
    MPI_Win_unlock(1, window->win);
}

/* Computes; all that was done meanwhile is in its memory before it calls MPI again. */
static void target(const struct test_window *window)
{
    volatile const long *memory = (volatile const long *) window->base;
    long seen[3];

    test_compute_until(&memory[2], 1);
    for (int i = 0; i < 3; i++) {
        seen[i] = memory[i];
    }
    CHECK(1 == seen[2], "%s: rank 0 did not complete while rank 1 computed",
          test_flavor_name[window->flavor]);
    CHECK(42 == seen[0] && 8 == seen[1], "%s: %ld and %ld in the memory, not 42 and 8",
          test_flavor_name[window->flavor], seen[0], seen[1]);
}

int main(int argc, char **argv)
{
    struct test_window window;
    int *model, found;

    test_init(&argc, &argv);
    test_needs(2);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 3 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_get_attr(window.win, MPI_WIN_MODEL, &model, &found);
        if (!found || MPI_WIN_UNIFIED != *model) {
            test_skip("looking at one's memory without an MPI call needs the unified memory model");
        }
        if (1 == test_rank) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window.win);
            ((long *) window.base)[1] = 7;
            MPI_Win_unlock(1, window.win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == test_rank) {
            origin(&window);
        } else if (1 == test_rank) {
            target(&window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    return test_finish();
}
