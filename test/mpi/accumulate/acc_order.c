/* Ordering: accumulates of one origin to one location take effect in program order, single and bulk, fetching or not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { COUNT = 30000, ROUNDS = 40 };

static long *bulk;

/* Replace all words by a number, or the first one only, without waiting in between. */
static void replace(struct test_window *window, int target, MPI_Aint disp, long number, int way, long *result)
{
    static long single[3 * ROUNDS + 1];
    int length = 1 == way ? COUNT : 700;

    switch (way) {
    case 0:
        single[number] = number;
        MPI_Accumulate(&single[number], 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_REPLACE, window->win);
        break;
    case 1:
    case 2:
        MPI_Win_flush_local(target, window->win); /* the buffer is used again */
        for (int i = 0; i < length; i++) {
            bulk[i] = number;
        }
        MPI_Accumulate(bulk, length, MPI_LONG, target, disp, length, MPI_LONG, MPI_REPLACE, window->win);
        break;
    default:
        single[number] = number;
        MPI_Fetch_and_op(&single[number], result, MPI_LONG, target, disp, MPI_REPLACE, window->win);
    }
}

/* Each fetch sees what the operation before it left. */
static void check_replace(struct test_window *window, int target, MPI_Aint disp)
{
    long results[3 * ROUNDS + 1], seen;

    for (int number = 1; number <= 3 * ROUNDS; number++) {
        results[number] = -1;
        replace(window, target, disp, number, 0 == number % 3 ? 3 : number * 5 % 7 % 3, &results[number]);
    }
    MPI_Win_flush(target, window->win);
    for (int number = 3; number <= 3 * ROUNDS; number += 3) {
        CHECK(number - 1 == results[number], "%s: fetch %d saw %ld", test_flavor_name[window->flavor], number,
              results[number]);
    }
    MPI_Fetch_and_op(NULL, &seen, MPI_LONG, target, disp, MPI_NO_OP, window->win);
    MPI_Win_flush(target, window->win);
    CHECK(3 * ROUNDS == seen, "%s: %ld at the end", test_flavor_name[window->flavor], seen);
}

/* Operations that do not commute: replace by n, add 1, multiply by 3: the order decides the result. */
static void check_mixed_ops(struct test_window *window, int target, MPI_Aint disp)
{
    long one = 1, three = 3, values[ROUNDS], got[ROUNDS], bits = 5;

    for (int round = 0; round < ROUNDS; round++) {
        values[round] = round;
        MPI_Accumulate(&values[round], 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_REPLACE, window->win);
        MPI_Accumulate(&one, 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_SUM, window->win);
        MPI_Accumulate(&three, 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_PROD, window->win);
        MPI_Get_accumulate(&bits, 1, MPI_LONG, &got[round], 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_BXOR,
                           window->win);
    }
    MPI_Win_flush(target, window->win);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(3 * (round + 1) == got[round], "%s: round %d got %ld", test_flavor_name[window->flavor], round,
              got[round]);
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    bulk = malloc(COUNT * sizeof(long));
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, test_size * COUNT * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int distance = 0; distance < test_size; distance++) {
            int target = test_neighbour(distance);
            MPI_Aint disp = test_at(&window, target, test_rank * COUNT * sizeof(long));

            check_replace(&window, target, disp);
            check_mixed_ops(&window, target, disp);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    free(bulk);
    return test_finish();
}
