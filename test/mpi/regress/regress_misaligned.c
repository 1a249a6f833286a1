/* Others' bug: alignment was judged by the displacement. Windows that begin at odd addresses, atomics on their words.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 30, WORDS = 40 };

/* Everyone adds to word 0 by fetch_and_op, to all words by accumulate, and counts word WORDS by compare_and_swap. */
static void use(MPI_Win win)
{
    double ones[WORDS], was;
    long guess = 0, next, seen;

    for (int i = 0; i < WORDS; i++) {
        ones[i] = 1;
    }
    MPI_Win_lock_all(0, win);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Fetch_and_op(ones, &was, MPI_DOUBLE, 0, 0, MPI_SUM, win);
        MPI_Accumulate(ones, WORDS, MPI_DOUBLE, 0, 0, WORDS, MPI_DOUBLE, MPI_SUM, win);
        for (;;) {
            next = guess + 1;
            MPI_Compare_and_swap(&next, &guess, &seen, MPI_LONG, 0, WORDS, win);
            MPI_Win_flush(0, win);
            if (seen == guess) {
                break;
            }
            guess = seen;
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    unsigned char *memory;
    double number;
    long count;
    MPI_Win win;

    test_init(&argc, &argv);
    memory = malloc((WORDS + 2) * 8);
    for (int shift = 1; shift < 8; shift += 3) {
        memset(memory, 0, (WORDS + 2) * 8);
        MPI_OK(MPI_Win_create(memory + shift, (WORDS + 1) * 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        use(win);
        MPI_OK(MPI_Win_free(&win));
        for (int i = 0; 0 == test_rank && i < WORDS; i++) {
            memcpy(&number, memory + shift + 8 * i, 8);
            CHECK(ROUNDS * test_size * (i > 0 ? 1 : 2) == number, "shifted by %d: word %d is %g", shift, i, number);
        }
        memcpy(&count, memory + shift + 8 * WORDS, 8);
        CHECK(0 != test_rank || (long) ROUNDS * test_size == count, "shifted by %d: counted to %ld", shift, count);
    }
    free(memory);
    return test_finish();
}
