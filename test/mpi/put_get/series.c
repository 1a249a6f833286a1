/* Many puts, gets and accumulates in a row, to a target that polls and to one that does not: all arrive, in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A component may keep such operations and carry them out together. So lengths and numbers lie around its bounds, and
 * accumulates go to the same elements, to the next ones, and to some that were there before.
 */

#include "windows.h"

#define LONGEST 4104
#define MOST 261

/** Elements of 8 bytes in a window. */
#define ELEMENTS (MOST * (LONGEST / 8 + 2))

/** Places that accumulates go to: few, or many. */
#define FEW_PLACES 17
#define PLACES 97

#define MOST_ELEMENTS 1025

static const int numbers[] = {1, 2, 64, 65, MOST};
/** Elements of an accumulate. */
static const int counts[] = {1, 3, 32, 33, 128, 129, 1024, MOST_ELEMENTS};
static const int lengths[] = {1, 3, 8, 24, 56, 100, 256, 512, 520, 1000, 1024, 1032, 4096, LONGEST};
/** Of puts and gets that alternate. */
static const int mixed[] = {8, 512, 513, 4096, 4104, 8, 32768, 32769, 16, 16384};

#define COUNT(array) ((int) (sizeof(array) / sizeof(*(array))))

/** The target computes for a while if it must not poll; then both meet. */
static void meet(const struct test_window *window, int polls)
{
    double until = MPI_Wtime() + 0.0002;

    while (!polls && test_rank == 1 && MPI_Wtime() < until) {
    }
    MPI_Barrier(window->comm);
}

static void puts_in_a_row(struct test_window *window, int number, int length, int gap, int polls)
{
    static unsigned char data[MOST][LONGEST];
    int i, j, wrong = 0;

    memset(window->base, 0, (size_t) window->size);
    MPI_Win_sync(window->win);
    MPI_Barrier(window->comm);
    if (0 == test_rank) {
        for (i = 0; i < number; i++) {
            memset(data[i], i % 251 + 1, (size_t) length);
            MPI_Put(data[i], length, MPI_BYTE, 1, test_at(window, 1, i * (length + gap)), length, MPI_BYTE,
                    window->win);
        }
        MPI_Win_flush(1, window->win);
    }
    meet(window, polls);
    MPI_Win_sync(window->win);
    for (i = 0; 1 == test_rank && i < number; i++) {
        for (j = 0; j < length + gap; j++) {
            wrong += window->base[i * (length + gap) + j] != (j < length ? i % 251 + 1 : 0);
        }
    }
    CHECK(0 == wrong, "%d puts of %d bytes, %d apart, target %s: %d bytes are wrong", number, length, gap,
          polls ? "polls" : "computes", wrong);
}

/** Results are there after each kind of completion. */
static void gets_in_a_row(struct test_window *window, int number, int length, int gap, int polls)
{
    static unsigned char data[MOST][LONGEST];
    int i, j, wrong = 0;

    for (i = 0; i < number * (length + gap); i++) {
        window->base[i] = (unsigned char) (i % 241 + number % 7);
    }
    MPI_Win_sync(window->win);
    MPI_Barrier(window->comm);
    if (0 == test_rank) {
        memset(data, 0, (size_t) number * LONGEST);
        for (i = 0; i < number; i++) {
            MPI_Get(data[i], length, MPI_BYTE, 1, test_at(window, 1, i * (length + gap)), length, MPI_BYTE,
                    window->win);
        }
        if (0 == gap) {
            MPI_Win_flush_local(1, window->win);
        } else {
            MPI_Win_flush_all(window->win);
        }
        for (i = 0; i < number; i++) {
            for (j = 0; j < length; j++) {
                wrong += data[i][j] != (unsigned char) ((i * (length + gap) + j) % 241 + number % 7);
            }
        }
        MPI_Win_flush(1, window->win);
    }
    CHECK(0 == wrong, "%d gets of %d bytes, %d apart, target %s: %d bytes are wrong", number, length, gap,
          polls ? "polls" : "computes", wrong);
    meet(window, polls);
}

