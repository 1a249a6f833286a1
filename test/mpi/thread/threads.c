/* MPI_THREAD_MULTIPLE: four threads per process add, put, get and flush, on one window and on one of their own each.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"
#include <pthread.h>

enum { THREADS = 4, ROUNDS = 100 };

static struct test_window common, own[THREADS];

/* Word 0: a sum by everybody; word 1 + i: a place for thread number i of all threads of all processes. */
static void use(struct test_window *window, int place, long round)
{
    int target = (place + (int) round) % test_size;
    long one = 1, value = 1000 * place + round, got = -1, was = -1;

    MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, MPI_SUM, window->win);
    MPI_Put(&value, 1, MPI_LONG, target, test_at(window, target, (1 + place) * sizeof(long)), 1, MPI_LONG, window->win);
    MPI_Win_flush(target, window->win);
    MPI_Get(&got, 1, MPI_LONG, target, test_at(window, target, (1 + place) * sizeof(long)), 1, MPI_LONG, window->win);
    MPI_Fetch_and_op(&one, &was, MPI_LONG, target, test_at(window, target, 0), MPI_SUM, window->win);
    if (round % 2) {
        MPI_Win_flush_all(window->win);
    } else {
        MPI_Win_flush_local(target, window->win);
    }
    CHECK(value == got && was > 0, "place %d, round %ld: got %ld, fetched %ld", place, round, got, was);
}

static void *run(void *argument)
{
    int thread = (int) (intptr_t) argument;

    for (long round = 0; round < ROUNDS; round++) {
        use(&common, test_rank * THREADS + thread, round);
        use(&own[thread], test_rank, round);
    }
    return NULL;
}

static void check(struct test_window *window, long wanted)
{
    long sum = *(long *) window->base, total;

    MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(wanted == total, "the sum is %ld, not %ld", total, wanted);
}

int main(int argc, char **argv)
{
    enum test_flavor flavor = TEST_FLAVORS;
    pthread_t threads[THREADS];
    MPI_Aint size;

    test_init_threads(&argc, &argv);
    size = (1 + test_size * THREADS) * sizeof(long);
    while (flavor-- > TEST_CREATE) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&common, flavor, size, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, common.win);
        for (int i = 0; i < THREADS; i++) {
            test_window_open(&own[i], flavor, size, MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_lock_all(0, own[i].win);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_create(&threads[i], NULL, run, (void *) (intptr_t) i);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            MPI_Win_unlock_all(own[i].win);
        }
        MPI_Win_unlock_all(common.win);
        MPI_Barrier(MPI_COMM_WORLD);
        check(&common, 2L * ROUNDS * THREADS * test_size);
        test_window_close(&common);
        for (int i = 0; i < THREADS; i++) {
            check(&own[i], 2L * ROUNDS * test_size);
            test_window_close(&own[i]);
        }
    }
    return test_finish();
}
