/* An aligned element of 2, 4 or 8 bytes is never seen by halves: neither by its owner, which polls it by loads, nor by
 * whoever gets it while its owner stores. Not where UCX copies natively from shared memory (set-up rdma): its copy of 2
 * bytes is the C library's, which may load the second one twice.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { AT = 64, ROUNDS = 20000 };

/** Seconds for the rounds, which are enough for all of them but over tcp. */
static const double most_seconds = 0.3;

static const MPI_Datatype types[] = { MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T };

static uint64_t load(const volatile void *word, int size)
{
    return 2 == size ? *(const volatile uint16_t *) word
                     : 4 == size ? *(const volatile uint32_t *) word : *(const volatile uint64_t *) word;
}

static void store(volatile void *word, int size, uint64_t value)
{
    if (2 == size) {
        *(volatile uint16_t *) word = (uint16_t) value;
    } else if (4 == size) {
        *(volatile uint32_t *) word = (uint32_t) value;
    } else {
        *(volatile uint64_t *) word = value;
    }
}

/** All its bits are alike. */
static int is_whole(uint64_t value, int size)
{
    return 0 == value || UINT64_MAX >> (64 - 8 * size) == value;
}

static void write_word(MPI_Win win, MPI_Aint disp, MPI_Datatype type, int round)
{
    static const uint64_t values[2] = { 0, UINT64_MAX };
    uint64_t old;

    switch (round / 2 % 3) {
    case 0:
        MPI_Put(&values[round % 2], 1, type, 1, disp, 1, type, win);
        break;
    case 1:
        MPI_Accumulate(&values[round % 2], 1, type, 1, disp, 1, type, MPI_REPLACE, win);
        break;
    default:
        MPI_Fetch_and_op(&values[round % 2], &old, type, 1, disp, MPI_REPLACE, win);
        break;
    }
    MPI_Win_flush(1, win);
}

/** Rank 0 writes, then says so in the first word; rank 1 looks. */
static void seen_by_owner(struct test_window *window, int index)
{
    MPI_Aint disp = test_at(window, 1, AT + 8), end = test_at(window, 1, 0);
    const volatile long *over = (const volatile long *) window->base;
    double until = MPI_Wtime() + most_seconds;
    long one = index + 1;
    int size;

    MPI_Type_size(types[index], &size);
    if (0 == test_rank) {
        for (int i = 0; i < ROUNDS && MPI_Wtime() < until; i++) {
            write_word(window->win, disp, types[index], i);
        }
        MPI_Put(&one, 1, MPI_LONG, 1, end, 1, MPI_LONG, window->win);
        MPI_Win_flush(1, window->win);
    }
    while (1 == test_rank && *over < one) {
        for (int i = 0; i < 1000; i++) {
            uint64_t value = load((char *) window->base + AT + 8, size);

            CHECK(is_whole(value, size), "%s: a load of %d bytes has seen 0x%llx", test_flavor_name[window->flavor],
                  size, (unsigned long long) value);
        }
    }
}

/** Rank 1 stores until rank 0 has got often enough. */
static void seen_by_origin(struct test_window *window, int index)
{
    MPI_Aint disp = test_at(window, 1, AT), end = test_at(window, 1, 8);
    const volatile long *over = (const volatile long *) window->base + 1;
    double until = MPI_Wtime() + most_seconds;
    long one = index + 1;
    int size;

    MPI_Type_size(types[index], &size);
    if (0 == test_rank) {
        for (int i = 0; i < ROUNDS / 4 && MPI_Wtime() < until; i++) {
            uint64_t value = 0;

            MPI_Get(&value, 1, types[index], 1, disp, 1, types[index], window->win);
            MPI_Win_flush(1, window->win);
            CHECK(is_whole(value, size), "%s: a get of %d bytes has seen 0x%llx", test_flavor_name[window->flavor],
                  size, (unsigned long long) value);
        }
        MPI_Put(&one, 1, MPI_LONG, 1, end, 1, MPI_LONG, window->win);
        MPI_Win_flush(1, window->win);
    }
    while (1 == test_rank && *over < one) {
        for (int i = 0; i < 1000; i++) {
            store((char *) window->base + AT, size, i % 2 ? UINT64_MAX : 0);
        }
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    test_needs(2);
    if (test_size > 2) {
        test_skip("it is for two processes");
    }
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 2 * AT, MPI_INFO_NULL, MPI_COMM_WORLD);
        memset(window.base, 0, 2 * AT);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int i = 0; i < 3; i++) {
            seen_by_owner(&window, i);
            MPI_Barrier(MPI_COMM_WORLD);
            memset((char *) window.base + AT, 0, AT);
            MPI_Barrier(MPI_COMM_WORLD);
            seen_by_origin(&window, i);
            MPI_Barrier(MPI_COMM_WORLD);
        }
        MPI_Win_unlock_all(window.win);
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    return test_finish();
}
