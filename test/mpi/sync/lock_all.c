/* Lock_all: puts and accumulates to every process, made visible by flush, flush_local, flush_all, flush_local_all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Memory: one word per origin, then a common counter. */
static void exchange(struct test_window *window, int round)
{
    long values[test_size], one = 1, got = -1;
    MPI_Aint sum = test_size * sizeof(long);

    for (int target = 0; target < test_size; target++) {
        values[target] = 100 * round + test_rank + target;
        MPI_Put(&values[target], 1, MPI_LONG, target, test_at(window, target, test_rank * sizeof(long)), 1, MPI_LONG,
                window->win);
        MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(window, target, sum), 1, MPI_LONG, MPI_SUM, window->win);
        if (0 == round % 3) {
            MPI_Win_flush(target, window->win);
        } else if (1 == round % 3) {
            MPI_Win_flush_local(target, window->win);
            values[target] = -1; /* the origin buffer is ours again */
        }
    }
    if (2 == round % 3) {
        MPI_Win_flush_local_all(window->win);
        memset(values, -1, sizeof(values));
    }
    MPI_Win_flush_all(window->win);
    MPI_Get(&got, 1, MPI_LONG, test_neighbour(1),
            test_at(window, test_neighbour(1), test_rank * sizeof(long)), 1, MPI_LONG, window->win);
    MPI_Win_flush(test_neighbour(1), window->win);
    CHECK(100 * round + test_rank + test_neighbour(1) == got, "%s, round %d: got %ld",
          test_flavor_name[window->flavor], round, got);
}

static void check(struct test_window *window, int round)
{
    const long *memory = (const long *) window->base;

    MPI_Win_sync(window->win);
    for (int origin = 0; origin < test_size; origin++) {
        CHECK(100 * round + origin + test_rank == memory[origin], "%s, round %d: %ld from %d",
              test_flavor_name[window->flavor], round, memory[origin], origin);
    }
    CHECK((long) (round + 1) * test_size == memory[test_size], "%s, round %d: the sum is %ld",
          test_flavor_name[window->flavor], round, memory[test_size]);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (test_size + 1) * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int round = 0; round < 30; round++) {
            exchange(&window, round);
            MPI_Barrier(MPI_COMM_WORLD);
            check(&window, round);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
