/* The two kinds of atomics never meet: what one process updates natively, no processor updates, whoever the origin is,
 * oneself included, while everything else goes on beside it in the same window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In a window of the CPU domain the results are the same, and there is nothing to count.
 */
#include "windows.h"

#include <stddef.h>

enum { ROUNDS = 200, VECTOR = 5 };

/** What each process has in its window; each part is updated by all processes in one way. */
struct shared {
    int64_t sum, swapped, bits, masked;
    int32_t small, small_swapped;
    int64_t vector[VECTOR];
    double real;
    int64_t product, odd;
    char misaligned[24];
};

static struct test_counter trespasses;

#define AT(field) test_at(window, target, (MPI_Aint) offsetof(struct shared, field))

/** One round of everything to one target. */
static void update(struct test_window *window, int target, int round)
{
    int64_t one = 1, old = -1, compare, bit = INT64_C(1) << (round % 60), vector[VECTOR], fetched[VECTOR], all = -1;
    int32_t small = 3, small_old;
    double real = 0.5;
    MPI_Win win = window->win;

    for (int i = 0; i < VECTOR; i++) {
        vector[i] = i + 1;
    }
    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, AT(sum), 1, MPI_INT64_T, MPI_SUM, win));
    MPI_OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, target, AT(sum), MPI_SUM, win));
    MPI_OK(MPI_Accumulate(&small, 1, MPI_INT32_T, target, AT(small), 1, MPI_INT32_T, MPI_SUM, win));
    MPI_OK(MPI_Fetch_and_op(&bit, &compare, MPI_INT64_T, target, AT(bits), MPI_BOR, win));
    MPI_OK(MPI_Get_accumulate(&all, 1, MPI_INT64_T, fetched, 1, MPI_INT64_T, target, AT(masked), 1, MPI_INT64_T,
                              MPI_BAND, win));
    MPI_OK(MPI_Get_accumulate(vector, VECTOR, MPI_INT64_T, fetched, VECTOR, MPI_INT64_T, target, AT(vector), VECTOR,
                              MPI_INT64_T, MPI_SUM, win));
    MPI_OK(MPI_Accumulate(&real, 1, MPI_DOUBLE, target, AT(real), 1, MPI_DOUBLE, MPI_SUM, win));
    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, AT(product), 1, MPI_INT64_T, MPI_PROD, win));
    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, AT(misaligned[3]), 1, MPI_INT64_T, MPI_SUM, win));
    MPI_OK(MPI_Win_flush(target, win));
    CHECK(old >= 0 && old < 2 * ROUNDS * test_size, "the sum was %ld", (long) old);
    do { /* an increment by compare and swap */
        MPI_OK(MPI_Fetch_and_op(NULL, &compare, MPI_INT64_T, target, AT(swapped), MPI_NO_OP, win));
        MPI_OK(MPI_Win_flush(target, win));
        vector[0] = compare + 1;
        MPI_OK(MPI_Compare_and_swap(vector, &compare, &old, MPI_INT64_T, target, AT(swapped), win));
        MPI_OK(MPI_Win_flush(target, win));
    } while (old != compare);
    MPI_OK(MPI_Fetch_and_op(&small, &small_old, MPI_INT32_T, target, AT(small_swapped), MPI_REPLACE, win));
    MPI_OK(MPI_Win_flush(target, win));
    CHECK(0 == small_old || 3 == small_old, "replaced %d", (int) small_old);
}

/** Native and not, one behind the other at one location: MPI's default order holds. */
static void change_ways(struct test_window *window)
{
    int target = test_neighbour(1);
    int64_t two = 2, three = 3, old = -1;

    for (int round = 0; round < ROUNDS; round++) {
        int64_t start = 5;

        MPI_OK(MPI_Accumulate(&start, 1, MPI_INT64_T, target, AT(odd), 1, MPI_INT64_T, MPI_REPLACE, window->win));
        MPI_OK(MPI_Accumulate(&two, 1, MPI_INT64_T, target, AT(odd), 1, MPI_INT64_T, MPI_SUM, window->win));
        MPI_OK(MPI_Accumulate(&three, 1, MPI_INT64_T, target, AT(odd), 1, MPI_INT64_T, MPI_PROD, window->win));
        MPI_OK(MPI_Accumulate(&two, 1, MPI_INT64_T, target, AT(odd), 1, MPI_INT64_T, MPI_SUM, window->win));
        MPI_OK(MPI_Fetch_and_op(NULL, &old, MPI_INT64_T, target, AT(odd), MPI_NO_OP, window->win));
        MPI_OK(MPI_Win_flush(target, window->win));
        CHECK(23 == old, "(5 + 2) * 3 + 2 is %ld", (long) old);
    }
}

static void check(const struct shared *mine, const char *flavor)
{
    int64_t times = (int64_t) ROUNDS * test_size, misaligned;

    memcpy(&misaligned, mine->misaligned + 3, sizeof(misaligned));
    CHECK(2 * times == mine->sum, "%s: sum %ld", flavor, (long) mine->sum);
    CHECK(times == mine->swapped, "%s: swapped %ld", flavor, (long) mine->swapped);
    CHECK((INT64_C(1) << 60) - 1 == mine->bits, "%s: bits %lx", flavor, (long) mine->bits);
    CHECK(0x77 == mine->masked, "%s: masked %lx", flavor, (long) mine->masked);
    CHECK(3 * times == mine->small && 3 == mine->small_swapped, "%s: small %d %d", flavor, (int) mine->small,
          (int) mine->small_swapped);
    CHECK(0.5 * (double) times == mine->real, "%s: real %g", flavor, mine->real);
    CHECK(7 == mine->product && times == misaligned, "%s: product %ld, misaligned %ld", flavor, (long) mine->product,
          (long) misaligned);
    for (int i = 0; i < VECTOR; i++) {
        CHECK((i + 1) * times == mine->vector[i], "%s: vector[%d] %ld", flavor, i, (long) mine->vector[i]);
    }
}

static void run(enum test_flavor flavor)
{
    struct test_window window;
    struct shared *mine;

    test_window_open(&window, flavor, sizeof(struct shared), MPI_INFO_NULL, MPI_COMM_WORLD);
    mine = (struct shared *) window.base;
    mine->masked = 0x77;
    mine->product = 7;
    MPI_Win_lock_all(0, window.win);
    MPI_Win_sync(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS; round++) {
        for (int target = 0; target < test_size; target++) {
            update(&window, target, round);
        }
    }
    change_ways(&window);
    MPI_Win_unlock_all(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, window.win);
    check(mine, test_flavor_name[flavor]);
    MPI_Win_unlock(test_rank, window.win);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_counter_open(&trespasses, "osc_ucp_domain_trespasses");
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            run(flavor);
        }
    }
    CHECK(0 == test_counter_read(&trespasses), "a processor did %llu accumulates that were the network's",
          test_counter_read(&trespasses));
    test_counter_close(&trespasses);
    return test_finish();
}
