/* Two threads of a target poll at once, each in a window of its own, and each copies long accumulates of an origin that
 * has no threads.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>

enum { WINDOWS = 2, COUNT = 20000, TIMES = 100 };

static struct test_window windows[WINDOWS];
static long numbers[COUNT];

/** The element behind the numbers is 1 when the origin is ready. */
static void *target_polls(void *window_)
{
    struct test_window *window = window_;
    const volatile long *ready = (const volatile long *) window->base + COUNT;
    double end = MPI_Wtime() + test_patience();

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window->win));
    while (0 == *ready && MPI_Wtime() < end) {
        MPI_OK(MPI_Win_flush(0, window->win));
    }
    CHECK(1 == *ready, "an origin is not ready");
    MPI_OK(MPI_Win_unlock(0, window->win));
    return NULL;
}

static void origin_adds(struct test_window *window)
{
    long one = 1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window->win));
    for (int i = 0; i < TIMES; i++) {
        MPI_OK(MPI_Accumulate(numbers, COUNT, MPI_LONG, 0, 0, COUNT, MPI_LONG, MPI_SUM, window->win));
        MPI_OK(MPI_Win_flush(0, window->win));
    }
    MPI_OK(MPI_Accumulate(&one, 1, MPI_LONG, 0, COUNT * sizeof(long), 1, MPI_LONG, MPI_SUM, window->win));
    MPI_OK(MPI_Win_unlock(0, window->win));
}

static void check(const struct test_window *window, int rank)
{
    const long *have = (const long *) window->base;
    int wrong = 0;

    for (int i = 0; i < COUNT; i++) {
        wrong += (long) TIMES * (rank * COUNT + i) != have[i];
    }
    CHECK(0 == wrong, "%d of %d numbers of rank %d are wrong", wrong, COUNT, rank);
}

/** Rank 0 may have several threads in MPI; the others need not, and do not. */
int main(int argc, char **argv)
{
    pthread_t thread[WINDOWS];
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (NULL != rank && 0 == strcmp(rank, "0")) {
        test_init_threads(&argc, &argv);
    } else {
        test_init(&argc, &argv);
    }
    test_needs(1 + WINDOWS);
    for (int i = 0; i < COUNT; i++) {
        numbers[i] = test_rank * COUNT + i;
    }
    for (int i = 0; i < WINDOWS; i++) {
        test_window_open(&windows[i], TEST_CREATE, (COUNT + 1) * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
    }
    for (int i = 0; i < WINDOWS && 0 == test_rank; i++) {
        pthread_create(&thread[i], NULL, target_polls, &windows[i]);
    }
    if (0 != test_rank && test_rank <= WINDOWS) {
        origin_adds(&windows[test_rank - 1]);
    }
    for (int i = 0; i < WINDOWS && 0 == test_rank; i++) {
        pthread_join(thread[i], NULL);
        check(&windows[i], i + 1);
    }
    for (int i = 0; i < WINDOWS; i++) {
        test_window_close(&windows[i]);
    }
    return test_finish();
}
