/* Example 11.20: a critical region between all processes with compare_and_swap; its word is initialized by a store and
 * sync, or by an accumulate, as the text before it says.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { A = 0, TIMES = 10, ROUNDS = 4 };

/* Compare and swap the word; what it was. */
static int swap(const struct test_window *window, int from, int to)
{
    int was = -1;

    MPI_OK(MPI_Compare_and_swap(&to, &from, &was, MPI_INT, A, test_at(window, A, 0), window->win));
    MPI_OK(MPI_Win_flush(A, window->win));
    return was;
}

/* Anything but atomic: it comes out right only if all others stay away. */
static void critical_region(const struct test_window *window)
{
    MPI_Aint disp = test_at(window, A, sizeof(int));
    int count;

    MPI_OK(MPI_Get(&count, 1, MPI_INT, A, disp, 1, MPI_INT, window->win));
    MPI_OK(MPI_Win_flush(A, window->win));
    count++;
    MPI_OK(MPI_Put(&count, 1, MPI_INT, A, disp, 1, MPI_INT, window->win));
    MPI_OK(MPI_Win_flush(A, window->win));
}

static void initialize(const struct test_window *window, int by_store)
{
    int zero = 0;

    if (by_store) {
        *(volatile int *) window->base = 0;
        MPI_OK(MPI_Win_sync(window->win));
    } else {
        MPI_OK(MPI_Accumulate(&zero, 1, MPI_INT, A, test_at(window, A, 0), 1, MPI_INT, MPI_REPLACE, window->win));
        MPI_OK(MPI_Win_flush(A, window->win));
    }
}

static void example(const struct test_window *window, int round)
{
    int r, count;

    MPI_OK(MPI_Win_lock_all(0, window->win));
    if (A == test_rank) {
        initialize(window, 0 == round % 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES; i++) {
        do {
            r = swap(window, 0, 1);
        } while (0 != r);
        critical_region(window);
        r = swap(window, 1, 0);
        CHECK(1 == r, "%s: the lock was %d when it was given back", test_flavor_name[window->flavor], r);
    }
    MPI_OK(MPI_Win_unlock_all(window->win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (A == test_rank) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, A, 0, window->win));
        count = ((volatile int *) window->base)[1];
        ((volatile int *) window->base)[0] = 7;
        MPI_OK(MPI_Win_unlock(A, window->win));
        CHECK((round + 1) * TIMES * test_size == count, "%s: counted to %d", test_flavor_name[window->flavor], count);
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
        test_window_open(&window, flavor, 2 * sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < ROUNDS; round++) {
            example(&window, round);
        }
        test_window_close(&window);
    }
    return test_finish();
}
