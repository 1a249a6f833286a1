/* The frame of the checker's collection: small programs, correct and mistaken, that run one after the other in one job.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each case is a function. It has a window of its own, whose name is that of the case, so that a finding tells where it
 * belongs. Three processes: two origins, and a target. Nothing here includes the component's headers.
 */
#ifndef CASES_H
#define CASES_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** The ranks, and the elements of the window at each. */
enum { ONE, OTHER, TARGET, PROCESSES, CELLS = 64 };

/** Buffers of operations; zeros when a case begins. */
static int data[CELLS], result[CELLS], more[CELLS];

static int rank;
static int *cells; /* memory of the window at this process; zeros when a case begins */
static MPI_Win win;
static MPI_Comm comm; /* that of the window */
/* Where cell 0 is at TARGET, and how far the next one is: in a dynamic window these are addresses. */
static MPI_Aint at, unit;

struct test_case {
    const char *name;
    void (*run)(void);
    const char *mistake; /* the kinds of finding that tell of it, with | between them; "error": of a call; NULL: none */
    int flavor; /* MPI_WIN_FLAVOR_ */
};

#define CORRECT(name) { #name, name, NULL, MPI_WIN_FLAVOR_ALLOCATE }
#define MISTAKE(name, kinds) { #name, name, kinds, MPI_WIN_FLAVOR_ALLOCATE }
#define CORRECT_IN(flavor, name) { #name "_" #flavor, name, NULL, MPI_WIN_FLAVOR_##flavor }
#define MISTAKE_IN(flavor, name, kinds) { #name "_" #flavor, name, kinds, MPI_WIN_FLAVOR_##flavor }

/* Short forms. Inline, so that the call is seen in the case. */

#define INLINE static inline __attribute__((always_inline, unused))

INLINE void put(const int *buffer, int count, int cell)
{
    MPI_Put(buffer, count, MPI_INT, TARGET, at + unit * cell, count, MPI_INT, win);
}

INLINE void get(int *buffer, int count, int cell)
{
    MPI_Get(buffer, count, MPI_INT, TARGET, at + unit * cell, count, MPI_INT, win);
}

INLINE void accumulate(const int *buffer, int count, int cell, MPI_Op op)
{
    MPI_Accumulate(buffer, count, MPI_INT, TARGET, at + unit * cell, count, MPI_INT, op, win);
}

/** Read a cell atomically. */
INLINE void fetch(int *buffer, int cell)
{
    MPI_Fetch_and_op(NULL, buffer, MPI_INT, TARGET, at + unit * cell, MPI_NO_OP, win);
}

INLINE void lock_shared(void)
{
    MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
}

INLINE void lock_exclusive(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, 0, win);
}

INLINE void unlock(void)
{
    MPI_Win_unlock(TARGET, win);
}

INLINE void lock_all(void)
{
    MPI_Win_lock_all(0, win);
}

INLINE void unlock_all(void)
{
    MPI_Win_unlock_all(win);
}

INLINE void flush(void)
{
    MPI_Win_flush(TARGET, win);
}

INLINE void fence(void)
{
    MPI_Win_fence(0, win);
}

INLINE void barrier(void)
{
    MPI_Barrier(comm);
}

/** Tell another process that something is done, by a message without data; and be told. */
INLINE void tell(int whom)
{
    MPI_Send(NULL, 0, MPI_INT, whom, 0, comm);
}

INLINE void hear(int from)
{
    MPI_Recv(NULL, 0, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
}

/** Nothing orders two processes in some cases. Then the target comes second, and the other one stays behind: clocks err
 *  to the side of order. */
__attribute__((unused)) static void later(void)
{
    usleep(TARGET == rank ? 10000 : 50000);
}

/** A group of some ranks; freed at the end of the case. */
static MPI_Group groups[8];
static int ngroups;

__attribute__((unused)) static MPI_Group group_of(int count, int first, int second)
{
    const int ranks[2] = { first, second };
    MPI_Group all;

    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, count, ranks, &groups[ngroups]);
    MPI_Group_free(&all);
    return groups[ngroups++];
}

/** The target exposes its window to both origins, and waits. */
__attribute__((unused)) static void expose(void)
{
    MPI_Win_post(group_of(2, ONE, OTHER), 0, win);
    MPI_Win_wait(win);
}

INLINE void start(void)
{
    MPI_Win_start(group_of(1, TARGET, 0), 0, win);
}

INLINE void complete(void)
{
    MPI_Win_complete(win);
}

/* The driver. */

static const struct test_case *current;

/** An error tells of a mistake as well as a finding does: without this handler it would end the program. */
static void erred(MPI_Win *where, int *code, ...)
{
    (void) where;
    (void) code;
    printf("error %s\n", current->name);
    fflush(stdout);
}

static void window_open(int flavor, MPI_Errhandler handler)
{
    const MPI_Aint bytes = CELLS * sizeof(int);

    cells = NULL;
    switch (flavor) {
    case MPI_WIN_FLAVOR_CREATE:
        cells = calloc(CELLS, sizeof(int));
        MPI_Win_create(cells, bytes, sizeof(int), MPI_INFO_NULL, comm, &win);
        break;
    case MPI_WIN_FLAVOR_SHARED:
        MPI_Win_allocate_shared(bytes, sizeof(int), MPI_INFO_NULL, comm, &cells, &win);
        break;
    case MPI_WIN_FLAVOR_DYNAMIC:
        cells = calloc(CELLS, sizeof(int));
        MPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win);
        MPI_Win_attach(win, cells, bytes);
        break;
    default:
        MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, comm, &cells, &win);
    }
    MPI_Win_set_name(win, current->name);
    MPI_Win_set_errhandler(win, handler);
    at = 0;
    unit = 1;
    if (MPI_WIN_FLAVOR_DYNAMIC == flavor) {
        unit = sizeof(int);
        MPI_Get_address(cells, &at);
        MPI_Bcast(&at, 1, MPI_AINT, TARGET, comm);
    }
}

static void window_close(int flavor)
{
    while (ngroups > 0) {
        MPI_Group_free(&groups[--ngroups]);
    }
    if (MPI_WIN_NULL != win) {
        MPI_Win_free(&win);
        if (MPI_WIN_FLAVOR_CREATE == flavor || MPI_WIN_FLAVOR_DYNAMIC == flavor) {
            free(cells);
        }
    }
}

static void case_run(const struct test_case *one, MPI_Errhandler handler)
{
    current = one;
    memset(data, 0, sizeof(data));
    memset(result, 0, sizeof(result));
    memset(more, 0, sizeof(more));
    window_open(one->flavor, handler);
    memset(cells, 0, CELLS * sizeof(int));
    barrier();
    if (ONE == rank) {
        printf("case %s %s\n", one->name, NULL == one->mistake ? "correct" : one->mistake);
        fflush(stdout);
    }
    one->run();
    window_close(one->flavor);
}

/** Run all cases, or the one that the command names. */
static int cases_run(int argc, char **argv, const struct test_case *all, size_t count)
{
    MPI_Errhandler handler;
    int size;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (PROCESSES != size) {
        fprintf(stderr, "these programs have %d processes, not %d\n", PROCESSES, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Win_create_errhandler(erred, &handler);
    for (size_t i = 0; i < count; i++) {
        if (argc < 2 || 0 == strcmp(argv[1], all[i].name)) {
            case_run(&all[i], handler);
        }
    }
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}

#endif /* CASES_H */
