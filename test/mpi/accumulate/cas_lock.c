/* Compare_and_swap as a lock around a plain counter, and as a counter of its own; every allowed size of integer.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 20 };

/* A spin lock at rank 0: word 0 is the lock, word 1 what it guards. */
static void spin_lock(struct test_window *window)
{
    MPI_Aint lock = test_at(window, 0, 0), guarded = test_at(window, 0, sizeof(long));
    long zero = 0, mine = test_rank + 1, was, count;

    for (int round = 0; round < ROUNDS; round++) {
        do {
            MPI_Compare_and_swap(&mine, &zero, &was, MPI_LONG, 0, lock, window->win);
            MPI_Win_flush(0, window->win);
        } while (0 != was);
        MPI_Get(&count, 1, MPI_LONG, 0, guarded, 1, MPI_LONG, window->win);
        MPI_Win_flush(0, window->win);
        count++;
        MPI_Put(&count, 1, MPI_LONG, 0, guarded, 1, MPI_LONG, window->win);
        MPI_Win_flush(0, window->win);
        MPI_Compare_and_swap(&zero, &mine, &was, MPI_LONG, 0, lock, window->win);
        MPI_Win_flush(0, window->win);
        CHECK(mine == was, "the lock was taken away by %ld", was);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Get(&count, 1, MPI_LONG, 0, guarded, 1, MPI_LONG, window->win);
    MPI_Win_flush(0, window->win);
    CHECK((long) ROUNDS * test_size == count, "%s: counted to %ld", test_flavor_name[window->flavor], count);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A counter of one type at an offset: its neighbours in memory must stay as they are. */
#define TEST_COUNTER(ctype, mpitype)                                                                            \
    static void counter_##ctype(struct test_window *window)                                                     \
    {                                                                                                           \
        int target = test_size - 1;                                                                             \
        MPI_Aint disp = test_at(window, target, 64 + sizeof(ctype));                                            \
        ctype guess = 0, next, was;                                                                             \
                                                                                                                \
        for (int round = 0; round < ROUNDS / 4; round++) {                                                      \
            for (;;) {                                                                                          \
                next = guess + 1;                                                                               \
                MPI_Compare_and_swap(&next, &guess, &was, mpitype, target, disp, window->win);                  \
                MPI_Win_flush(target, window->win);                                                             \
                if (was == guess) {                                                                             \
                    break;                                                                                      \
                }                                                                                               \
                guess = was;                                                                                    \
            }                                                                                                   \
            guess = next;                                                                                       \
        }                                                                                                       \
        MPI_Barrier(MPI_COMM_WORLD);                                                                            \
        if (target == test_rank) {                                                                              \
            ctype *memory = (ctype *) (window->base + 64);                                                      \
                                                                                                                \
            MPI_Win_sync(window->win);                                                                          \
            CHECK((ctype) (ROUNDS / 4 * test_size) == memory[1], "%s: counted to %lld", #ctype,                 \
                  (long long) memory[1]);                                                                       \
            CHECK(0 == memory[0] && 0 == memory[2], "%s: a neighbour was written", #ctype);                     \
            memset(memory, 0, 64);                                                                              \
            MPI_Win_sync(window->win);                                                                          \
        }                                                                                                       \
        MPI_Barrier(MPI_COMM_WORLD);                                                                            \
    }

TEST_COUNTER(int8_t, MPI_INT8_T)
TEST_COUNTER(uint8_t, MPI_BYTE)
TEST_COUNTER(int16_t, MPI_INT16_T)
TEST_COUNTER(uint32_t, MPI_UINT32_T)
TEST_COUNTER(int64_t, MPI_INT64_T)

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 128, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        spin_lock(&window);
        counter_int8_t(&window);
        counter_uint8_t(&window);
        counter_int16_t(&window);
        counter_uint32_t(&window);
        counter_int64_t(&window);
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
