/* Several threads call for the same targets while these become known, without a service thread: each operation is
 * complete at the end of its epoch, whichever way it went.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>

enum { THREADS = 3, WINDOWS = 30, CALLS = 40, MANY = 20000 /* words: several fragments */ };

static struct test_window window;
static int units_differ;
static long values[CALLS], many[MANY], got[THREADS][CALLS]; /* buffers are in use until the epoch ends */

static int unit_of(int rank)
{
    return units_differ && rank % 2 ? sizeof(long) : 1;
}

static MPI_Aint at_word(int target, int word)
{
    return test_at(&window, target, word * (MPI_Aint)sizeof(long) / unit_of(target));
}

/* Word 0: a sum. Word 1 + i: a place for thread number i of all threads, which counts its calls there. Behind these,
 * many sums. */
static void *run(void *argument)
{
    const int thread = (int)(intptr_t)argument, place = test_rank * THREADS + thread;
    const int sums = 1 + test_size * THREADS;

    for (int call = 0; call < CALLS * test_size; call++) {
        const int target = (place + call) % test_size, i = call / test_size;
        const MPI_Aint mine = at_word(target, 1 + place);

        MPI_Accumulate(&values[0], 1, MPI_LONG, target, at_word(target, 0), 1, MPI_LONG, MPI_SUM, window.win);
        MPI_Accumulate(&values[i], 1, MPI_LONG, target, mine, 1, MPI_LONG, MPI_REPLACE, window.win);
        if (0 == call % test_size) {
            MPI_Get(&got[thread][i], 1, MPI_LONG, target, mine, 1, MPI_LONG, window.win);
        }
        if (1 == i) {
            MPI_Accumulate(many, MANY, MPI_LONG, target, at_word(target, sums), MANY, MPI_LONG, MPI_SUM, window.win);
        }
    }
    return NULL;
}

static void check(void)
{
    const long *words = (const long *)(void *)window.base, all = (long)test_size * THREADS;

    CHECK(CALLS * all == words[0], "%s: the sum is %ld", test_flavor_name[window.flavor], words[0]);
    for (int i = 1; i <= all; i++) {
        CHECK(CALLS == words[i], "%s: thread %d: %ld", test_flavor_name[window.flavor], i - 1, words[i]);
    }
    for (int i = 0; i < MANY; i++) {
        CHECK(many[i] * all == words[1 + all + i], "%s: sum %d is %ld", test_flavor_name[window.flavor], i,
              words[1 + all + i]);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    MPI_Info info;

    test_init_threads(&argc, &argv);
    for (int i = 0; i < CALLS; i++) {
        values[i] = i + 1;
    }
    for (int i = 0; i < MANY; i++) {
        many[i] = i + 1;
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    for (int i = 0; i < WINDOWS; i++) {
        units_differ = i / 2 % 2;
        test_window_open_unit(&window, i % 2 ? TEST_CREATE : TEST_ALLOCATE,
                              (1 + test_size * THREADS + MANY) * (MPI_Aint)sizeof(long), unit_of(test_rank), info,
                              MPI_COMM_WORLD);
        for (int epoch = 0; epoch < 2; epoch++) {
            memset(window.base, 0, (size_t)window.size);
            MPI_OK(MPI_Win_fence(0, window.win));
            for (intptr_t thread = 0; thread < THREADS; thread++) {
                pthread_create(&threads[thread], NULL, run, (void *)thread);
            }
            for (int thread = 0; thread < THREADS; thread++) {
                pthread_join(threads[thread], NULL);
            }
            MPI_OK(MPI_Win_fence(0, window.win));
            check();
            MPI_OK(MPI_Win_fence(0, window.win));
        }
        test_window_close(&window);
    }
    MPI_Info_free(&info);
    return test_finish();
}
