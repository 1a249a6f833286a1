/* All processes contend: how many operations there are in a second, how long the longest took, and how many the process
 * had that had fewest.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * usage: contention SECONDS
 *
 * Prints a line for each case: name, operations in a second, longest operation in seconds, fewest operations of one
 * process. Operations change counters, which are compared at the end.
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

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

static const struct contention_case {
    const char *name;
    long      (*operation)(void);
} cases[] = {
    { "one exclusive lock", one_lock },
    { "locks in a ring", ring },
    { "one counter", one_counter },
    { "readers and a writer", readers }
};

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

static void run(const struct contention_case *self, double seconds)
{
    double begin, before, now, longest = 0, all_longest;
    long   n = 0, added = 0, all, fewest;

    MPI_Win_allocate(sizeof(*counter), sizeof(*counter), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *counter = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    self->operation(); /* a first contact */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *counter = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    begin = now = MPI_Wtime();
    while (now - begin < seconds) {
        before  = now;
        added  += self->operation();
        now     = MPI_Wtime();
        longest = now - before > longest ? now - before : longest;
        n++;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    compare(self->name, added);
    MPI_Reduce(&n, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&n, &fewest, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&longest, &all_longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%s,%.0f,%.4f,%ld\n", self->name, (double) all / seconds, all_longest, fewest);
        fflush(stdout);
    }
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run(&cases[i], seconds);
    }
    MPI_Finalize();
    return 0;
}
