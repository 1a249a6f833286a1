/* Example 11.11: what a process stores in its own window before post, others get; what it stores while the window is
 * exposed they may not see (as printed), but what it puts there they do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

enum { X, Y };

static MPI_Group group_of(int count, const int *ranks)
{
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, ranks, &group);
    MPI_Group_free(&world);
    return group;
}

/* The epochs; process A updates X by a store or by a put to itself, process B may look at Y already. */
static void update_exposed(const struct pair *pair, int put)
{
    MPI_Group both = group_of(2, (int[]) {pair->a, pair->b}), only_a = group_of(1, &pair->a);
    MPI_Win win = pair->window.win;
    int y = -1;

    if (pair->is_a) {
        pair->words[Y] = 1000 + pair->new;
        MPI_OK(MPI_Win_post(both, 0, win));
    }
    MPI_OK(MPI_Win_start(only_a, 0, win));
    if (pair->is_a && put) {
        MPI_OK(MPI_Put(&pair->new, 1, MPI_INT, pair->a, pair_at(pair, pair->a, X), 1, MPI_INT, win));
    } else if (pair->is_a) {
        pair->words[X] = pair->new;
    } else if (put) {
        MPI_OK(MPI_Get(&y, 1, MPI_INT, pair->a, pair_at(pair, pair->a, Y), 1, MPI_INT, win));
    }
    MPI_OK(MPI_Win_complete(win));
    if (pair->is_a) {
        MPI_OK(MPI_Win_wait(win));
        CHECK(pair->new == pair->words[X], "the owner sees X as %d", pair->words[X]);
    } else if (put) {
        CHECK(1000 + pair->new == y, "Y is %d in the epoch", y);
    }
    MPI_Group_free(&both);
    MPI_Group_free(&only_a);
}

static void look(const struct pair *pair, int put)
{
    MPI_Win win = pair->window.win;
    int x = -1, y = -1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->a, 0, win));
    MPI_OK(MPI_Get(&x, 1, MPI_INT, pair->a, pair_at(pair, pair->a, X), 1, MPI_INT, win));
    MPI_OK(MPI_Get(&y, 1, MPI_INT, pair->a, pair_at(pair, pair->a, Y), 1, MPI_INT, win));
    MPI_OK(MPI_Win_unlock(pair->a, win));
    CHECK(1000 + pair->new == y, "Y is %d", y);
    if (put) {
        PAIR_IS_NEW(pair, x);
    } else {
        PAIR_IS_OLD_OR_NEW(pair, x);
    }
}

static void example(const struct pair *pair, int put)
{
    if (pair->is_a || pair->is_b) {
        update_exposed(pair, put);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_b) {
        look(pair, put);
    }
}

static void printed(const struct pair *pair)
{
    example(pair, 0);
}

static void with_put(const struct pair *pair)
{
    example(pair, 1);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(printed);
    pair_run(with_put);
    return test_finish();
}
