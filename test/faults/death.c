/* One process dies by SIGKILL while the others wait for it; mpirun must end the job.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: death lock | epoch | contact | free | compute | exec
 *
 * Rank 1 dies; the time is printed, as seconds since 1970. With three processes rank 2 has nothing to do with it.
 * exec: it becomes another program instead, which mpirun does not notice, but the kernel's copies do.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { BYTES = 1 << 20 };

static void tell_death(void)
{
    struct timeval now;

    gettimeofday(&now, NULL);
    printf("died %ld\n", (long) now.tv_sec);
    fflush(stdout);
}

static void die(void)
{
    tell_death();
    raise(SIGKILL);
}

/** Rank 1 becomes another program while the others have the kernel copy to its memory and from there. */
static void become_another(int rank, char *buffer, MPI_Win win)
{
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == rank) {
        usleep(100000);
        tell_death();
        execlp("sleep", "sleep", "1000", (char *) NULL);
    }
    for (;;) {
        MPI_Put(buffer, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Accumulate(buffer, 1000, MPI_INT, 1, 0, 1000, MPI_INT, MPI_SUM, win);
        MPI_Get(buffer, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Win_flush(1, win);
    }
}

int main(int argc, char **argv)
{
    static char memory[BYTES], buffer[BYTES];
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Win win;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (0 == strcmp(how, "lock")) { /* the lock is of rank 0's memory, and everybody wants it */
        if (1 == rank) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Put(buffer, 8, MPI_BYTE, 0, 0, 8, MPI_BYTE, win);
            MPI_Win_flush(0, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (1 == rank) {
            die();
        }
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Win_unlock(0, win);
    } else if (0 == strcmp(how, "epoch")) {
        MPI_Win_lock_all(0, win);
        for (int i = 0; 1 == rank || i < 1000000; i++) {
            MPI_Put(buffer, BYTES, MPI_BYTE, 1 == rank ? 0 : 1, 0, BYTES, MPI_BYTE, win);
            MPI_Accumulate(buffer, 1000, MPI_INT, 1 == rank ? 0 : 1, 0, 1000, MPI_INT, MPI_SUM, win);
            if (1 == rank && i == 20) {
                die();
            }
            MPI_Win_flush(1 == rank ? 0 : 1, win);
        }
        MPI_Win_unlock_all(win);
    } else if (0 == strcmp(how, "contact")) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (1 == rank) {
            die();
        }
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Get(buffer, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Win_unlock(1, win);
    } else if (0 == strcmp(how, "free")) {
        MPI_Win_fence(0, win);
        if (1 == rank) {
            die();
        }
    } else if (0 == strcmp(how, "exec")) {
        become_another(rank, buffer, win);
    } else { /* nobody is inside MPI */
        MPI_Win_fence(0, win);
        if (1 == rank) {
            die();
        }
        for (;;) {
            continue;
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
