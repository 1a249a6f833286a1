/* Long puts and gets of any length and alignment, to targets that do the same, that wait, or that stop to poll in the
 * midst of them: all data arrive, and nothing else changes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A component may have both processes copy at once, in parts, and must end that when the target computes.
 */

#include "windows.h"

#define BYTES (1 << 20)
#define LONGEST 150000
#define ROUNDS 60

static unsigned char out[BYTES], back[BYTES], expected[BYTES];

static uint64_t seed;

static int draw(int n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int) ((seed >> 33) % (uint64_t) n);
}

/** Lengths of all magnitudes. */
static int draw_length(void)
{
    int most = 1 << (1 + draw(18));

    return 1 + draw(most < LONGEST ? most : LONGEST);
}

static void compute(int microseconds)
{
    double until = MPI_Wtime() + 1e-6 * microseconds;

    while (MPI_Wtime() < until) {
    }
}

/** Put pieces to a target, with gaps between them, and note what it must have then. */
static void put_pieces(struct test_window *window, int target, int stops)
{
    int at, length;

    for (at = draw(100); at < BYTES; at += length + draw(3) * draw(5000)) {
        length = draw_length();
        length = length < BYTES - at ? length : BYTES - at;
        memcpy(expected + at, out + at, (size_t) length);
        MPI_Put(out + at, length, MPI_BYTE, target, test_at(window, target, at), length, MPI_BYTE, window->win);
        if (0 == draw(8)) {
            MPI_Win_flush(target, window->win);
        }
        if (stops && 0 == draw(4)) {
            compute(draw(40));
        }
    }
    MPI_Win_flush(target, window->win);
}

/** Get all of a target's memory in pieces, and compare. Returns how many bytes are wrong. */
static int get_pieces(struct test_window *window, int target, int stops)
{
    int at, length, wrong = 0;

    memset(back, 0, sizeof(back));
    for (at = 0; at < BYTES; at += length) {
        length = draw_length();
        length = length < BYTES - at ? length : BYTES - at;
        MPI_Get(back + at, length, MPI_BYTE, target, test_at(window, target, at), length, MPI_BYTE, window->win);
        if (stops && 0 == draw(4)) {
            compute(draw(40));
        }
    }
    MPI_Win_flush_local(target, window->win);
    for (at = 0; at < BYTES; at++) {
        wrong += back[at] != expected[at];
    }
    return wrong;
}

/** Who is not active waits in MPI. */
static void round_of(struct test_window *window, int number, int active, int stops)
{
    const int target = (test_rank + 1) % test_size;
    int i, wrong = 0;

    for (i = 0; i < BYTES; i++) {
        out[i] = (unsigned char) (seed >> (i % 50)) ^ (unsigned char) (i * 7 + number);
    }
    MPI_Barrier(window->comm);
    if (active) {
        put_pieces(window, target, stops);
    }
    MPI_Barrier(window->comm);
    if (active) {
        wrong = get_pieces(window, target, stops);
    }
    CHECK(0 == wrong, "round %d%s: %d bytes are wrong", number, stops ? ", processes compute between calls" : "",
          wrong);
    MPI_Barrier(window->comm);
}

static void rounds(enum test_flavor flavor)
{
    struct test_window window;
    int number, all;

    if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
        return;
    }
    test_window_open(&window, flavor, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
    memset(expected, 0, sizeof(expected));
    MPI_Win_lock_all(0, window.win);
    for (number = 0; number < ROUNDS; number++) {
        all = number % 3;
        round_of(&window, number, 0 != all || 0 == test_rank, 0 == number % 2);
    }
    MPI_Win_unlock_all(window.win);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    seed = (uint64_t) test_rank + 1;
    rounds(TEST_CREATE);
    rounds(TEST_DYNAMIC);
    return test_finish();
}
