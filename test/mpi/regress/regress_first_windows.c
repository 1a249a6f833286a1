/* The first windows of a process, created by several threads at once on communicators of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, WINDOWS = 20, CELLS = 64 };

static MPI_Comm comms[THREADS];
static int one_node;

static void try_window(int thread, int number, int shared)
{
    int *base, value = thread * 1000 + number;
    MPI_Win win;

    if (shared) {
        MPI_Win_allocate_shared(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, comms[thread], &base, &win);
    } else {
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, comms[thread], &base, &win);
    }
    memset(base, 0xff, CELLS * sizeof(int));
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_INT, (test_rank + 1) % test_size, 5, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(value == base[5], "thread %d, window %d: %d, not %d", thread, number, base[5], value);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
}

static void *run(void *argument)
{
    int thread = (int) (intptr_t) argument;

    usleep((useconds_t) (thread * 3000));
    for (int number = 0; number < WINDOWS; number++) {
        try_window(thread, number, one_node && number % 2);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    if (provided < MPI_THREAD_MULTIPLE) {
        test_skip("this MPI has no MPI_THREAD_MULTIPLE");
    }
    one_node = test_one_node(MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (intptr_t i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, run, (void *) i);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        MPI_Comm_free(&comms[i]);
    }
    return test_finish();
}
