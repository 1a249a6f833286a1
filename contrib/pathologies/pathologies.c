/* Ten diseases of one-sided programs, each with its cure, for the report (docs/report.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 *     mpicc -O2 -o pathologies contrib/pathologies/pathologies.c
 *     mpirun -np 2 --mca osc_ucp_report 2 ./pathologies late_fence sick
 *     mpirun -np 2 --mca osc_ucp_report 2 ./pathologies late_fence cured
 *
 * Rank 1 is the one that others wait for. Programs "compute" by sleeping, so that they need no processors of their own.
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 4096, ROUNDS = 60, SMALL_ROUNDS = 200, MS = 1000000 };

static int     rank, size;
static double *memory;
static double  values[WORDS];
static MPI_Win win;

static void compute(long ns)
{
    struct timespec time = { .tv_nsec = ns };

    nanosleep(&time, NULL);
}

static void make(const char *name)
{
    MPI_Win_allocate(WORDS * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, name);
    memset(memory, 0, WORDS * sizeof(double));
    MPI_Barrier(MPI_COMM_WORLD);
}

static int next(void)
{
    return (rank + 1) % size;
}

/* One process has more to do than the others. */
static void late_fence(int sick)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < ROUNDS; i++) {
        compute(sick && 1 == rank ? 8 * MS : 2 * MS);
        MPI_Put(values, 1, MPI_DOUBLE, next(), 0, 1, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
    }
}

/* One process computes while it holds a lock. */
static void long_lock(int sick)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (1 == rank) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Put(values, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
            compute(sick ? 5 * MS : 1);
            MPI_Win_unlock(0, win);
            compute(sick ? 1 : 5 * MS);
        } else {
            compute(MS);
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            MPI_Put(values, 1, MPI_DOUBLE, 0, rank, 1, MPI_DOUBLE, win);
            MPI_Win_unlock(0, win);
        }
    }
}

/* The group of one process. */
static MPI_Group group_of(int member)
{
    MPI_Group world, group;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &member, &group);
    MPI_Group_free(&world);
    return group;
}

/* The target computes before it posts. */
static void late_post(int sick)
{
    MPI_Group group = group_of(1 == rank ? 0 : 1);

    for (int i = 0; i < ROUNDS && rank < 2; i++) {
        if (1 == rank) {
            compute(sick ? 6 * MS : 1);
            MPI_Win_post(group, 0, win);
            compute(sick ? 1 : 6 * MS);
            MPI_Win_wait(win);
        } else {
            compute(sick ? 1 : 6 * MS);
            MPI_Win_start(group, 0, win);
            MPI_Put(values, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, win);
            MPI_Win_complete(win);
        }
    }
    MPI_Group_free(&group);
}

/* Rank 1 is the origin, and computes inside its epoch. */
static void late_complete(int sick)
{
    MPI_Group group = group_of(1 == rank ? 0 : 1);

    for (int i = 0; i < ROUNDS && rank < 2; i++) {
        if (1 == rank) {
            MPI_Win_start(group, 0, win);
            MPI_Put(values, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, win);
            compute(sick ? 6 * MS : 1);
            MPI_Win_complete(win);
            compute(sick ? 1 : 6 * MS);
        } else {
            MPI_Win_post(group, 0, win);
            compute(sick ? 1 : 6 * MS);
            MPI_Win_wait(win);
        }
    }
    MPI_Group_free(&group);
}

/* Exclusive locks, without which these puts could meet others. No advice may say that they are needless. */
static void locks_needed(void)
{
    for (int i = 0; i < 2000 * SMALL_ROUNDS; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win);
        MPI_Put(values, 1, MPI_DOUBLE, next(), 0, 1, MPI_DOUBLE, win);
        MPI_Win_unlock(next(), win);
    }
}

/* A lock for each operation. */
static void lock_each(int sick)
{
    if (!sick) {
        MPI_Win_lock_all(0, win);
    }
    for (int i = 0; i < 1000 * SMALL_ROUNDS; i++) {
        if (sick) {
            MPI_Win_lock(MPI_LOCK_SHARED, next(), 0, win);
        }
        MPI_Put(values, 1, MPI_DOUBLE, next(), i * 7 % WORDS, 1, MPI_DOUBLE, win);
        if (sick) {
            MPI_Win_unlock(next(), win);
        }
    }
    if (!sick) {
        MPI_Win_unlock_all(win);
        locks_needed();
    }
}

