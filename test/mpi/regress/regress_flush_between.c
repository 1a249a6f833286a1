/* A thread's flush completes what that thread has put, also if another thread's flush came in between while a long put
 * waited for the lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "stopped.h"
#include "windows.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { INTS = 10000 }; /* too long to share a message with others, too short for several */

static const double stopped_for = 1.0, locked_for = 0.6;
static MPI_Win win;
static int continued; /* atomic */

static void *flush_while_locked(void *argument)
{
    usleep((useconds_t) (locked_for / 2 * 1e6));
    MPI_Win_flush(1, win);
    return argument;
}

static void *continue_later(void *argument)
{
    test_await_stopped((pid_t) (intptr_t) argument);
    usleep((useconds_t) (stopped_for * 1e6));
    __atomic_store_n(&continued, 1, __ATOMIC_SEQ_CST);
    kill((pid_t) (intptr_t) argument, SIGCONT);
    return NULL;
}

static void put_and_flush(pid_t target, const int *values)
{
    pthread_t flusher, waker;

    pthread_create(&waker, NULL, continue_later, (void *) (intptr_t) target);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(values, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    pthread_create(&flusher, NULL, flush_while_locked, NULL);
    MPI_Put(values, INTS, MPI_INT, 1, 0, INTS, MPI_INT, win); /* waits for the lock, maybe */
    MPI_Win_flush(1, win);
    CHECK(__atomic_load_n(&continued, __ATOMIC_SEQ_CST), "the target was stopped, and MPI_Win_flush returned");
    pthread_join(flusher, NULL);
    pthread_join(waker, NULL);
    MPI_Win_unlock(1, win);
}

int main(int argc, char **argv)
{
    static int memory[INTS], values[INTS];
    int pids[2], pid = (int) getpid();

    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1); /* else the puts need no target */
    test_init_threads(&argc, &argv);
    if (2 != test_size || !test_one_node(MPI_COMM_WORLD)) {
        test_skip("needs 2 processes on one host: the one stops itself, the other wakes it up");
    }
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (1 == test_rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        put_and_flush(pids[1], values);
    } else {
        usleep((useconds_t) (locked_for * 1e6));
        MPI_Win_unlock(1, win);
        raise(SIGSTOP);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return test_finish();
}
