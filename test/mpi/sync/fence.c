/* Fence: every process puts to, gets from and accumulates to all others, 100 epochs, in every window flavour.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Words 0 .. size-1 are written by put, one per origin; word size is summed up by all. */
static void epochs(struct test_window *window)
{
    long *memory = (long *) window->base, values[test_size], got[test_size], one = 1;

    MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win);
    for (int epoch = 0; epoch < 100; epoch++) {
        for (int target = 0; target < test_size; target++) {
            values[target] = 1000 * epoch + 10 * test_rank + target;
            MPI_Put(&values[target], 1, MPI_LONG, target, test_at(window, target, test_rank * sizeof(long)), 1,
                    MPI_LONG, window->win);
            MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(window, target, test_size * sizeof(long)), 1,
                           MPI_LONG, MPI_SUM, window->win);
        }
        MPI_Win_fence(0, window->win);
        for (int origin = 0; origin < test_size; origin++) {
            long wanted = 1000 * epoch + 10 * origin + test_rank;

            CHECK(wanted == memory[origin], "%s, epoch %d: put by %d gave %ld, not %ld",
                  test_flavor_name[window->flavor], epoch, origin, memory[origin], wanted);
            MPI_Get(&got[origin], 1, MPI_LONG, origin, test_at(window, origin, test_rank * sizeof(long)), 1,
                    MPI_LONG, window->win);
        }
        CHECK((long) (epoch + 1) * test_size == memory[test_size], "%s, epoch %d: the sum is %ld",
              test_flavor_name[window->flavor], epoch, memory[test_size]);
        MPI_Win_fence(0, window->win);
        for (int target = 0; target < test_size; target++) {
            CHECK(got[target] == values[target], "%s, epoch %d: got %ld from %d, not %ld",
                  test_flavor_name[window->flavor], epoch, got[target], target, values[target]);
        }
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, (test_size + 1) * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            epochs(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
