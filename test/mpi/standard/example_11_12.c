/* Example 11.12: what was put before the owner's post, the owner may not see by a load before its wait (as printed),
 * but it does by a get, and by a load after its wait.
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

static void look(const struct pair *pair, int get)
{
    MPI_Win win = pair->window.win;
    MPI_Group world, self;
    int x = -1;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &test_rank, &self);
    MPI_OK(MPI_Win_post(self, 0, win));
    MPI_OK(MPI_Win_start(self, 0, win));
    if (get) {
        MPI_OK(MPI_Get(&x, 1, MPI_INT, pair->b, pair_at(pair, pair->b, 0), 1, MPI_INT, win));
    } else {
        x = pair->words[0];
        PAIR_IS_OLD_OR_NEW(pair, x);
    }
    MPI_OK(MPI_Win_complete(win));
    if (get) {
        PAIR_IS_NEW(pair, x);
    }
    MPI_OK(MPI_Win_wait(win));
    x = pair->words[0];
    PAIR_IS_NEW(pair, x);
    MPI_Group_free(&self);
    MPI_Group_free(&world);
}

static void example(const struct pair *pair, int get)
{
    if (pair->is_a) {
        put_x(pair);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_b) {
        look(pair, get);
    }
}

static void printed(const struct pair *pair)
{
    example(pair, 0);
}

static void with_get(const struct pair *pair)
{
    example(pair, 1);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(printed);
    pair_run(with_get);
    return test_finish();
}
