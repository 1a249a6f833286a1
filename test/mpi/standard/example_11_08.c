/* Example 11.8: the owner of the window loads, under a lock and after a barrier, what another process has put under a
 * lock. As the text says, an owner that polls needs no barrier.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

static void put_x(const struct pair *pair)
{
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->b, 0, pair->window.win));
    MPI_OK(MPI_Put(&pair->new, 1, MPI_INT, pair->b, pair_at(pair, pair->b, 0), 1, MPI_INT, pair->window.win));
    MPI_OK(MPI_Win_unlock(pair->b, pair->window.win));
}

static int load_x(const struct pair *pair)
{
    int x;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->b, 0, pair->window.win));
    x = pair->words[0];
    MPI_OK(MPI_Win_unlock(pair->b, pair->window.win));
    return x;
}

static void printed(const struct pair *pair)
{
    int x;

    if (pair->is_a) {
        put_x(pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_b) {
        x = load_x(pair);
        PAIR_IS_NEW(pair, x);
    }
}

static void polling(const struct pair *pair)
{
    int x = pair->old;

    if (pair->is_a) {
        put_x(pair);
    }
    while (pair->is_b && pair->old == x) {
        x = load_x(pair);
    }
    if (pair->is_b) {
        PAIR_IS_NEW(pair, x);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(printed);
    pair_run(polling);
    return test_finish();
}
