/* MPI_THREAD_MULTIPLE with 1, 2, 4 and 8 threads: epochs of MPI_Win_lock, on windows of a thread's own and on one that
 * all use, where threads lock different targets at the same time; then requests and flushes of all targets.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "windows.h"

#include <pthread.h>
#include <sched.h>

enum { MOST_THREADS = 8, ROUNDS = 48 /* of all threads */, MOST_TARGETS = 16 };

/* Word 0: a count under exclusive locks; word 1: of accumulates; word 2 + i: a place for thread i of all processes. */
static struct test_window common, own[MOST_THREADS];
static pthread_mutex_t targets[MOST_TARGETS]; /* a process may lock a target once at a time */
static int threads;

static void count(struct test_window *window, int target)
{
    MPI_Aint at = test_at(window, target, 0);
    long value = -1, one = 1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
    MPI_OK(MPI_Get(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_flush(target, window->win));
    value++;
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_unlock(target, window->win));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win));
    MPI_OK(MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(window, target, sizeof(long)), 1, MPI_LONG, MPI_SUM,
                          window->win));
    MPI_OK(MPI_Win_unlock(target, window->win));
}

static void *count_everywhere(void *argument)
{
    int thread = (int) (intptr_t) argument;

    for (int round = 0; round < ROUNDS / threads; round++) {
        int target = (test_rank + thread + round) % test_size;

        count(&own[thread], target);
        pthread_mutex_lock(&targets[target]);
        count(&common, target);
        pthread_mutex_unlock(&targets[target]);
    }
    return NULL;
}

/* Nothing but locks, of a target of the thread's own, for 20 ms: ends and begins of epochs meet. One process: its
 * threads shall run side by side. */
static void *lock_only(void *argument)
{
    int target = (int) (intptr_t) argument;
    double end = MPI_Wtime() + 0.02;

    while (target < test_size && MPI_Wtime() < end) {
        for (int i = 0; i < 10; i++) {
            MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, common.win));
            MPI_OK(MPI_Win_unlock(target, common.win));
        }
    }
    return NULL;
}

/* All threads of the process put, and each flush of all targets completes what its thread has put. */
static void *put_everywhere(void *argument)
{
    int thread = (int) (intptr_t) argument, place = 2 + test_rank * threads + thread;

    for (long round = 0; round < ROUNDS / threads; round++) {
        int target = (thread + (int) round) % test_size;
        MPI_Aint at = test_at(&common, target, place * (MPI_Aint) sizeof(long));
        long value = 1000 * place + round, again = value + 1, got = -1;
        MPI_Request request;

        MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, at, 1, MPI_LONG, common.win));
        MPI_OK(MPI_Win_flush_all(common.win));
        MPI_OK(MPI_Rget(&got, 1, MPI_LONG, target, at, 1, MPI_LONG, common.win, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        CHECK(value == got, "thread %d, round %ld: got %ld, not %ld", thread, round, got, value);
        MPI_OK(MPI_Rput(&again, 1, MPI_LONG, target, at, 1, MPI_LONG, common.win, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
        MPI_OK(MPI_Win_flush_all(common.win));
        MPI_OK(MPI_Get(&got, 1, MPI_LONG, target, at, 1, MPI_LONG, common.win));
        MPI_OK(MPI_Win_flush_local_all(common.win));
        CHECK(again == got, "thread %d, round %ld: got %ld, not %ld", thread, round, got, again);
    }
    return NULL;
}

static void run(void *(*body)(void *argument))
{
    pthread_t thread[MOST_THREADS];

    for (int i = 0; i < threads; i++) {
        pthread_create(&thread[i], NULL, body, (void *) (intptr_t) i);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
    }
}

static void check(const struct test_window *window, long wanted)
{
    const long *words = (const long *) window->base;
    long sums[2] = {words[0], words[1]}, totals[2];

    MPI_Allreduce(sums, totals, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(wanted == totals[0] && wanted == totals[1], "%s, %d threads: %ld under locks, %ld accumulates, not %ld",
          test_flavor_name[window->flavor], threads, totals[0], totals[1], wanted);
}

static void test(enum test_flavor flavor)
{
    MPI_Aint bytes = (2 + test_size * threads) * (MPI_Aint) sizeof(long);

    test_window_open(&common, flavor, bytes, MPI_INFO_NULL, MPI_COMM_WORLD);
    for (int i = 0; i < threads; i++) {
        test_window_open(&own[i], flavor, bytes, MPI_INFO_NULL, MPI_COMM_WORLD);
    }
    run(count_everywhere);
    if (0 == test_rank) {
        run(lock_only);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock_all(0, common.win)); /* an error if an epoch of MPI_Win_lock were thought to be open */
    run(put_everywhere);
    MPI_OK(MPI_Win_unlock_all(common.win));
    MPI_Barrier(MPI_COMM_WORLD);
    check(&common, (long) ROUNDS * test_size);
    test_window_close(&common);
    for (int i = 0; i < threads; i++) {
        check(&own[i], (long) ROUNDS / threads * test_size);
        test_window_close(&own[i]);
    }
}

/* mpirun may have bound the process to one processor. Its threads shall run side by side. */
static void unbind(void)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    if (0 != sched_setaffinity(0, sizeof(all), &all)) {
        perror("sched_setaffinity");
    }
}

int main(int argc, char **argv)
{
    test_init_threads(&argc, &argv);
    unbind();
    for (int i = 0; i < MOST_TARGETS; i++) {
        pthread_mutex_init(&targets[i], NULL);
    }
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (threads = 1; test_has_flavor(MPI_COMM_WORLD, flavor) && threads <= MOST_THREADS; threads *= 2) {
            test(flavor);
        }
    }
    return test_finish();
}
