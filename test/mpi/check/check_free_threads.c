/* osc_ucp_check and MPI_THREAD_MULTIPLE: a window is freed while progress of other threads completes its requests.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <pthread.h>

enum { THREADS = 4, TIMES = 300, REQUESTS = 4 };

static int over; /* atomic */

static void *progress(void *unused)
{
    int flag;

    while (0 == __atomic_load_n(&over, __ATOMIC_RELAXED)) {
        MPI_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
    }
    return unused;
}

/** The unlock completes the operations, so the window may be freed before their requests. */
static void put_and_free(void)
{
    const long value = 1;
    long memory[REQUESTS] = { 0 };
    MPI_Request requests[REQUESTS];
    MPI_Win win;

    MPI_OK(MPI_Win_create(memory, sizeof(memory), sizeof(long), MPI_INFO_NULL, MPI_COMM_SELF, &win));
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
    for (int i = 0; i < REQUESTS; i++) {
        MPI_OK(MPI_Rput(&value, 1, MPI_LONG, 0, i, 1, MPI_LONG, win, &requests[i]));
    }
    MPI_OK(MPI_Win_unlock(0, win));
    MPI_OK(MPI_Win_free(&win));
    MPI_OK(MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < REQUESTS; i++) {
        CHECK(value == memory[i], "element %d is %ld", i, memory[i]);
    }
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    setenv("OMPI_MCA_osc_ucp_check", "1", 1);
    test_init_threads(&argc, &argv);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, progress, NULL);
    }
    for (int i = 0; i < TIMES; i++) {
        put_and_free();
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    return test_finish();
}
