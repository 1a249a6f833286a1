/* Example 11.9: a put, a flush, a barrier, the owner's load: as printed X may be old; after a sync it is the new one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

static void put_x(const struct pair *pair)
{
    MPI_OK(MPI_Put(&pair->new, 1, MPI_INT, pair->b, pair_at(pair, pair->b, 0), 1, MPI_INT, pair->window.win));
    MPI_OK(MPI_Win_flush(pair->b, pair->window.win));
}

static void printed(const struct pair *pair)
{
    int x;

    if (pair->is_a) {
        MPI_OK(MPI_Win_lock_all(0, pair->window.win));
        put_x(pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_b) {
        x = pair->words[0];
        PAIR_IS_OLD_OR_NEW(pair, x);
    }
    if (pair->is_a) {
        MPI_OK(MPI_Win_unlock_all(pair->window.win));
    }
}

static void with_sync(const struct pair *pair)
{
    int x;

    MPI_OK(MPI_Win_lock_all(0, pair->window.win));
    if (pair->is_a) {
        put_x(pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_b) {
        MPI_OK(MPI_Win_sync(pair->window.win));
        x = pair->words[0];
        PAIR_IS_NEW(pair, x);
    }
    MPI_OK(MPI_Win_unlock_all(pair->window.win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(printed);
    pair_run(with_sync);
    return test_finish();
}
