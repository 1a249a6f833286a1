/* osc_ucp_check_schedule, and two threads with a window each: one waits for a lock, and the other one must go on, as
 * the lock's holder waits for it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>

enum { TIMES = 100000 };

static struct test_window first, second;
static int waits; /* the thread that waits for the lock is about to; atomic */

static void put(struct test_window *window, int target)
{
    static const int one = 1;

    MPI_OK(MPI_Put(&one, 1, MPI_INT, target, 0, 1, MPI_INT, window->win));
    MPI_OK(MPI_Win_flush(target, window->win));
}

/** Rank 1 has locked its memory of the first window. */
static void *want(void *unused)
{
    MPI_OK(MPI_Win_lock_all(0, first.win));
    __atomic_store_n(&waits, 1, __ATOMIC_RELEASE);
    put(&first, 1);
    MPI_OK(MPI_Win_unlock_all(first.win));
    return unused;
}

static void go_on(void)
{
    while (0 == __atomic_load_n(&waits, __ATOMIC_ACQUIRE)) {
        continue;
    }
    for (int i = 0; i < TIMES; i++) {
        put(&second, 0);
    }
    MPI_OK(MPI_Win_unlock(0, second.win)); /* rank 1 waits for this */
}

int main(int argc, char **argv)
{
    pthread_t thread;

    setenv("OMPI_MCA_osc_ucp_check_schedule", "11", 0);
    test_init_threads(&argc, &argv);
    test_needs(2);
    test_window_open(&first, TEST_ALLOCATE, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
    test_window_open(&second, TEST_ALLOCATE, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, 0 == test_rank ? second.win : first.win));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == test_rank) {
        pthread_create(&thread, NULL, want, NULL);
        go_on();
        pthread_join(thread, NULL);
    } else {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, second.win));
        MPI_OK(MPI_Win_unlock(0, second.win));
        MPI_OK(MPI_Win_unlock(1, first.win));
    }
    test_window_close(&second);
    CHECK(0 == test_rank || 1 == *(int *) first.base, "%d was put", *(int *) first.base);
    test_window_close(&first);
    return test_finish();
}
