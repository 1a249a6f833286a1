/* Long puts, gets and accumulates of any length, to targets that do the same, that wait, or that stop to poll in the
 * midst of them: all data arrive, once, and nothing else changes. Also with types of many blocks.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A component may have both processes copy at once, in parts, and must end that when the target computes.
 */

#include "windows.h"

#define BYTES (1 << 20)
#define LONGEST 150000
#define ROUNDS 60
#define BLOCKS 2000

static _Alignas(8) unsigned char out[BYTES], back[BYTES], expected[BYTES];

static struct {
    MPI_Datatype type;
    int          n, lengths[BLOCKS], places[BLOCKS];
} blocks;

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

/** Make a type of up to BLOCKS blocks before a place, some long, with gaps. */
static void blocks_make(int end)
{
    const int most = 1 + draw(BLOCKS), longest = 0 == draw(3) ? 1000 : 40;
    int at = 0;

    for (blocks.n = 0; blocks.n < most; blocks.n++) {
        blocks.lengths[blocks.n] = 1 + draw(longest);
        blocks.places[blocks.n]  = at + draw(30);
        at                       = blocks.places[blocks.n] + blocks.lengths[blocks.n] + 1;
        if (at > end) {
            break;
        }
    }
    MPI_Type_indexed(blocks.n, blocks.lengths, blocks.places, MPI_BYTE, &blocks.type);
    MPI_Type_commit(&blocks.type);
}

/** Put blocks to a target, and note what it must have then. */
static void put_blocks(struct test_window *window, int target)
{
    const int at = draw(BYTES);
    int i;

    blocks_make(BYTES - at);
    for (i = 0; i < blocks.n; i++) {
        memcpy(expected + at + blocks.places[i], out + at + blocks.places[i], (size_t) blocks.lengths[i]);
    }
    MPI_Put(out + at, 1, blocks.type, target, test_at(window, target, at), 1, blocks.type, window->win);
    MPI_Win_flush(target, window->win);
    MPI_Type_free(&blocks.type);
}

/** Get blocks of a target's memory, and compare; the gaps must stay as they are. Returns how many bytes are wrong. */
static int get_blocks(struct test_window *window, int target)
{
    const int at = draw(BYTES);
    int i, j, next, wrong = 0;

    blocks_make(BYTES - at);
    memset(back, 0x5a, sizeof(back));
    MPI_Get(back + at, 1, blocks.type, target, test_at(window, target, at), 1, blocks.type, window->win);
    MPI_Win_flush(target, window->win);
    for (i = next = 0; i < blocks.n; i++) {
        for (j = next; j < blocks.places[i]; j++) {
            wrong += 0x5a != back[at + j];
        }
        next = blocks.places[i] + blocks.lengths[i];
        wrong += 0 != memcmp(back + at + blocks.places[i], expected + at + blocks.places[i],
                             (size_t) blocks.lengths[i]);
    }
    MPI_Type_free(&blocks.type);
    return wrong;
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
        if (0 == draw(6)) {
            MPI_Win_flush(target, window->win);
            put_blocks(window, target);
        }
    }
    MPI_Win_flush(target, window->win);
}

/** What a target must have after an accumulate: sums carry from byte to byte. */
static void expect_combined(int at, int length, MPI_Op op)
{
    uint64_t *have = (uint64_t *) (expected + at);
    const uint64_t *data = (const uint64_t *) (out + at);
    int i;

    for (i = 0; i < length / 8; i++) {
        have[i] = MPI_SUM == op ? have[i] + data[i] : have[i] ^ data[i];
    }
}

/** Combine pieces with a target's memory. Whatever is done twice, or not at all, is wrong afterwards. */
static void combine_pieces(struct test_window *window, int target, int stops)
{
    MPI_Op op = MPI_SUM;
    int at, length, again;

    for (at = 0; at < BYTES; at += length + 8 * draw(2) * draw(600)) {
        length = (draw_length() + 7) / 8 * 8;
        length = length < BYTES - at ? length : BYTES - at;
        op = 0 == draw(6) ? (MPI_SUM == op ? MPI_BXOR : MPI_SUM) : op;
        for (again = draw(3); again < 3; again += 2) {
            expect_combined(at, length, op);
            MPI_Accumulate(out + at, length / 8, MPI_UINT64_T, target, test_at(window, target, at), length / 8,
                           MPI_UINT64_T, op, window->win);
        }
        if (stops && 0 == draw(4)) {
            compute(draw(40));
        }
        if (0 == draw(8)) {
            MPI_Win_flush(target, window->win);
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
        combine_pieces(window, target, stops);
    }
    MPI_Barrier(window->comm);
    if (active) {
        wrong = get_pieces(window, target, stops) + get_blocks(window, target);
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
