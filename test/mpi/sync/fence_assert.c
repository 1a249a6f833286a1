/* Fence with every assertion: NOSTORE, NOPUT, NOPRECEDE, NOSUCCEED; with and without operations in between.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* NOPRECEDE must not let a put in before the target's own fence: the target still stores until then. */
static void check_noprecede(struct test_window *window, int round)
{
    long *memory = (long *) window->base, value = 10 * round + test_rank;
    int right = test_neighbour(1);

    if (0 == (test_rank + round) % test_size) {
        test_compute(0.002); /* late: the others are in the fence already */
    }
    memory[0] = -1;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win);
    MPI_Put(&value, 1, MPI_LONG, right, test_at(window, right, 0), 1, MPI_LONG, window->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, window->win);
    CHECK(10 * round + test_neighbour(-1) == memory[0], "%s, round %d: %ld was put",
          test_flavor_name[window->flavor], round, memory[0]);
}

/* With NOPUT the window is only read; what the neighbour stored before the fence is there. */
static void check_noput(struct test_window *window, int round)
{
    long *memory = (long *) window->base, got = -1;
    int right = test_neighbour(1);

    memory[1] = 100 * round + test_rank;
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, window->win);
    MPI_Get(&got, 1, MPI_LONG, right, test_at(window, right, sizeof(long)), 1, MPI_LONG, window->win);
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, window->win);
    CHECK(100 * round + right == got, "%s, round %d: got %ld", test_flavor_name[window->flavor], round, got);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 2 * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        for (int round = 0; round < 30; round++) {
            check_noprecede(&window, round);
            check_noput(&window, round);
            MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE | MPI_MODE_NOPUT, window.win);
        }
        test_window_close(&window);
    }
    return test_finish();
}
