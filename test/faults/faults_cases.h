/* The cases of faults.c: what the origin and the target do while a call fails, and where data must be afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef FAULTS_CASES_H
#define FAULTS_CASES_H

#include "../mpi/lib/mpitest.h"

enum { BYTES = 1 << 20, BLOCKS = 1500 };

enum flavor { CREATE, ALLOCATE, SHARED, DYNAMIC, FLAVORS };

static const char *const flavor_name[FLAVORS] = {"create", "allocate", "shared", "dynamic"};

static MPI_Datatype vector, irregular;
static unsigned char sent[BYTES], received[BYTES];

struct window {
    MPI_Win win;
    unsigned char *base;
    MPI_Aint at; /* target_disp of the target's memory */
};

/* What a process does, and where it went wrong first. */
#define TRY(call)                                                  \
    do {                                                           \
        int try_class = test_class(call);                          \
        error = MPI_SUCCESS == error ? try_class : error;          \
    } while (0)

/* ---- windows ---- */

static int window_open(struct window *window, enum flavor flavor, MPI_Info info)
{
    static unsigned char own[BYTES];
    int error = MPI_SUCCESS;

    window->base = own;
    window->win = MPI_WIN_NULL;
    switch (flavor) {
    case CREATE:
        TRY(MPI_Win_create(own, BYTES, 1, info, MPI_COMM_WORLD, &window->win));
        break;
    case ALLOCATE:
        TRY(MPI_Win_allocate(BYTES, 1, info, MPI_COMM_WORLD, &window->base, &window->win));
        break;
    case SHARED:
        TRY(MPI_Win_allocate_shared(BYTES, 1, info, MPI_COMM_WORLD, &window->base, &window->win));
        break;
    default:
        TRY(MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &window->win));
    }
    if (MPI_SUCCESS == error) {
        MPI_Win_set_errhandler(window->win, MPI_ERRORS_RETURN);
    }
    return error;
}

