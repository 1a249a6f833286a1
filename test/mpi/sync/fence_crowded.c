/* Fences of processes that share processors, as Open MPI's parameter mpi_yield_when_idle tells: on many windows, which
 * use the same memory one after the other. Nobody leaves a fence before all have come.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { WINDOWS = 60, FENCES = 20 };

/** Each tells the next one which fence it has reached, before the fence and behind it. In each fence another process
 *  comes last. */
static void count(struct test_window *window, int number)
{
    long *mine = (long *) window->base, reached, *before = malloc((FENCES + 1) * sizeof(long));
    int   next = test_neighbour(1);

    MPI_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win));
    for (int i = 1; i <= FENCES; i++) {
        reached = before[i] = number + i;
        if (test_rank == i % test_size && 0 == number % 10) {
            test_compute(0.0005);
        }
        MPI_OK(MPI_Put(&before[i], 1, MPI_LONG, next, test_at(window, next, 0), 1, MPI_LONG, window->win));
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSTORE, window->win));
        CHECK(reached == mine[0], "window %d: behind fence %d the last one is at %ld", number, i, mine[0] - number);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window->win));
    }
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win));
    free(before);
}

int main(int argc, char **argv)
{
    struct test_window window, lasting;

    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    test_init(&argc, &argv);
    test_window_open(&lasting, TEST_ALLOCATE, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    for (int i = 0; i < WINDOWS; i++) {
        enum test_flavor flavor = i % 2 && test_has_flavor(MPI_COMM_WORLD, TEST_SHARED) ? TEST_SHARED : TEST_ALLOCATE;

        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        count(&window, i);
        count(&lasting, i);
        test_window_close(&window);
    }
    test_window_close(&lasting);
    return test_finish();
}
