/* Example 11.6: what a process stores in its own window under a lock, another one gets under a lock afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

static void example(const struct pair *pair)
{
    MPI_Win win = pair->window.win;
    int x = -1;

    if (pair->is_b) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->b, 0, win));
        pair->words[0] = pair->new;
        MPI_OK(MPI_Win_unlock(pair->b, win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_a) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->b, 0, win));
        MPI_OK(MPI_Get(&x, 1, MPI_INT, pair->b, pair_at(pair, pair->b, 0), 1, MPI_INT, win));
        MPI_OK(MPI_Win_unlock(pair->b, win));
        PAIR_IS_NEW(pair, x);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(example);
    return test_finish();
}
