/* Others' bugs: MPI_REPLACE and MPI_NO_OP were not atomic or never ended. Tokens that are swapped must not get lost.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { SLOTS = 5, ROUNDS = 100 };

/* Each process holds one token and each slot another one; all swap at once, others only look. */
static void swap(struct test_window *window, MPI_Datatype type, int is_double)
{
    int tokens = SLOTS + test_size, seen[tokens], all[tokens], bad = 0;
    double number;
    long token = SLOTS + test_rank, was = 0, look = 0;

    MPI_Win_lock_all(0, window->win);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Aint disp = test_at(window, 0, (round * 3 + test_rank) % SLOTS * sizeof(long));

        number = token;
        memcpy(&was, is_double ? (void *) &number : (void *) &token, sizeof(was));
        MPI_Fetch_and_op(&was, &look, type, 0, disp, MPI_REPLACE, window->win);
        MPI_Win_flush(0, window->win);
        memcpy(&number, &look, sizeof(number));
        token = is_double ? (long) number : look;
        MPI_Fetch_and_op(NULL, &look, type, 0, disp, MPI_NO_OP, window->win);
        MPI_Get_accumulate(NULL, 0, type, &was, 1, type, 0, disp, 1, type, MPI_NO_OP, window->win);
        MPI_Win_flush(0, window->win);
        bad += token < 0 || token >= tokens;
    }
    MPI_Win_unlock_all(window->win);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(seen, 0, sizeof(seen));
    CHECK(0 == bad, "%d tokens that never existed", bad);
    if (0 == bad) {
        seen[token]++;
    }
    for (int i = 0; 0 == test_rank && i < SLOTS; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window->win);
        token = is_double ? (long) ((double *) window->base)[i] : ((long *) window->base)[i];
        MPI_Win_unlock(0, window->win);
        CHECK(token >= 0 && token < tokens, "slot %d holds %ld", i, token);
        if (token >= 0 && token < tokens) {
            seen[token]++;
        }
    }
    MPI_Allreduce(seen, all, tokens, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < tokens; i++) {
        CHECK(1 == all[i], "%s: token %d is there %d times", test_flavor_name[window->flavor], i, all[i]);
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (int is_double = 0; is_double < 2 && test_has_flavor(MPI_COMM_WORLD, flavor); is_double++) {
            test_window_open(&window, flavor, SLOTS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            for (int i = 0; i < SLOTS; i++) {
                if (is_double) {
                    ((double *) window.base)[i] = i;
                } else {
                    ((long *) window.base)[i] = i;
                }
            }
            MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window.win);
            swap(&window, is_double ? MPI_DOUBLE : MPI_LONG, is_double);
            test_window_close(&window);
        }
    }
    return test_finish();
}
