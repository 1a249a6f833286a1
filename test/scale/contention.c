/* All processes contend: how many operations there are in a second, how long the longest took, and how many the process
 * had that had fewest.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: contention SECONDS [CASE]...
 *
 * All processes are on one host. They begin at one time and end at one time, and count what they have completed until
 * then. Prints a line for each case: "row", name, operations in a second, longest operation in seconds, fewest
 * operations of one process. Operations change counters, which are compared at the end.
 */

#include "ended.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int     rank, size;
static MPI_Win win;
static long   *counter;

static void add(int target)
{
    long one = 1, got;

    MPI_Fetch_and_op(&one, &got, MPI_LONG, target, 0, MPI_SUM, win);
    MPI_Win_flush(target, win);
}

/** The increment that only a lock makes atomic. */
static void add_locked(int type, int target)
{
    long value;

    MPI_Win_lock(type, target, 0, win);
    MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    MPI_Win_flush(target, win);
    if (MPI_LOCK_EXCLUSIVE == type) {
        value++;
        MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
    }
    MPI_Win_unlock(target, win);
}

/* The cases: one operation each. They return what it adds to a counter. */

static long one_lock(void)
{
    add_locked(MPI_LOCK_EXCLUSIVE, 0);
    return 1;
}

static long ring(void)
{
    add_locked(MPI_LOCK_EXCLUSIVE, (rank + 1) % size);
    return 1;
}

static long one_counter(void)
{
    MPI_Win_lock_all(0, win);
    add(0);
    MPI_Win_unlock_all(win);
    return 1;
}

static long readers(void)
{
    int writes = size - 1 == rank;

    add_locked(writes ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0);
    return writes;
}

static long fence(void)
{
    MPI_Win_fence(0, win);
    return 0;
}

static const struct contention_case {
    const char *name;
    long      (*operation)(void);
    int         collective; /**< all make as many: it counts once */
} cases[] = {
    { "one exclusive lock", one_lock, 0 },
    { "locks in a ring", ring, 0 },
    { "one counter", one_counter, 0 },
    { "readers and a writer", readers, 0 },
    { "fence", fence, 1 }
};

/** Seconds of the clock that all processes of a host share. That of MPI_Wtime may begin anywhere. */
static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

/** Wait for a time at which all begin, when the barriers before it are over. It returns that time. */
static double begin_together(void)
{
    double          begin;
    struct timespec time;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = now() + 0.1 + 0.005 * size;
    MPI_Bcast(&begin, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    time.tv_sec  = (time_t) begin;
    time.tv_nsec = (long) (1e9 * (begin - (double) time.tv_sec));
    while (0 != clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL)) {
        continue; /* a signal */
    }
    return begin;
}

/** What a process has done of a case. */
struct done {
    long   operations; /**< completed before the end */
    long   added;      /**< to counters, in all */
    double longest;    /**< seconds of one operation */
};

static struct done operate(const struct contention_case *self, double end)
{
    struct done done = { 0, 0, 0 };
    double      before, after;

    for (before = now(); before < end; before = after) {
        done.added      += self->operation();
        after            = now();
        done.longest     = after - before > done.longest ? after - before : done.longest;
        done.operations += after <= end;
    }
    return done;
}

/** A collective case: as many operations as take about so many seconds. *seconds_p: those that all took. */
static struct done operate_all(const struct contention_case *self, double seconds, double *seconds_p)
{
    enum { SOME = 64 };
    struct done done = { 0, 0, 0 };
    double      begin = now(), before, took;

    for (int i = 0; i < SOME; i++) {
        self->operation();
    }
    done.operations = (long) (SOME * seconds / (now() - begin)) + 1;
    MPI_Bcast(&done.operations, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    begin = begin_together();
    for (long i = 0; i < done.operations; i++) {
        before = now();
        self->operation();
        took         = now() - before;
        done.longest = took > done.longest ? took : done.longest;
    }
    took = now() - begin;
    MPI_Allreduce(&took, seconds_p, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return done;
}

/** The counters of all members must have what all have added. */
static void compare(const char *name, long added)
{
    long all[2], mine[2];

    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    mine[0] = *counter;
    MPI_Win_unlock(rank, win);
    mine[1] = added;
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] != all[1]) {
        fprintf(stderr, "contention: %s: the counters have %ld instead of %ld\n", name, all[0], all[1]);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void clear_counter(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *counter = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run(const struct contention_case *self, double seconds)
{
    struct done done;
    double      longest;
    long        all, fewest;

    MPI_Win_allocate(sizeof(*counter), sizeof(*counter), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    clear_counter();
    self->operation(); /* a first contact */
    clear_counter();
    if (self->collective) {
        done = operate_all(self, seconds, &seconds);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    } else {
        done = operate(self, begin_together() + seconds);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    compare(self->name, done.added);
    MPI_Reduce(&done.operations, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&done.operations, &fewest, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&done.longest, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        all = self->collective ? fewest : all;
        printf("row,%s,%.0f,%.4f,%ld\n", self->name, (double) all / seconds, longest, fewest);
        fflush(stdout);
    }
    MPI_Win_free(&win);
}

/** Is that case among `names`, or are there none? NULL ends them. */
static int is_wanted(const char *name, char **names)
{
    int wanted = NULL == *names;

    for (; NULL != *names; names++) {
        wanted = wanted || 0 == strcmp(name, *names);
    }
    return wanted;
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc < 2 || is_wanted(cases[i].name, argv + 2)) {
            run(&cases[i], seconds);
        }
    }
    MPI_Finalize();
    return 0;
}