static void window_ready(struct window *window, enum flavor flavor)
{
    window->at = 0;
    if (DYNAMIC == flavor) {
        MPI_OK(MPI_Win_attach(window->win, window->base, BYTES));
        MPI_Get_address(window->base, &window->at);
        MPI_Bcast(&window->at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    }
}

/* ---- cases: what the origin does, what the target does; both return an error class ---- */

typedef int side_t(struct window *window);

/* An operation of the origin, in an epoch of its own. */
static int locked(struct window *window, int type, int (*operate)(struct window *))
{
    int error = MPI_SUCCESS;

    TRY(MPI_Win_lock(type, 1, 0, window->win));
    if (MPI_SUCCESS == error) {
        TRY(operate(window));
        TRY(MPI_Win_unlock(1, window->win));
    }
    return error;
}

static int put_bytes(struct window *window, int bytes)
{
    return MPI_Put(sent, bytes, MPI_BYTE, 1, window->at, bytes, MPI_BYTE, window->win);
}

static int get_bytes(struct window *window, int bytes)
{
    return MPI_Get(received, bytes, MPI_BYTE, 1, window->at, bytes, MPI_BYTE, window->win);
}

static int op_put_small(struct window *w) { return put_bytes(w, 100); }
static int op_put_large(struct window *w) { return put_bytes(w, 100000); }
static int op_put_huge(struct window *w) { return put_bytes(w, BYTES); }
static int op_get_small(struct window *w) { return get_bytes(w, 100); }
static int op_get_large(struct window *w) { return get_bytes(w, 100000); }
static int op_get_huge(struct window *w) { return get_bytes(w, BYTES); }
static int op_put_vector(struct window *w) { return MPI_Put(sent, 1, vector, 1, w->at, 1, vector, w->win); }
static int op_get_vector(struct window *w) { return MPI_Get(received, 1, vector, 1, w->at, 1, vector, w->win); }

static int op_put_irregular(struct window *w)
{
    return MPI_Put(sent, 1, irregular, 1, w->at, 1, irregular, w->win);
}

static int op_get_irregular(struct window *w)
{
    return MPI_Get(received, 1, irregular, 1, w->at, 1, irregular, w->win);
}

static int op_accumulate(struct window *w)
{
    return MPI_Accumulate(sent, 100, MPI_INT, 1, w->at, 100, MPI_INT, MPI_SUM, w->win);
}

static int op_accumulate_large(struct window *w)
{
    return MPI_Accumulate(sent, 30000, MPI_INT, 1, w->at, 30000, MPI_INT, MPI_SUM, w->win);
}

static int op_get_accumulate(struct window *w)
{
    return MPI_Get_accumulate(sent, 100, MPI_INT, received, 100, MPI_INT, 1, w->at, 100, MPI_INT, MPI_REPLACE, w->win);
}

static int op_get_accumulate_large(struct window *w)
{
    return MPI_Get_accumulate(sent, 30000, MPI_INT, received, 30000, MPI_INT, 1, w->at, 30000, MPI_INT, MPI_REPLACE,
                              w->win);
}

static int op_fetch_and_op(struct window *w)
{
    return MPI_Fetch_and_op(sent, received, MPI_INT, 1, w->at, MPI_SUM, w->win);
}

static int op_compare_and_swap(struct window *w)
{
    static const int zero;

    return MPI_Compare_and_swap(sent, &zero, received, MPI_INT, 1, w->at, w->win);
}

static int op_requests(struct window *w)
{
    MPI_Request request[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int error = MPI_SUCCESS;

    TRY(MPI_Rput(sent, 100, MPI_BYTE, 1, w->at, 100, MPI_BYTE, w->win, &request[0]));
    TRY(MPI_Rget(received + 200, 100, MPI_BYTE, 1, w->at + 200, 100, MPI_BYTE, w->win, &request[1]));
    TRY(MPI_Raccumulate(sent + 400, 25000, MPI_INT, 1, w->at + 400, 25000, MPI_INT, MPI_SUM, w->win, &request[2]));
    for (int i = 0; i < 3; i++) {
        TRY(MPI_Wait(&request[i], MPI_STATUS_IGNORE));
    }
    return error;
}

static int op_flushes(struct window *w)
{
    int error = MPI_SUCCESS;

    TRY(put_bytes(w, 50));
    TRY(MPI_Win_flush_local(1, w->win));
    TRY(MPI_Put(sent + 50, 50, MPI_BYTE, 1, w->at + 50, 50, MPI_BYTE, w->win));
    TRY(MPI_Win_flush(1, w->win));
    return error;
}

#define LOCKED(name, type) \
    static int in_lock_##name(struct window *w) { return locked(w, type, op_##name); }
LOCKED(put_small, MPI_LOCK_EXCLUSIVE)
LOCKED(put_large, MPI_LOCK_SHARED)
LOCKED(put_huge, MPI_LOCK_EXCLUSIVE)
LOCKED(get_small, MPI_LOCK_SHARED)
LOCKED(get_large, MPI_LOCK_EXCLUSIVE)
LOCKED(get_huge, MPI_LOCK_SHARED)
LOCKED(put_vector, MPI_LOCK_SHARED)
LOCKED(get_vector, MPI_LOCK_EXCLUSIVE)
LOCKED(put_irregular, MPI_LOCK_SHARED)
LOCKED(get_irregular, MPI_LOCK_SHARED)
LOCKED(accumulate, MPI_LOCK_SHARED)
LOCKED(accumulate_large, MPI_LOCK_EXCLUSIVE)
LOCKED(get_accumulate, MPI_LOCK_EXCLUSIVE)
LOCKED(get_accumulate_large, MPI_LOCK_SHARED)
LOCKED(fetch_and_op, MPI_LOCK_SHARED)
LOCKED(compare_and_swap, MPI_LOCK_EXCLUSIVE)
LOCKED(requests, MPI_LOCK_SHARED)
LOCKED(flushes, MPI_LOCK_EXCLUSIVE)

static int do_lock_all(struct window *w)
{
    int error = MPI_SUCCESS;

    TRY(MPI_Win_lock_all(0, w->win));
    if (MPI_SUCCESS == error) {
        TRY(put_bytes(w, 100));
        TRY(MPI_Win_flush_all(w->win));
        TRY(MPI_Win_unlock_all(w->win));
    }
    return error;
}

static int do_fence(struct window *w)
{
    int error = MPI_SUCCESS;

    TRY(MPI_Win_fence(0, w->win));
    if (0 == test_rank) {
        TRY(put_bytes(w, 100));
    }
    TRY(MPI_Win_fence(0, w->win));
    return error;
}

/* If an epoch may not begin, try again: the other side waits for it. */
static int do_start(struct window *w)
{
    MPI_Group world, group;
    int error = MPI_SUCCESS, other = 1;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    TRY(MPI_Win_start(group, 0, w->win));
    if (MPI_SUCCESS != error) {
        MPI_OK(MPI_Win_start(group, 0, w->win));
    }
    TRY(put_bytes(w, 100));
    TRY(MPI_Win_complete(w->win));
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return error;
}

static int do_post(struct window *w)
{
    MPI_Group world, group;
    int error = MPI_SUCCESS, other = 0;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &group);
    TRY(MPI_Win_post(group, 0, w->win));
    if (MPI_SUCCESS != error) {
        MPI_OK(MPI_Win_post(group, 0, w->win));
    }
    TRY(MPI_Win_wait(w->win));
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return error;
}

/* The target's own lock is in the way for a while. */
static int do_queue(struct window *w)
{
    int error = MPI_SUCCESS;

    if (1 == test_rank) {
        TRY(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, w->win));
        if (MPI_SUCCESS == error) {
            test_compute(0.002);
            TRY(MPI_Win_unlock(1, w->win));
        }
        return error;
    }
    test_compute(0.001);
    return locked(w, MPI_LOCK_EXCLUSIVE, op_put_large);
}

