/* A thread that waits for a lock keeps no other thread from locking.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <pthread.h>
#include <unistd.h>

static MPI_Win win[2];

/* Waits until rank 1 lets go, which it does when the other thread has been through. */
static void *lock_what_is_locked(void *argument)
{
    int one = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win[0]);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win[0]);
    MPI_Win_flush(1, win[0]);
    MPI_Win_unlock(1, win[0]);
    return argument;
}

static void lock_what_is_free(void)
{
    int one = 1;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win[1]);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win[1]);
    MPI_Win_unlock(1, win[1]);
}

int main(int argc, char **argv)
{
    int memory[2] = { 0 };
    pthread_t thread;

    test_init_threads(&argc, &argv);
    for (int i = 0; i < 2; i++) {
        MPI_Win_create(&memory[i], sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win[i]);
    }
    if (1 == test_rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        pthread_create(&thread, NULL, lock_what_is_locked, NULL);
        usleep(200000); /* that thread waits */
        lock_what_is_free();
        MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        pthread_join(thread, NULL);
    } else if (1 == test_rank) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(0 == memory[0] && 1 == memory[1], "memory is %d, %d", memory[0], memory[1]);
        MPI_Win_unlock(1, win[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        MPI_Win_free(&win[i]);
    }
    CHECK(1 != test_rank || 1 == memory[0], "the put has not come");
    return test_finish();
}
