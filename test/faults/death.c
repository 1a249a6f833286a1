/* One process dies by SIGKILL while the others wait for it; mpirun must end the job.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: death lock | epoch | contact | free | compute | exec | handed | streamed | left | inside | held | added | few
 *
 * Rank 1 dies; the time is printed, as seconds since 1970. With three processes rank 2 has nothing to do with it.
 * exec: it becomes another program instead, which mpirun does not notice, but the kernel's copies do. handed: so it
 * does while it carries out what rank 0 or rank 2 has handed off to it; both must notice. streamed: it is a long put,
 * which both copy. left: so it does in the middle of a long put of its own; all others can still use that window.
 * inside: the same in attached memory, which its owner can still detach. held: in the middle of an accumulate, while
 * it holds the lock of the elements. added: the same in memory of MPI_Win_allocate.
 * few: the same of four elements.
 */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

static void become_sleep(void)
{
    tell_death();
    execlp("sleep", "sleep", "1000", (char *) NULL);
}

/** Rank 1 becomes another program while the others have the kernel copy to its memory and from there. */
static void become_another(int rank, char *buffer, MPI_Win win)
{
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == rank) {
        usleep(100000);
        become_sleep();
    }
    for (;;) {
        MPI_Put(buffer, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Accumulate(buffer, 1000, MPI_INT, 1, 0, 1000, MPI_INT, MPI_SUM, win);
        MPI_Get(buffer, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
        MPI_Win_flush(1, win);
    }
}

static volatile int *gone; /* in shared memory */

/** Accumulate with a request: else the kernel path would read the buffer for a stream, where it holds no stripe. */
static int with_request;

static void become_sleep_inside(int signal)
{
    (void) signal;
    *gone = 1;
    become_sleep();
}

/** Rank 1 does so in the middle of an accumulate, or of a long put, that another one has handed off to it: its memory
 *  is protected. The others may have tried before that to carry theirs out themselves. The one that has handed off
 *  nothing waits for a stripe that rank 1 holds, if it accumulates. */
static void become_another_inside(int rank, int puts, char *memory, char *buffer, MPI_Win win)
{
    const uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    volatile int   *own, *other;
    int             rc = MPI_SUCCESS, unit;
    MPI_Win         shared;
    MPI_Aint        bytes;

    MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &shared);
    *own = 0;
    MPI_Win_shared_query(shared, 1, &bytes, &unit, &gone);
    MPI_Win_shared_query(shared, 0 == rank ? 2 : 0, &bytes, &unit, &other);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    if (1 == rank) {
        signal(SIGSEGV, become_sleep_inside);
        mprotect((void *) (((uintptr_t) memory + page - 1) / page * page), BYTES / 2, PROT_NONE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    while (MPI_SUCCESS == rc || !*gone) {
        if (1 != rank && puts) {
            MPI_Put(buffer, BYTES / 2, MPI_BYTE, 1, 0, BYTES / 2, MPI_BYTE, win);
        } else if (1 != rank) {
            MPI_Accumulate(buffer, 4000, MPI_INT, 1, BYTES / 4, 4000, MPI_INT, MPI_SUM, win);
        }
        rc = MPI_Win_flush(1, win);
    }
    *own = 1;
    while (0 == *other) {
        usleep(1000);
    }
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/** Rank 1 does so in the middle of a long put to rank 0, which both copy: a part of the data is protected; or of a long
 *  accumulate, which begins where they are protected if it adds few elements. `adds`: how many; 0: it puts. */
static void leave(int rank, int attached, int adds, char *memory, char *buffer, MPI_Win win)
{
    const uintptr_t page      = (uintptr_t) sysconf(_SC_PAGESIZE);
    char           *forbidden = (char *) (((uintptr_t) buffer + page - 1) / page * page + BYTES / 4);
    char           *added     = adds < BYTES / 8 ? forbidden : buffer;
    MPI_Aint        at        = 0, bytes;
    MPI_Win         shared;
    MPI_Request     request;
    int             unit, flag;
    int            *own;

    MPI_Win_allocate_shared(sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, &shared);
    *own = 0;
    MPI_Win_shared_query(shared, 1, &bytes, &unit, &gone);
    if (attached) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_attach(win, memory, BYTES);
        MPI_Get_address(memory, &at);
    }
    MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    if (1 == rank) {
        signal(SIGSEGV, become_sleep_inside);
        mprotect(forbidden, BYTES / 4, PROT_NONE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    while (!*gone) { /* the kernel only refuses to copy: then rank 1 tries again */
        if (1 == rank && adds > 0) {
            if (with_request) {
                MPI_Raccumulate(added, adds, MPI_INT, 0, at, adds, MPI_INT, MPI_SUM, win, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            } else {
                MPI_Accumulate(added, adds, MPI_INT, 0, at, adds, MPI_INT, MPI_SUM, win);
            }
            MPI_Win_flush(0, win);
        } else if (1 == rank) {
            MPI_Put(buffer, BYTES / 2, MPI_BYTE, 0, at, BYTES / 2, MPI_BYTE, win);
            MPI_Win_flush(0, win);
        } else {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
    }
    for (int i = 0; i < 1000; i++) {
        MPI_Put(buffer, BYTES / 2, MPI_BYTE, 2 - rank, at, 0 == at ? BYTES / 2 : 0, MPI_BYTE, win);
        if (adds > 0) {
            MPI_Accumulate(buffer, BYTES / 8, MPI_INT, 2 - rank, at, BYTES / 8, MPI_INT, MPI_SUM, win);
        }
        MPI_Win_flush(2 - rank, win);
    }
    if (attached && 0 == rank) {
        MPI_Win_detach(win, memory);
    }
    if (0 == rank) {
        MPI_Recv(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (;;) {
        continue;
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
    } else if (0 == strcmp(how, "handed")) {
        become_another_inside(rank, 0, memory, buffer, win);
    } else if (0 == strcmp(how, "streamed")) {
        become_another_inside(rank, 1, memory, buffer, win);
    } else if (0 == strcmp(how, "left")) {
        leave(rank, 0, 0, memory, buffer, win);
    } else if (0 == strcmp(how, "inside")) {
        leave(rank, 1, 0, memory, buffer, win);
    } else if (0 == strcmp(how, "held")) {
        with_request = 1;
        leave(rank, 0, BYTES / 8, memory, buffer, win);
    } else if (0 == strcmp(how, "added") || 0 == strcmp(how, "few")) {
        MPI_Win allocated;
        char   *base;

        MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &allocated);
        leave(rank, 0, 0 == strcmp(how, "few") ? 4 : BYTES / 8, base, buffer, allocated);
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
