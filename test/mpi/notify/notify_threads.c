/* Several threads notify at once, and wait for their own counters in all ways of waiting; and all raise one counter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include "osc_ucp_ext.h"

#include <pthread.h>

enum { THREADS = 3, ROUNDS = 100 };
enum { LEFT, RIGHT, SIDES };

/* Counter SIDES * thread + side: that neighbour's put. The last one is for all. */
#define ALL (SIDES * THREADS)

static struct test_window window;

/* A place for even and one for odd rounds: a neighbour is at most one round ahead. */
static MPI_Aint place(int thread, int side, int round)
{
    return (MPI_Aint) sizeof(long) * (SIDES * (2 * thread + round % 2) + side);
}

static void send(int target, int side, int thread, int round, const long *value)
{
    MPI_Aint at = test_at(&window, target, place(thread, side, round));

    MPI_OK(MPIX_Put_notify(value, 1, MPI_LONG, target, at, 1, MPI_LONG, SIDES * thread + side, window.win));
}

/* Each thread has its own way. */
static void await(int side, int thread, MPI_Count expected)
{
    int index = SIDES * thread + side, done = 0;
    MPI_Request request;
    MPI_Count value = 0;

    switch (thread) {
    case 0:
        MPI_OK(MPIX_Win_notify_wait(window.win, index, expected, &value));
        break;
    case 1:
        MPI_OK(MPIX_Win_notify_threshold(window.win, index, expected, &request));
        while (!done) { /* MPI_Wait's own lock is one that ThreadSanitizer complains of */
            MPI_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        }
        break;
    default:
        while (value < expected) {
            MPI_OK(MPIX_Win_get_notify_value(window.win, index, &value));
        }
    }
}

static void *run(void *argument)
{
    int thread = (int) (intptr_t) argument, left = (test_rank + test_size - 1) % test_size;
    int right = (test_rank + 1) % test_size, round;

    for (round = 0; round < ROUNDS; round++) {
        long value = 1000L * round + 10 * test_rank + thread, got[SIDES];

        send(left, RIGHT, thread, round, &value);
        send(right, LEFT, thread, round, &value);
        MPI_OK(MPIX_Put_notify(NULL, 0, MPI_BYTE, right, test_at(&window, right, 0), 0, MPI_BYTE, ALL, window.win));
        MPI_OK(MPI_Win_flush_local_all(window.win));
        await(LEFT, thread, round + 1);
        await(RIGHT, thread, round + 1);
        got[LEFT] = *(volatile long *) (window.base + place(thread, LEFT, round));
        got[RIGHT] = *(volatile long *) (window.base + place(thread, RIGHT, round));
        CHECK(1000L * round + 10 * left + thread == got[LEFT] && 1000L * round + 10 * right + thread == got[RIGHT],
              "thread %d, round %d: %ld and %ld when they are counted", thread, round, got[LEFT], got[RIGHT]);
    }
    return NULL;
}

static void flavor_run(enum test_flavor flavor)
{
    pthread_t threads[THREADS];
    MPI_Count value = 0;
    int i;

    test_window_open(&window, flavor, place(THREADS, 0, 0), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPIX_Win_set_num_notify(window.win, MPI_INFO_NULL, ALL + 1));
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, (void *) (intptr_t) i);
    }
    for (i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    MPI_OK(MPIX_Win_notify_wait(window.win, ALL, THREADS * ROUNDS, &value));
    CHECK(THREADS * ROUNDS == value, "all threads' counter is %lld", (long long) value);
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor;

    test_init_threads(&argc, &argv);
    for (flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            flavor_run(flavor);
        }
    }
    return test_finish();
}