/** Puts and gets of all lengths in turns, then what was put is got back. */
static void alternating(struct test_window *window, int rounds, int polls)
{
    static unsigned char out[2][32769], back[2][32769];
    const int apart = 40000, n = COUNT(mixed);
    int i, j, k, wrong = 0;

    MPI_Barrier(window->comm);
    for (i = 0; 0 == test_rank && i < rounds; i++) {
        int length[2] = { mixed[i % n], mixed[(i * 7 + 3) % n] };

        for (k = 0; k < 2; k++) {
            memset(out[k], i % 250 + 1 + k, (size_t) length[k]);
            memset(back[k], 0, sizeof(back[k]));
        }
        for (k = 0; k < 2; k++) {
            MPI_Put(out[k], length[k], MPI_BYTE, 1, test_at(window, 1, (1 + 2 * (i % 5) + k) * apart), length[k],
                    MPI_BYTE, window->win);
            MPI_Get(back[1 - k], 8, MPI_BYTE, 1, test_at(window, 1, 0), 8, MPI_BYTE, window->win);
        }
        MPI_Win_flush(1, window->win);
        for (k = 0; k < 2; k++) {
            MPI_Get(back[k], length[k], MPI_BYTE, 1, test_at(window, 1, (1 + 2 * (i % 5) + k) * apart), length[k],
                    MPI_BYTE, window->win);
        }
        MPI_Win_flush(1, window->win);
        for (k = 0; k < 2; k++) {
            for (j = 0; j < length[k]; j++) {
                wrong += back[k][j] != i % 250 + 1 + k;
            }
        }
    }
    CHECK(0 == wrong, "puts and gets in turns, target %s: %d bytes are wrong", polls ? "polls" : "computes", wrong);
    meet(window, polls);
}

/** What MPI_REPLACE leaves tells in which order they were done. With few places, three in a row go to one. */
static void accumulates_in_a_row(struct test_window *window, int number, int count, int places, int stride,
                                 MPI_Op op, int polls)
{
    static uint64_t expected[ELEMENTS], data[MOST][MOST_ELEMENTS];
    const uint64_t *have = (const uint64_t *) window->base;
    int i, j, at, wrong = 0;

    memset(window->base, 0, (size_t) window->size);
    memset(expected, 0, sizeof(expected));
    MPI_Win_sync(window->win);
    MPI_Barrier(window->comm);
    for (i = 0; i < number; i++) {
        at = (FEW_PLACES == places ? i / 3 : i) * stride % places * count;
        for (j = 0; j < count; j++) {
            data[i][j] = (uint64_t) (i + j) + 2;
            expected[at + j] = MPI_SUM == op ? expected[at + j] + data[i][j] : data[i][j];
        }
        if (0 == test_rank) {
            MPI_Accumulate(data[i], count, MPI_UINT64_T, 1, test_at(window, 1, at * 8), count, MPI_UINT64_T, op,
                           window->win);
        }
    }
    if (0 == test_rank) {
        MPI_Win_flush(1, window->win);
    }
    meet(window, polls);
    MPI_Win_sync(window->win);
    for (i = 0; 1 == test_rank && i < places * count; i++) {
        wrong += have[i] != expected[i];
    }
    CHECK(0 == wrong, "%d %s of %d, %d places, stride %d, target %s: %d elements are wrong", number,
          MPI_SUM == op ? "sums" : "replacements", count, places, stride, polls ? "polls" : "computes", wrong);
}

static void all(struct test_window *window, int polls)
{
    int n, l, gap;

    for (n = 0; n < COUNT(numbers); n++) {
        for (l = 0; l < COUNT(lengths); l++) {
            for (gap = 0; gap <= 8; gap += 4) {
                puts_in_a_row(window, numbers[n], lengths[l], gap, polls);
            }
            gets_in_a_row(window, numbers[n], lengths[l], (n + l) % 2 * 8, polls);
        }
        for (l = 0; l < COUNT(counts); l++) {
            accumulates_in_a_row(window, numbers[n], counts[l], FEW_PLACES, 1 + l % 3, MPI_SUM, polls);
            accumulates_in_a_row(window, numbers[n], counts[l], FEW_PLACES, l % 3, MPI_REPLACE, polls);
            accumulates_in_a_row(window, numbers[n], counts[l], PLACES, 1 + l % 3, MPI_REPLACE, polls);
        }
    }
    alternating(window, 50, polls);
}

int main(int argc, char **argv)
{
    struct test_window window;
    int flavor, polls;

    test_init(&argc, &argv);
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, (enum test_flavor) flavor)) {
            test_window_open(&window, (enum test_flavor) flavor, ELEMENTS * 8, MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_lock_all(0, window.win);
            for (polls = 0; polls <= 1; polls++) {
                all(&window, polls);
            }
            MPI_Win_unlock_all(window.win);
            test_window_close(&window);
        }
    }
    return test_finish();
}
