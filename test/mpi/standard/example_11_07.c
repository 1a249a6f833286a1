/* Example 11.7: a store, a barrier, another process's get: as printed X may be old; with the store between lock and
 * unlock, or before a sync, it is the new one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

static int get_x(const struct pair *pair)
{
    MPI_Win win = pair->window.win;
    int x = -1, read;

    MPI_OK(MPI_Win_lock_all(0, win));
    MPI_OK(MPI_Get(&x, 1, MPI_INT, pair->b, pair_at(pair, pair->b, 0), 1, MPI_INT, win));
    MPI_OK(MPI_Win_flush_local(pair->b, win));
    read = x;
    MPI_OK(MPI_Win_unlock_all(win));
    return read;
}

static void printed(const struct pair *pair)
{
    int x;

    if (pair->is_b) {
        pair->words[0] = pair->new;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_a) {
        x = get_x(pair);
        PAIR_IS_OLD_OR_NEW(pair, x);
    }
}

static void with_lock(const struct pair *pair)
{
    int x;

    if (pair->is_b) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->b, 0, pair->window.win));
        pair->words[0] = pair->new;
        MPI_OK(MPI_Win_unlock(pair->b, pair->window.win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_a) {
        x = get_x(pair);
        PAIR_IS_NEW(pair, x);
    }
}

static void with_sync(const struct pair *pair)
{
    int x;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, pair->window.win));
    if (pair->is_b) {
        pair->words[0] = pair->new;
        MPI_OK(MPI_Win_sync(pair->window.win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_unlock(test_rank, pair->window.win));
    if (pair->is_a) {
        x = get_x(pair);
        PAIR_IS_NEW(pair, x);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(printed);
    pair_run(with_lock);
    pair_run(with_sync);
    return test_finish();
}
