/* Long accumulates whose target type has aligned and misaligned blocks: in the NIC domain each goes a way of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { FEW = 100, MANY = 40000, ALL = FEW + MANY, GAP = 2 }; /* ints; bytes between the blocks */

static int values[ALL], old[ALL], got[ALL];

static void check(const struct test_window *window, MPI_Datatype blocks, int fetches)
{
    int target = test_neighbour(1);

    for (int i = 0; i < ALL; i++) {
        values[i] = 3 * i + test_rank;
        old[i] = -1;
    }
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
    MPI_OK(MPI_Accumulate(values, ALL, MPI_INT, target, test_at(window, target, 0), 1, blocks, MPI_REPLACE,
                          window->win));
    if (fetches) {
        MPI_OK(MPI_Get_accumulate(values, ALL, MPI_INT, old, ALL, MPI_INT, target, test_at(window, target, 0), 1,
                                  blocks, MPI_SUM, window->win));
    } else {
        MPI_OK(MPI_Accumulate(values, ALL, MPI_INT, target, test_at(window, target, 0), 1, blocks, MPI_SUM,
                              window->win));
    }
    MPI_OK(MPI_Win_flush(target, window->win));
    MPI_OK(MPI_Get(got, ALL, MPI_INT, target, test_at(window, target, 0), 1, blocks, window->win));
    MPI_OK(MPI_Win_unlock(target, window->win));
    for (int i = 0; i < ALL; i++) {
        CHECK(2 * values[i] == got[i], "%s: element %d is %d, not %d", test_flavor_name[window->flavor], i, got[i],
              2 * values[i]);
        CHECK(!fetches || values[i] == old[i], "%s: element %d was %d, not %d", test_flavor_name[window->flavor], i,
              old[i], values[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int lengths[] = {FEW, MANY};
    MPI_Aint begins[] = {0, FEW * sizeof(int) + GAP};
    struct test_window window;
    MPI_Datatype blocks;

    test_init(&argc, &argv);
    MPI_Type_create_hindexed(2, lengths, begins, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, ALL * sizeof(int) + GAP, MPI_INFO_NULL, MPI_COMM_WORLD);
            check(&window, blocks, 0);
            check(&window, blocks, 1);
            test_window_close(&window);
        }
    }
    MPI_Type_free(&blocks);
    return test_finish();
}
