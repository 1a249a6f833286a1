/* Example 11.10: a store before the owner's lock: as printed another process may get the old X until the owner has
 * unlocked; with a sync it gets the new one at once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

static int get_x(const struct pair *pair)
{
    int x = -1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, pair->b, 0, pair->window.win));
    MPI_OK(MPI_Get(&x, 1, MPI_INT, pair->b, pair_at(pair, pair->b, 0), 1, MPI_INT, pair->window.win));
    MPI_OK(MPI_Win_unlock(pair->b, pair->window.win));
    return x;
}

static void store_and_get(const struct pair *pair, int sync)
{
    int x;

    if (pair->is_b) {
        pair->words[0] = pair->new;
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, pair->b, 0, pair->window.win));
        if (sync) {
            MPI_OK(MPI_Win_sync(pair->window.win));
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_a) { /* neither of the two shared locks waits for the other */
        x = get_x(pair);
        if (sync) {
            PAIR_IS_NEW(pair, x);
        } else {
            PAIR_IS_OLD_OR_NEW(pair, x);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_b) {
        MPI_OK(MPI_Win_unlock(pair->b, pair->window.win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_a) {
        x = get_x(pair);
        PAIR_IS_NEW(pair, x);
    }
}

static void printed(const struct pair *pair)
{
    store_and_get(pair, 0);
}

static void with_sync(const struct pair *pair)
{
    store_and_get(pair, 1);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(printed);
    pair_run(with_sync);
    return test_finish();
}
