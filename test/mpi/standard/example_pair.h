/* What the chapter's examples of a process A and a process B share: even ranks are A, odd ranks B, their neighbour is
 * the other one; a last rank without a neighbour only joins the barriers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef EXAMPLE_PAIR_H
#define EXAMPLE_PAIR_H

#include "windows.h"

enum { PAIR_ROUNDS = 30, PAIR_WORDS = 8 };

struct pair {
    struct test_window window; /**< PAIR_WORDS ints per process */
    volatile int *words;       /**< this process's */
    int is_a, is_b;
    int a, b;                  /**< the ranks */
    int old, new;              /**< what X was before this round, what the round writes */
};

/** target_disp of word `word` of process `rank`. */
static inline MPI_Aint pair_at(const struct pair *pair, int rank, int word)
{
    return test_at(&pair->window, rank, word * (MPI_Aint) sizeof(int));
}

/** A window's owner has access to what was put, and the others to what it stored, whatever the memory model is. */
static inline void pair_settle(const struct pair *pair)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, pair->window.win));
    MPI_OK(MPI_Win_unlock(test_rank, pair->window.win));
    MPI_Barrier(MPI_COMM_WORLD);
}

/** Collective: run `example` with every flavour of window, in PAIR_ROUNDS rounds with a new value each. */
static inline void pair_run(void (*example)(const struct pair *pair))
{
    struct pair pair = {.is_a = 0 == test_rank % 2 && test_rank + 1 < test_size, .is_b = 1 == test_rank % 2};

    pair.a = test_rank / 2 * 2;
    pair.b = pair.a + 1;
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&pair.window, flavor, PAIR_WORDS * sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
        pair.words = (volatile int *) pair.window.base;
        for (int round = 0; round < PAIR_ROUNDS; round++) {
            pair.old = round;
            pair.new = round + 1;
            example(&pair);
            pair_settle(&pair);
        }
        test_window_close(&pair.window);
    }
}

/** X must be what this round wrote. */
#define PAIR_IS_NEW(pair, x)                                                                             \
    CHECK((pair)->new == (x), "%s: X is %d, not %d", test_flavor_name[(pair)->window.flavor], x, (pair)->new)

/** X may also be what it was before. */
#define PAIR_IS_OLD_OR_NEW(pair, x)                                                                      \
    CHECK((pair)->new == (x) || (pair)->old == (x), "%s: X is %d, neither %d nor %d",                    \
          test_flavor_name[(pair)->window.flavor], x, (pair)->old, (pair)->new)

#endif /* EXAMPLE_PAIR_H */
