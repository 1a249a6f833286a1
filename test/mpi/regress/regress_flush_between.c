/* A thread's flush completes what that thread has put, also if another thread's flush came in between while a long put
 * waited for the lock. The target stops meanwhile; the origin looks at its memory, which is of a file.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "stopped.h"
#include "windows.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { INTS = 10000 }; /* too long to share a message with others, too short for several */

static const double stopped_for = 1.0, locked_for = 0.6;
static MPI_Win win;

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
    kill((pid_t) (intptr_t) argument, SIGCONT);
    return NULL;
}

/** The memory of rank 1, which rank 0 sees, too. */
static int *open_memory(void)
{
    char name[64] = "/tmp/regress_flush_between.XXXXXX";
    int file = 1 == test_rank ? mkstemp(name) : -1;
    void *memory;

    MPI_Bcast(name, sizeof(name), MPI_CHAR, 1, MPI_COMM_WORLD);
    if (0 == test_rank) {
        file = open(name, O_RDWR);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    unlink(name);
    CHECK(0 == ftruncate(file, INTS * sizeof(int)), "no file %s", name);
    memory = mmap(NULL, INTS * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(MAP_FAILED != memory, "cannot map %s", name);
    close(file);
    return memory;
}

static void put_and_flush(pid_t target, const int *values, const volatile int *theirs)
{
    pthread_t flusher, waker;
    int late = 0;

    pthread_create(&waker, NULL, continue_later, (void *) (intptr_t) target);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(values, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    pthread_create(&flusher, NULL, flush_while_locked, NULL);
    MPI_Put(values, INTS, MPI_INT, 1, 0, INTS, MPI_INT, win); /* waits for the lock, maybe */
    MPI_Win_flush(1, win);
    for (int i = 0; i < INTS; i++) {
        late += values[i] != theirs[i];
    }
    CHECK(0 == late, "MPI_Win_flush returned, and %d of %d elements were not there", late, INTS);
    pthread_join(flusher, NULL);
    pthread_join(waker, NULL);
    MPI_Win_unlock(1, win);
}

int main(int argc, char **argv)
{
    static int values[INTS];
    int pids[2], pid = (int) getpid(), *memory;

    setenv("OMPI_MCA_osc_ucp_kernel_copy", "0", 1); /* else the puts need no target */
    test_init_threads(&argc, &argv);
    if (2 != test_size || !test_one_node(MPI_COMM_WORLD)) {
        test_skip("needs 2 processes on one host: the one stops itself, the other wakes it up");
    }
    MPI_Allgather(&pid, 1, MPI_INT, pids, 1, MPI_INT, MPI_COMM_WORLD);
    memory = open_memory();
    for (int i = 0; i < INTS; i++) {
        values[i] = i + 1;
    }
    MPI_Win_create(memory, INTS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (1 == test_rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == test_rank) {
        put_and_flush(pids[1], values, memory);
    } else {
        usleep((useconds_t) (locked_for * 1e6));
        MPI_Win_unlock(1, win);
        raise(SIGSTOP);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    return test_finish();
}
