/* Programs that wait for ever, or for a while, each in its own way: see watchdog.sh and status.sh. They end themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: watchdog CASE create|allocate|shared SECONDS: the cases are in main. One process computes for so long, or is
 * stopped. If the waiting would never end, the program is killed after that time.
 */

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef WITH_EXT
#include "osc_ucp_ext.h"
#endif

static int     rank, size;
static double  seconds;
static int    *memory, value = 1;
static MPI_Win win;

/** Outside of MPI. */
static void compute(double time)
{
    double end = MPI_Wtime() + time;

    while (MPI_Wtime() < end) {
        usleep(1000);
    }
}

/** This process and the others wait for ever: end the job. */
static void end_later(double time)
{
    fflush(stdout);
    if (0 == fork()) {
        pid_t parent = getppid();

        usleep((useconds_t) (time * 1e6));
        kill(parent, SIGKILL);
        _exit(0);
    }
}

static void deadlock(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Put(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_flush(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    end_later(seconds);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, win);
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_flush((rank + 1) % size, win);
}

/** The last process has the lock of process 0, computes, and maybe has mpirun send all processes a signal. */
static void hold(int number)
{
    if (size - 1 == rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (size - 1 == rank) {
        compute(seconds / 2);
        if (0 != number) {
            kill(getppid(), number);
        }
        compute(seconds / 2);
    } else {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    }
    MPI_Win_unlock(0, win);
}

static void held(void)
{
    hold(0);
}

static void demand(void)
{
    hold(SIGUSR1);
}

static void fence(void)
{
    MPI_Win_fence(0, win);
    if (size - 1 == rank) {
        compute(seconds);
    }
    MPI_Win_fence(0, win);
}

/** The last process leaves out a fence, and its MPI_Win_free meets the others' second one. The window has no name. */
static void unequal(void)
{
    end_later(seconds);
    MPI_Win_set_name(win, "");
    MPI_Win_fence(0, win);
    if (size - 1 != rank) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    }
}

/** The last process leaves out a call that meets the others twice. */
static void renumbered(void)
{
#ifdef WITH_EXT
    end_later(seconds);
    if (size - 1 != rank) {
        MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 1);
    }
#endif
}

static void group_of(int first, int n, MPI_Group *group)
{
    MPI_Group all;
    int       ranks[64], i;

    for (i = 0; i < n; i++) {
        ranks[i] = first + i;
    }
    MPI_Win_get_group(win, &all);
    MPI_Group_incl(all, n, ranks, group);
    MPI_Group_free(&all);
}

/** Process 0 starts; the last one posts late. */
static void post(void)
{
    MPI_Group group;

    group_of(0 == rank ? 1 : 0, 0 == rank ? size - 1 : 1, &group);
    if (0 == rank) {
        MPI_Win_start(group, 0, win);
        MPI_Win_complete(win);
    } else {
        if (size - 1 == rank) {
            compute(seconds);
        }
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&group);
}

/** Process 0 waits; the last one completes late. */
static void complete(void)
{
    MPI_Group group;

    group_of(0 == rank ? 1 : 0, 0 == rank ? size - 1 : 1, &group);
    if (0 == rank) {
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Win_start(group, 0, win);
        if (size - 1 == rank) {
            compute(seconds);
        }
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
}

/** A process stops, and its child continues it. */
static void stop(void)
{
    pid_t child = fork();

    if (0 == child) {
        usleep((useconds_t) (seconds * 1e6));
        kill(getppid(), SIGCONT);
        _exit(0);
    }
    raise(SIGSTOP);
    waitpid(child, NULL, 0);
}

static void flush(void)
{
    MPI_Win_lock_all(0, win);
    MPI_Put(&value, 1, MPI_INT, size - 1, 0, 1, MPI_INT, win); /* first contact */
    MPI_Win_flush(size - 1, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (size - 1 == rank) {
        stop();
    } else {
        usleep(200000);
        MPI_Put(&value, 1, MPI_INT, size - 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(size - 1, win);
    }
    MPI_Win_unlock_all(win);
}

/** All put an integer into the next one's memory, about a thousand times a second. */
static void rate(void)
{
    double end = MPI_Wtime() + seconds;

    MPI_Win_lock_all(0, win);
    while (MPI_Wtime() < end) {
        MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
        MPI_Win_flush((rank + 1) % size, win);
        usleep(1000);
    }
    MPI_Win_unlock_all(win);
}

static void leave(int number)
{
    (void) number;
    _exit(0);
}

/** The last process dies; with osc_ucp_survive the others go on, and end in MPI_Finalize. In some versions of Open MPI
 *  that waits for the dead. */
static void death(void)
{
    if (size - 1 == rank) {
        raise(SIGKILL);
    }
    signal(SIGALRM, leave);
    alarm(10);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    while (MPI_SUCCESS == MPI_Win_fence(0, win)) {
        continue;
    }
}

/** MPI_Win_free follows. */
static void late_free(void)
{
    if (size - 1 == rank) {
        compute(seconds);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void      (*run)(void);
    } cases[] = { { "deadlock", deadlock }, { "held", held }, { "demand", demand },
                  { "fence", fence }, { "unequal", unequal }, { "renumbered", renumbered },
                  { "post", post }, { "complete", complete }, { "flush", flush }, { "free", late_free },
                  { "death", death }, { "rate", rate } };
    size_t i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seconds = atof(argv[3]);
    if (0 == strcmp("create", argv[2])) {
        memory = calloc(1, sizeof(*memory));
        MPI_Win_create(memory, sizeof(*memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    } else if (0 == strcmp("shared", argv[2])) {
        MPI_Win_allocate_shared(sizeof(*memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    } else {
        MPI_Win_allocate(sizeof(*memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    }
    MPI_Win_set_name(win, "halo");
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (0 == strcmp(cases[i].name, argv[1])) {
            cases[i].run();
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
