/* Two threads flush one target: neither returns before what was put is there, even if the other asked first.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "stopped.h"
#include "windows.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static MPI_Win win;
static bool continued; /* the target may run again */

static void *flush(void *argument)
{
    MPI_Win_flush(1, win);
    return argument;
}

static void *continue_later(void *argument)
{
    sleep(1);
    __atomic_store_n(&continued, true, __ATOMIC_SEQ_CST);
    kill((pid_t) (intptr_t) argument, SIGCONT);
    return NULL;
}

static void flush_while_stopped(pid_t target)
{
    pthread_t flusher, waker;
    int one = 1;

    kill(target, SIGSTOP);
    test_await_stopped(target);
    pthread_create(&waker, NULL, continue_later, (void *) (intptr_t) target);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    pthread_create(&flusher, NULL, flush, NULL);
    usleep(200000); /* that thread has asked */
    MPI_Win_flush(1, win);
    CHECK(__atomic_load_n(&continued, __ATOMIC_SEQ_CST), "the target was stopped, and MPI_Win_flush returned");
    pthread_join(flusher, NULL);
    pthread_join(waker, NULL);
}

int main(int argc, char **argv)
{
    int memory = 0, pids[2], pid = (int) getpid(), provided;

    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1); /* else the put needs no target */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &test_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &test_size);
    if (2 != test_size || provided < MPI_THREAD_MULTIPLE) {
        test_skip("needs 2 processes and MPI_THREAD_MULTIPLE");
    }
    if (!test_one_node(MPI_COMM_WORLD)) {
        test_skip("the one must be able to stop the other: on one host only");
    }
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Win_create(&memory, sizeof(memory), sizeof(memory), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (0 == test_rank) { /* the first operation may have to wait for the target: it may lock */
        MPI_Put(&pid, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        flush(NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        usleep(100000); /* the target has left the barrier */
        flush_while_stopped(pids[1]);
    } else {
        usleep(400000);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return test_finish();
}
