/* A series of short operations with notification leaves without any call on its window: the origin waits in MPI_Recv
 * for whoever waits for the counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

enum { COUNTERS = 12, EACH = 10, PLACES = COUNTERS * EACH, ROUNDS = 60 };

static struct test_window window;
static long data[PLACES];

static long word(int round, int n)
{
    return 1 + n + (long) PLACES * round;
}

/* The counter of the n-th operation of a round. In odd rounds it is another one each time. */
static int counter_of(int round, int n)
{
    return round % 2 ? n % COUNTERS : n / EACH;
}

static int place_of(int round, int n)
{
    return EACH * counter_of(round, n) + (round % 2 ? n / COUNTERS : n % EACH);
}

/* Rank 0. Every third round has puts and accumulates in turns. */
static void produce(int round)
{
    int n;

    for (n = 0; n < PLACES; n++) {
        MPI_Aint place = test_at(&window, 1, place_of(round, n) * (MPI_Aint) sizeof(long));

        data[n] = word(round, n);
        if (round % 3 || n % 20 < 10) {
            MPI_OK(MPIX_Put_notify(&data[n], 1, MPI_LONG, 1, place, 1, MPI_LONG, counter_of(round, n), window.win));
        } else {
            MPI_OK(MPIX_Accumulate_notify(&data[n], 1, MPI_LONG, 1, place, 1, MPI_LONG, MPI_REPLACE,
                                          counter_of(round, n), window.win));
        }
    }
    MPI_OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Win_flush_local(1, window.win));
}

/* Rank 1. */
static void consume(int round)
{
    const volatile long *mine = (const volatile long *) window.base;
    int n, wrong = 0;
    MPI_Count count = 0;

    for (n = 0; n < PLACES; n++) {
        MPI_OK(MPIX_Win_notify_wait(window.win, counter_of(round, n), (MPI_Count) EACH * (round + 1), &count));
        wrong += mine[place_of(round, n)] != word(round, n);
    }
    CHECK(0 == wrong, "%s, round %d: %d words are not there when they are counted", test_flavor_name[window.flavor],
          round, wrong);
    MPI_OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
}

enum { PIECE = 150, PIECES = 3, PIECE_ROUNDS = 40 }; /* words */

/* Three puts of longer pieces leave together: the first two are one piece here, the last two one piece there. */
static void pieces_run(enum test_flavor flavor)
{
    static const int from[PIECES] = { 0, PIECE, 4 * PIECE }, to[PIECES] = { 0, 2 * PIECE, 4 * PIECE };
    static const int words[PIECES] = { PIECE, 2 * PIECE, PIECE };
    static long pieces[5 * PIECE];
    int round, n, i, wrong;
    MPI_Count count = 0;

    test_window_open(&window, flavor, 5 * PIECE * (MPI_Aint) sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, 1));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (round = 1; round <= PIECE_ROUNDS && test_rank < 2; round++) {
        if (0 == test_rank) {
            for (i = 0; i < 5 * PIECE; i++) {
                pieces[i] = (long) round * 5 * PIECE + i;
            }
            for (n = 0; n < PIECES; n++) {
                MPI_OK(MPIX_Put_notify(&pieces[from[n]], words[n], MPI_LONG, 1,
                                       test_at(&window, 1, to[n] * (MPI_Aint) sizeof(long)), words[n], MPI_LONG, 0,
                                       window.win));
            }
            MPI_OK(MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
            MPI_OK(MPI_Win_flush_local(1, window.win));
            continue;
        }
        MPI_OK(MPIX_Win_notify_wait(window.win, 0, (MPI_Count) PIECES * round, &count));
        for (n = wrong = 0; n < PIECES; n++) {
            for (i = 0; i < words[n]; i++) {
                wrong += ((const volatile long *) window.base)[to[n] + i] != (long) round * 5 * PIECE + from[n] + i;
            }
        }
        CHECK(0 == wrong, "%s, round %d: %d words of pieces are not there", test_flavor_name[flavor], round, wrong);
        MPI_OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
}

static void flavor_run(enum test_flavor flavor)
{
    int round;

    test_window_open(&window, flavor, PLACES * (MPI_Aint) sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, COUNTERS));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (round = 0; round < ROUNDS && test_rank < 2; round++) {
        if (0 == test_rank) {
            produce(round);
        } else {
            consume(round);
        }
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor;

    test_init(&argc, &argv);
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavor_run(flavor);
            pieces_run(flavor);
        }
    }
    return test_finish();
}