static int do_attach(struct window *w)
{
    static char memory[1000];
    int error = MPI_SUCCESS;

    TRY(MPI_Win_attach(w->win, memory, sizeof(memory)));
    if (MPI_SUCCESS == error) {
        TRY(MPI_Win_detach(w->win, memory));
    }
    return error;
}

static int do_free(struct window *w)
{
    int error = MPI_SUCCESS;

    TRY(MPI_Win_free(&w->win));
    return error;
}

enum special { PLAIN, CONSTRUCTS, FREES };

/* Where the data are afterwards, if all went well. */
enum effect { NOTHING, AT_TARGET, AT_ORIGIN };

static const struct test_case {
    const char *name;
    enum special special;
    side_t *origin, *target;
    enum effect effect;
    int bytes;
} cases[] = {
    {"construct", CONSTRUCTS, NULL, NULL, NOTHING, 0},
    {"put_small", PLAIN, in_lock_put_small, NULL, AT_TARGET, 100},
    {"put_large", PLAIN, in_lock_put_large, NULL, AT_TARGET, 100000},
    {"put_huge", PLAIN, in_lock_put_huge, NULL, AT_TARGET, BYTES},
    {"put_vector", PLAIN, in_lock_put_vector, NULL, NOTHING, 0},
    {"put_irregular", PLAIN, in_lock_put_irregular, NULL, NOTHING, 0},
    {"get_small", PLAIN, in_lock_get_small, NULL, AT_ORIGIN, 100},
    {"get_large", PLAIN, in_lock_get_large, NULL, AT_ORIGIN, 100000},
    {"get_huge", PLAIN, in_lock_get_huge, NULL, AT_ORIGIN, BYTES},
    {"get_vector", PLAIN, in_lock_get_vector, NULL, NOTHING, 0},
    {"get_irregular", PLAIN, in_lock_get_irregular, NULL, NOTHING, 0},
    {"accumulate", PLAIN, in_lock_accumulate, NULL, AT_TARGET, 400},
    {"accumulate_large", PLAIN, in_lock_accumulate_large, NULL, AT_TARGET, 120000},
    {"get_accumulate", PLAIN, in_lock_get_accumulate, NULL, AT_TARGET, 400},
    {"get_accumulate_large", PLAIN, in_lock_get_accumulate_large, NULL, AT_TARGET, 120000},
    {"fetch_and_op", PLAIN, in_lock_fetch_and_op, NULL, AT_TARGET, 4},
    {"compare_and_swap", PLAIN, in_lock_compare_and_swap, NULL, AT_TARGET, 4},
    {"requests", PLAIN, in_lock_requests, NULL, AT_TARGET, 100},
    {"flushes", PLAIN, in_lock_flushes, NULL, AT_TARGET, 100},
    {"lock_all", PLAIN, do_lock_all, NULL, AT_TARGET, 100},
    {"fence", PLAIN, do_fence, do_fence, AT_TARGET, 100},
    {"start_post", PLAIN, do_start, do_post, AT_TARGET, 100},
    {"queue", PLAIN, do_queue, do_queue, AT_TARGET, 100000},
    {"attach", PLAIN, do_attach, do_attach, NOTHING, 0},
    {"free", FREES, do_free, do_free, NOTHING, 0},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]) };

/* The data and the types that the cases use. */
static void cases_init(void)
{
    static int lengths[BLOCKS], places[BLOCKS];

    for (size_t i = 0; i < BYTES; i++) {
        sent[i] = (unsigned char) (i * 7 + i / 251 + 1);
    }
    MPI_Type_vector(100, 3, 7, MPI_INT, &vector);
    MPI_Type_commit(&vector);
    for (int i = 0; i < BLOCKS; i++) {
        lengths[i] = 1 + i * 7 % 5;
        places[i] = i * 20 + i * 11 % 13;
    }
    MPI_Type_indexed(BLOCKS, lengths, places, MPI_INT, &irregular);
    MPI_Type_commit(&irregular);
}

#endif /* FAULTS_CASES_H */
