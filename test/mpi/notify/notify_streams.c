/* Long puts and gets with notification, to a target that waits, or that stops to poll in the midst of them: each is
 * counted once, and not before its data have arrived or have been read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A component may have both processes copy, in parts, and may end that when the target computes. notify_streams_threads
 * is the same with a second thread of the target that polls; the origin has no threads.
 */
#include "windows.h"

#include "osc_ucp_ext.h"

#include <pthread.h>

#ifdef THREADS
enum { ROUNDS = 50 };
#else
enum { ROUNDS = 300 };
#endif
enum { MOST = 4, LONGEST = 40000, WORDS = MOST * LONGEST, COUNTERS = 3 };

static struct test_window window;
static long data[WORDS];
static int number[ROUNDS], length[ROUNDS][MOST]; /* of operations in a round, and their words */

/* Both processes draw the same: lengths of all magnitudes. */
static void draw_all(void)
{
    uint64_t seed = 1;
    int round, n;

    for (round = 0; round < ROUNDS; round++) {
        number[round] = 1 + round % MOST;
        for (n = 0; n < MOST; n++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            length[round][n] = 1 + (int) ((seed >> 33) % LONGEST) % (64 << (seed >> 60) % 11);
        }
    }
}

static long word(int round, int i)
{
    return (long) round * WORDS + i;
}

static int is_get(int round)
{
    return 2 == round % 3;
}

/* Rank 0. */
static void produce(int round)
{
    int n, i, wrong = 0;

    for (i = 0; i < WORDS; i++) {
        data[i] = is_get(round) ? -1 : word(round, i);
    }
    for (n = 0; n < number[round]; n++) {
        long *mine = data + n * LONGEST;
        MPI_Aint place = test_at(&window, 1, n * LONGEST * (MPI_Aint) sizeof(long));

        if (is_get(round)) {
            MPI_OK(MPIX_Get_notify(mine, length[round][n], MPI_LONG, 1, place, length[round][n], MPI_LONG,
                                   n % COUNTERS, window.win));
        } else {
            MPI_OK(MPIX_Put_notify(mine, length[round][n], MPI_LONG, 1, place, length[round][n], MPI_LONG,
                                   n % COUNTERS, window.win));
        }
    }
    MPI_OK(MPI_Win_flush(1, window.win));
    for (n = 0; n < number[round] && is_get(round); n++) {
        for (i = 0; i < length[round][n]; i++) {
            wrong += data[n * LONGEST + i] != word(round, n * LONGEST + i);
        }
    }
    CHECK(0 == wrong, "round %d: %d words of gets were read too late", round, wrong);
}

static void compute(int microseconds)
{
    double until = MPI_Wtime() + 1e-6 * microseconds;

    while (MPI_Wtime() < until) {
    }
}

/* Wait for a counter: in odd rounds by a few looks at a time. */
static void await(int round, int counter, MPI_Count expected)
{
    MPI_Count count = 0;
    int looks = 0;

    if (0 == round % 2) {
        MPI_OK(MPIX_Win_notify_wait(window.win, counter, expected, &count));
    }
    while (count < expected) {
        MPI_OK(MPIX_Win_get_notify_value(window.win, counter, &count));
        if (0 == ++looks % (round % 5 + 1)) {
            compute(round % 7 * 3);
        }
    }
}

/* Rank 1: `expected` counts all rounds. Behind the count of a get it overwrites what was read. */
static void consume(int round, MPI_Count *expected)
{
    volatile long *mine = (volatile long *) window.base;
    int n, i, wrong = 0;

    for (n = 0; n < number[round]; n++) {
        expected[n % COUNTERS]++;
    }
    for (n = 0; n < COUNTERS; n++) {
        await(round, n, expected[n]);
    }
    for (n = 0; n < number[round]; n++) {
        for (i = n * LONGEST; i < n * LONGEST + length[round][n]; i++) {
            wrong += !is_get(round) && mine[i] != word(round, i);
            if (is_get(round)) {
                mine[i] = -2;
            }
        }
    }
    CHECK(0 == wrong, "round %d: %d words are not there when they are counted", round, wrong);
}

/* All operations are over: nothing is counted twice. */
static void counts_check(int round, const MPI_Count *expected)
{
    MPI_Count count;
    int n;

    for (n = 0; n < COUNTERS; n++) {
        MPI_OK(MPIX_Win_get_notify_value(window.win, n, &count));
        CHECK(expected[n] == count, "round %d: counter %d is %lld, not %lld", round, n, (long long) count,
              (long long) expected[n]);
    }
}

/* MPI_Wait's own lock is one that ThreadSanitizer complains of. */
static void meet(void)
{
    MPI_Request request;
    int done = 0;

    MPI_OK(MPI_Ibarrier(MPI_COMM_WORLD, &request));
    while (!done) {
        MPI_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
}

static void rounds(void)
{
    MPI_Count expected[COUNTERS] = { 0 };
    int round, i;

    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < WORDS && 1 == test_rank && is_get(round); i++) {
            ((long *) window.base)[i] = word(round, i);
        }
        MPI_OK(MPI_Win_sync(window.win));
        meet();
        if (0 == test_rank) {
            produce(round);
        } else if (1 == test_rank) {
            consume(round, expected);
        }
        meet();
        if (1 == test_rank) {
            counts_check(round, expected);
        }
    }
}

#ifdef THREADS
static int over; /* atomic */

static void *polls(void *unused)
{
    MPI_Count count;

    (void) unused;
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        MPI_OK(MPIX_Win_get_notify_value(window.win, 0, &count));
    }
    return NULL;
}

static void run(void)
{
    pthread_t thread;

    __atomic_store_n(&over, 0, __ATOMIC_RELAXED);
    if (1 == test_rank) {
        pthread_create(&thread, NULL, polls, NULL);
    }
    rounds();
    if (1 == test_rank) {
        __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
        pthread_join(thread, NULL);
    }
}

static void init(int *argc, char ***argv)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (NULL != rank && 0 == strcmp(rank, "1")) {
        test_init_threads(argc, argv);
    } else {
        test_init(argc, argv);
    }
}
#else
#define init test_init
#define run rounds
#endif

static void flavor_run(enum test_flavor flavor)
{
    test_window_open(&window, flavor, WORDS * (MPI_Aint) sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, COUNTERS));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    run();
    MPI_OK(MPI_Win_unlock_all(window.win));
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    init(&argc, &argv);
    test_needs(2);
    draw_all();
    flavor_run(TEST_CREATE);
    flavor_run(TEST_DYNAMIC);
    return test_finish();
}
