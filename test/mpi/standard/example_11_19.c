/* Example 11.19: Peterson's critical region between two processes. (As printed, the first look at the other's flag is
 * not completed, and not ordered behind the turn: here a flush is behind each of both.)
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "example_pair.h"

enum { FLAG, TURN, COUNT, TIMES = 3 };

static void write_word(const struct pair *pair, int rank, int word, int value)
{
    MPI_OK(MPI_Accumulate(&value, 1, MPI_INT, rank, pair_at(pair, rank, word), 1, MPI_INT, MPI_REPLACE,
                          pair->window.win));
    MPI_OK(MPI_Win_flush(rank, pair->window.win));
}

static int read_word(const struct pair *pair, int rank, int word)
{
    int value = -1;

    MPI_OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &value, 1, MPI_INT, rank, pair_at(pair, rank, word), 1, MPI_INT,
                              MPI_NO_OP, pair->window.win));
    MPI_OK(MPI_Win_flush(rank, pair->window.win));
    return value;
}

/* Anything but atomic: it comes out right only if the other process stays away. */
static void critical_region(const struct pair *pair)
{
    MPI_Aint disp = pair_at(pair, pair->a, COUNT);
    int count;

    MPI_OK(MPI_Get(&count, 1, MPI_INT, pair->a, disp, 1, MPI_INT, pair->window.win));
    MPI_OK(MPI_Win_flush(pair->a, pair->window.win));
    count++;
    MPI_OK(MPI_Put(&count, 1, MPI_INT, pair->a, disp, 1, MPI_INT, pair->window.win));
    MPI_OK(MPI_Win_flush(pair->a, pair->window.win));
}

/* My flag is up. */
static void enter_and_leave(const struct pair *pair)
{
    int other = pair->is_a ? pair->b : pair->a, yours = pair->is_a ? 1 : 0, turn = yours, flag;

    write_word(pair, pair->a, TURN, yours);
    flag = read_word(pair, other, FLAG);
    while (1 == flag && yours == turn) {
        flag = read_word(pair, other, FLAG);
        turn = read_word(pair, pair->a, TURN);
    }
    critical_region(pair);
    write_word(pair, test_rank, FLAG, 0);
}

static void example(const struct pair *pair)
{
    int count;

    MPI_OK(MPI_Win_lock_all(0, pair->window.win));
    pair->words[FLAG] = 1;
    MPI_OK(MPI_Win_sync(pair->window.win));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; (pair->is_a || pair->is_b) && i < TIMES; i++) {
        if (i > 0) {
            write_word(pair, test_rank, FLAG, 1);
        }
        enter_and_leave(pair);
    }
    MPI_OK(MPI_Win_unlock_all(pair->window.win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (pair->is_a) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, pair->a, 0, pair->window.win));
        count = pair->words[COUNT];
        MPI_OK(MPI_Win_unlock(pair->a, pair->window.win));
        CHECK(2 * TIMES * pair->new == count, "%s: round %d: counted to %d", test_flavor_name[pair->window.flavor],
              pair->new, count);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    pair_run(example);
    return test_finish();
}
