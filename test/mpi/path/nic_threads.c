/* Accumulates of several threads to one target, natively and not by turns: those of one thread keep MPI's default
 * order, whatever the others wait for meanwhile. The target is asleep most of the time, and nobody answers for it, so
 * that they have to wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <pthread.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 100 };

static MPI_Win win;

/** Let the other threads come between two calls, now and then. */
static void pause_a_while(uint64_t *random)
{
    if (0 == test_random(random, 2)) {
        usleep((unsigned) test_random(random, 1000));
    }
}

/** (5 + 2) * 3 + 2 at an integer of the thread's own: only the product is no operation that networks have. */
static void *compute(void *argument)
{
    MPI_Aint at = *(const int *) argument;
    int64_t five = 5, two = 2, three = 3, result = -1;
    uint64_t random = (uint64_t) at;
    int target = test_neighbour(1);

    for (int round = 0; round < ROUNDS; round++) {
        MPI_OK(MPI_Accumulate(&five, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, MPI_REPLACE, win));
        pause_a_while(&random);
        MPI_OK(MPI_Accumulate(&two, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, MPI_SUM, win));
        pause_a_while(&random);
        MPI_OK(MPI_Accumulate(&three, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, MPI_PROD, win));
        pause_a_while(&random);
        MPI_OK(MPI_Accumulate(&two, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, MPI_SUM, win));
        pause_a_while(&random);
        MPI_OK(MPI_Fetch_and_op(NULL, &result, MPI_INT64_T, target, at, MPI_NO_OP, win));
        MPI_OK(MPI_Win_flush_local(target, win));
        CHECK(23 == result, "thread %d, round %d: (5 + 2) * 3 + 2 is %ld", (int) at, round, (long) result);
    }
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int numbers[THREADS], done = 0;
    MPI_Request all_done;
    int64_t *memory;

    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
    test_init_threads(&argc, &argv);
    MPI_Win_allocate(THREADS * sizeof(*memory), sizeof(*memory), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < THREADS && 0 == test_rank; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, compute, &numbers[i]);
    }
    for (int i = 0; i < THREADS && 0 == test_rank; i++) {
        pthread_join(threads[i], NULL);
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &all_done);
    while (!done) {
        MPI_Test(&all_done, &done, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return test_finish();
}
