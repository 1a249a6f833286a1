/* Others' bug: after post(MPI_MODE_NOCHECK) a stale count let the next wait return before the data was there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

int main(int argc, char **argv)
{
    int neighbours[2];
    MPI_Group all, left, right;
    struct test_window window;

    test_init(&argc, &argv);
    neighbours[0] = test_neighbour(-1);
    neighbours[1] = test_neighbour(1);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &neighbours[0], &left);
    MPI_Group_incl(all, 1, &neighbours[1], &right);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        for (long round = 1; round <= 20; round++) {
            int nocheck = 0 == round % 2 ? MPI_MODE_NOCHECK : 0;
            long value = 100 * round + test_rank;

            MPI_Win_post(left, nocheck, window.win);
            MPI_Barrier(MPI_COMM_WORLD);
            MPI_Win_start(right, nocheck, window.win);
            if (test_rank % 2 == (round / 2) % 2) {
                test_compute(0.003); /* the target is in its wait by now */
            }
            if (0 != round % 4) { /* and one epoch in four has no operation at all */
                MPI_Put(&value, 1, MPI_LONG, neighbours[1], test_at(&window, neighbours[1], 0), 1, MPI_LONG,
                        window.win);
            }
            MPI_Win_complete(window.win);
            MPI_Win_wait(window.win);
            value = *(volatile long *) window.base;
            CHECK(100 * (round - (0 == round % 4)) + neighbours[0] == value, "%s, round %ld: %ld",
                  test_flavor_name[flavor], round, value);
        }
        test_window_close(&window);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    return test_finish();
}
