/* The ways in which a program can wait for a flag in a window: a table of calls that look at it once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef POLLS_H
#define POLLS_H

#include "mpitest.h"

/** A window with one flag per process, at displacement 0. */
struct test_polled {
    MPI_Win win;
    int *flag; /**< this process's own */
    MPI_Win other; /**< of this process alone, without memory */
};

/** One way to look. */
struct test_poll {
    const char *name;
    void (*look)(const struct test_polled *polled, int owner, int *got);
    int own_epoch; /**< begins and ends an epoch of its own; the others need a lock_all around them */
    int own_only;  /**< works for this process's own flag alone */
};

static inline void test_poll_get(const struct test_polled *polled, int owner, int *got)
{
    MPI_OK(MPI_Get(got, 1, MPI_INT, owner, 0, 1, MPI_INT, polled->win));
}

static inline void test_poll_flush(const struct test_polled *polled, int owner, int *got)
{
    test_poll_get(polled, owner, got);
    MPI_OK(MPI_Win_flush(owner, polled->win));
}

static inline void test_poll_flush_all(const struct test_polled *polled, int owner, int *got)
{
    test_poll_get(polled, owner, got);
    MPI_OK(MPI_Win_flush_all(polled->win));
}

static inline void test_poll_flush_local(const struct test_polled *polled, int owner, int *got)
{
    test_poll_get(polled, owner, got);
    MPI_OK(MPI_Win_flush_local(owner, polled->win));
}

static inline void test_poll_flush_local_all(const struct test_polled *polled, int owner, int *got)
{
    test_poll_get(polled, owner, got);
    MPI_OK(MPI_Win_flush_local_all(polled->win));
}

static inline void test_poll_fetch(const struct test_polled *polled, int owner, int *got)
{
    MPI_OK(MPI_Fetch_and_op(NULL, got, MPI_INT, owner, 0, MPI_NO_OP, polled->win));
    MPI_OK(MPI_Win_flush(owner, polled->win));
}

static inline void test_poll_swap(const struct test_polled *polled, int owner, int *got)
{
    int zero = 0;

    MPI_OK(MPI_Compare_and_swap(&zero, &zero, got, MPI_INT, owner, 0, polled->win));
    MPI_OK(MPI_Win_flush(owner, polled->win));
}

static inline void test_poll_wait(const struct test_polled *polled, int owner, int *got)
{
    MPI_Request request;

    MPI_OK(MPI_Rget(got, 1, MPI_INT, owner, 0, 1, MPI_INT, polled->win, &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static inline void test_poll_test(const struct test_polled *polled, int owner, int *got)
{
    MPI_Request request;
    int done = 0;

    MPI_OK(MPI_Rget(got, 1, MPI_INT, owner, 0, 1, MPI_INT, polled->win, &request));
    while (!done) {
        MPI_OK(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
}

static inline void test_poll_lock(const struct test_polled *polled, int owner, int *got)
{
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, polled->win));
    test_poll_get(polled, owner, got);
    MPI_OK(MPI_Win_unlock(owner, polled->win));
}

static inline void test_poll_lock_all(const struct test_polled *polled, int owner, int *got)
{
    MPI_OK(MPI_Win_lock_all(0, polled->win));
    test_poll_get(polled, owner, got);
    MPI_OK(MPI_Win_unlock_all(polled->win));
}

static inline void test_poll_sync(const struct test_polled *polled, int owner, int *got)
{
    (void) owner;
    MPI_OK(MPI_Win_sync(polled->win));
    *got = *(volatile int *) polled->flag;
}

/* Synchronization of another window. It waits for nothing, as between two processes that are equally fast. */

static inline void test_poll_fence(const struct test_polled *polled, int owner, int *got)
{
    (void) owner;
    MPI_OK(MPI_Win_fence(0, polled->other));
    *got = *(volatile int *) polled->flag;
}

static inline void test_poll_start(const struct test_polled *polled, int owner, int *got)
{
    (void) owner;
    MPI_OK(MPI_Win_start(MPI_GROUP_EMPTY, 0, polled->other));
    MPI_OK(MPI_Win_complete(polled->other));
    *got = *(volatile int *) polled->flag;
}

static inline void test_poll_post(const struct test_polled *polled, int owner, int *got)
{
    (void) owner;
    MPI_OK(MPI_Win_post(MPI_GROUP_EMPTY, 0, polled->other));
    MPI_OK(MPI_Win_wait(polled->other));
    *got = *(volatile int *) polled->flag;
}

static const struct test_poll test_polls[] = {
    {"get and flush", test_poll_flush, 0, 0},
    {"get and flush_all", test_poll_flush_all, 0, 0},
    {"get and flush_local", test_poll_flush_local, 0, 0},
    {"get and flush_local_all", test_poll_flush_local_all, 0, 0},
    {"fetch_and_op and flush", test_poll_fetch, 0, 0},
    {"compare_and_swap and flush", test_poll_swap, 0, 0},
    {"rget and wait", test_poll_wait, 0, 0},
    {"rget and test", test_poll_test, 0, 0},
    {"lock, get and unlock", test_poll_lock, 1, 0},
    {"lock_all, get and unlock_all", test_poll_lock_all, 1, 0},
    {"sync and load", test_poll_sync, 0, 1},
    {"fence and load", test_poll_fence, 1, 1},
    {"start, complete and load", test_poll_start, 1, 1},
    {"post, wait and load", test_poll_post, 1, 1},
};

enum { TEST_POLLS = sizeof(test_polls) / sizeof(*test_polls) };

/** Look until the flag is set: 1; or for as long as patience lasts, which is short in a program that has failed: 0. */
static inline int test_poll_until_set(const struct test_poll *poll, const struct test_polled *polled, int owner)
{
    double begin = MPI_Wtime(), patience = test_failures > 0 ? 1 : test_patience();
    int got = 0;

    do {
        poll->look(polled, owner, &got);
    } while (0 == got && MPI_Wtime() - begin < patience);
    return got;
}

/** Set the flag of process `owner`, in an epoch of the same kind. */
static inline void test_poll_set(const struct test_poll *poll, const struct test_polled *polled, int owner)
{
    static const int one = 1;

    if (poll->own_epoch) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, owner, 0, polled->win));
    }
    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT, owner, 0, 1, MPI_INT, MPI_REPLACE, polled->win));
    MPI_OK(poll->own_epoch ? MPI_Win_unlock(owner, polled->win) : MPI_Win_flush(owner, polled->win));
}

/** Collective: a window of MPI_Win_allocate or MPI_Win_create; its flags are 0. */
static inline void test_polled_open(struct test_polled *polled, int allocate)
{
    if (allocate) {
        MPI_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &polled->flag, &polled->win));
    } else {
        polled->flag = malloc(sizeof(int));
        MPI_OK(MPI_Win_create(polled->flag, sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &polled->win));
    }
    *polled->flag = 0;
    MPI_OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_SELF, &polled->other));
    MPI_OK(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, polled->win));
}

static inline void test_polled_close(struct test_polled *polled, int allocate)
{
    MPI_OK(MPI_Win_free(&polled->other));
    MPI_OK(MPI_Win_free(&polled->win));
    if (!allocate) {
        free(polled->flag);
    }
}

#endif /* POLLS_H */