/* Fences without operations. */
static void idle_fence(int sick)
{
    MPI_Win_fence(0, win);
    for (int i = 0; i < SMALL_ROUNDS; i++) {
        MPI_Put(values, WORDS / 2, MPI_DOUBLE, next(), 0, WORDS / 2, MPI_DOUBLE, win);
        MPI_Win_fence(0, win);
        for (int j = 0; sick && j < 100; j++) {
            MPI_Win_fence(0, win);
        }
        compute(sick ? 1 : MS);
    }
}

/* One element after the other, where one call could do all. */
static void element_gets(int sick)
{
    double here[WORDS];

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < SMALL_ROUNDS; i++) {
        for (int j = 0; sick && j < WORDS; j++) {
            MPI_Get(&here[j], 1, MPI_DOUBLE, next(), j, 1, MPI_DOUBLE, win);
        }
        if (!sick) {
            MPI_Get(here, WORDS, MPI_DOUBLE, next(), 0, WORDS, MPI_DOUBLE, win);
        }
        MPI_Win_flush(next(), win);
    }
    MPI_Win_unlock_all(win);
}

static void element_accumulates(int sick)
{
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < SMALL_ROUNDS; i++) {
        for (int j = 0; sick && j < WORDS; j++) {
            MPI_Accumulate(&values[j], 1, MPI_DOUBLE, next(), j, 1, MPI_DOUBLE, MPI_SUM, win);
        }
        if (!sick) {
            MPI_Accumulate(values, WORDS, MPI_DOUBLE, next(), 0, WORDS, MPI_DOUBLE, MPI_SUM, win);
        }
        MPI_Win_flush(next(), win);
    }
    MPI_Win_unlock_all(win);
}

/* Every second element, where the data could lie together. */
static void scattered_type(int sick)
{
    MPI_Datatype type;

    MPI_Type_vector(WORDS / 2, 1, sick ? 2 : 1, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 50 * SMALL_ROUNDS; i++) {
        MPI_Put(values, 1, type, next(), 0, 1, type, win);
        MPI_Win_flush(next(), win);
    }
    MPI_Win_unlock_all(win);
    MPI_Type_free(&type);
}

/* Memory that the program has allocated, where MPI could have. */
static void own_memory(int sick)
{
    double  mine[64], here[64];
    MPI_Win own = win;

    if (sick) {
        MPI_Win_create(mine, sizeof(mine), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &own);
        MPI_Win_set_name(own, "own memory");
    }
    MPI_Win_lock_all(0, own);
    for (int i = 0; i < 100 * SMALL_ROUNDS; i++) {
        MPI_Get(here, 16, MPI_DOUBLE, next(), i * 7 % 48, 16, MPI_DOUBLE, own);
        MPI_Win_flush(next(), own);
    }
    MPI_Win_unlock_all(own);
    if (sick) {
        MPI_Win_free(&own);
    }
}

static const struct {
    const char *name;
    void      (*run)(int sick);
} diseases[] = {
    { "late_fence", late_fence },     { "long_lock", long_lock },
    { "late_post", late_post },       { "late_complete", late_complete },
    { "lock_each", lock_each },       { "idle_fence", idle_fence },
    { "element_gets", element_gets }, { "element_accumulates", element_accumulates },
    { "scattered_type", scattered_type }, { "own_memory", own_memory }
};

int main(int argc, char **argv)
{
    int found = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 2 && i < sizeof(diseases) / sizeof(diseases[0]); i++) {
        if (0 == strcmp(argv[1], diseases[i].name)) {
            found = 1;
            make(argv[1]);
            diseases[i].run(0 == strcmp(argv[2], "sick"));
            MPI_Win_free(&win);
        }
    }
    if (!found && 0 == rank) {
        fprintf(stderr, "usage: %s DISEASE sick|cured\n", argv[0]);
    }
    MPI_Finalize();
    return found ? 0 : 2;
}
