/* The checker's collection: two operations on the same bytes of a window, with nothing or something between them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cases.h"

/* Fence. */

/** Both put to the same cell between two fences. */
static void put_put_fence(void)
{
    fence();
    if (TARGET != rank) {
        put(data, 1, 5);
    }
    fence();
}

/** Each puts to a cell of its own. */
static void put_put_fence_apart(void)
{
    fence();
    if (TARGET != rank) {
        put(data, 1, 5 + rank);
    }
    fence();
}

/** A fence stands between the puts. */
static void put_fence_put(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
    if (OTHER == rank) {
        put(data, 1, 5);
    }
    fence();
}

static void put_get_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    } else if (OTHER == rank) {
        get(result, 1, 5);
    }
    fence();
}

static void get_get_fence(void)
{
    fence();
    get(result, 1, 5);
    fence();
}

static void put_fence_get(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
    get(result, 1, 5);
    fence();
}

static void acc_put_fence(void)
{
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        put(data, 1, 5);
    }
    fence();
}

static void acc_get_fence(void)
{
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        get(result, 1, 5);
    }
    fence();
}

/** Accumulates with two operations may not meet. */
static void acc_acc_other_op_fence(void)
{
    fence();
    if (TARGET != rank) {
        accumulate(data, 1, 5, ONE == rank ? MPI_SUM : MPI_MAX);
    }
    fence();
}

static void acc_acc_same_op_fence(void)
{
    fence();
    accumulate(data, 4, 5, MPI_SUM);
    fence();
}

/** Nor accumulates with two types. */
static void acc_acc_other_type_fence(void)
{
    const float number = 1;

    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        MPI_Accumulate(&number, 1, MPI_FLOAT, TARGET, at + 5, 1, MPI_FLOAT, MPI_SUM, win);
    }
    fence();
}

/** MPI_NO_OP may meet any other operation. */
static void acc_no_op_fence(void)
{
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        MPI_Get_accumulate(NULL, 0, MPI_INT, result, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, MPI_NO_OP, win);
    }
    fence();
}

/** Two puts of one process are not ordered either. */
static void put_twice_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
        put(more, 1, 5);
    }
    fence();
}

static void put_then_get_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
        get(result, 1, 5);
    }
    fence();
}

/** Accumulates of one process to one location are carried out in their order. */
static void acc_twice_fence(void)
{
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_REPLACE);
        accumulate(more, 1, 5, MPI_REPLACE);
    }
    fence();
}

/** Only the last cell of the one is the first of the other. */
static void put_put_edge_fence(void)
{
    fence();
    if (TARGET != rank) {
        put(data, 4, ONE == rank ? 8 : 11);
    }
    fence();
}

static void put_put_beside_fence(void)
{
    fence();
    if (TARGET != rank) {
        put(data, 4, ONE == rank ? 8 : 12);
    }
    fence();
}

static void put_strided(int first)
{
    MPI_Datatype every_other;

    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    MPI_Put(data, 4, MPI_INT, TARGET, at + first, 1, every_other, win);
    MPI_Type_free(&every_other);
}

static void put_put_strided_fence(void)
{
    fence();
    if (ONE == rank) {
        put_strided(8);
    } else if (OTHER == rank) {
        put(data, 1, 12);
    }
    fence();
}

/** Even cells and odd ones. */
static void put_put_comb_fence(void)
{
    fence();
    if (TARGET != rank) {
        put_strided(8 + rank);
    }
    fence();
}

/** The target itself is an origin, too. */
static void put_put_self_fence(void)
{
    fence();
    if (OTHER != rank) {
        put(data, 1, 5);
    }
    fence();
}

/* Post, start, complete, wait. */

static void put_put_pscw(void)
{
    if (TARGET == rank) {
        expose();
    } else {
        start();
        put(data, 1, 5);
        complete();
    }
}

static void put_put_pscw_apart(void)
{
    if (TARGET == rank) {
        expose();
    } else {
        start();
        put(data, 1, 5 + rank);
        complete();
    }
}

static void put_get_pscw(void)
{
    if (TARGET == rank) {
        expose();
    } else {
        start();
        if (ONE == rank) {
            put(data, 1, 5);
        } else {
            get(result, 1, 5);
        }
        complete();
    }
}

static void acc_put_pscw(void)
{
    if (TARGET == rank) {
        expose();
    } else {
        start();
        if (ONE == rank) {
            accumulate(data, 1, 5, MPI_SUM);
        } else {
            put(data, 1, 5);
        }
        complete();
    }
}

/** An exposure epoch for each origin. */
static void put_pscw_in_turn(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        MPI_Win_wait(win);
        MPI_Win_post(group_of(1, OTHER, 0), 0, win);
        MPI_Win_wait(win);
    } else {
        start();
        put(data, 1, 5);
        complete();
    }
}

/* Locks. */

static void put_put_shared_lock(void)
{
    if (TARGET != rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
}

static void put_put_exclusive_lock(void)
{
    if (TARGET != rank) {
        lock_exclusive();
        put(data, 1, 5);
        unlock();
    }
}

/** An exclusive lock keeps others away that have a shared one. */
static void put_get_two_locks(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        unlock();
    } else if (OTHER == rank) {
        lock_shared();
        get(result, 1, 5);
        unlock();
    }
}

static void put_get_shared_lock(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    } else if (OTHER == rank) {
        lock_shared();
        get(result, 1, 5);
        unlock();
    }
}

static void put_put_shared_lock_apart(void)
{
    if (TARGET != rank) {
        lock_shared();
        put(data, 2, 5 + 2 * rank);
        unlock();
    }
}

/** The locks are held at the same time, whatever the processes' speed. */
static void put_put_held_locks(void)
{
    if (TARGET != rank) {
        lock_shared();
        put(data, 1, 5);
    }
    barrier();
    if (TARGET != rank) {
        unlock();
    }
}

static void acc_put_held_locks(void)
{
    if (TARGET != rank) {
        lock_shared();
    }
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        put(data, 1, 5);
    }
    barrier();
    if (TARGET != rank) {
        unlock();
    }
}

static void put_put_lock_all(void)
{
    lock_all();
    if (TARGET != rank) {
        put(data, 1, 5);
    }
    barrier();
    unlock_all();
}

static void acc_acc_other_op_lock_all(void)
{
    lock_all();
    if (TARGET != rank) {
        accumulate(data, 1, 5, ONE == rank ? MPI_SUM : MPI_BXOR);
    }
    barrier();
    unlock_all();
}

static void get_put_lock_all(void)
{
    lock_all();
    if (ONE == rank) {
        get(result, 4, 4);
    } else if (OTHER == rank) {
        put(data, 1, 7);
    }
    barrier();
    unlock_all();
}

static void cas_put_lock_all(void)
{
    lock_all();
    if (ONE == rank) {
        MPI_Compare_and_swap(data, more, result, MPI_INT, TARGET, at + 5, win);
    } else if (OTHER == rank) {
        put(data, 1, 5);
    }
    barrier();
    unlock_all();
}

static void cas_cas_lock_all(void)
{
    lock_all();
    MPI_Compare_and_swap(data, more, result, MPI_INT, TARGET, at + 5, win);
    barrier();
    unlock_all();
}

static void fetch_and_op_get_lock_all(void)
{
    lock_all();
    if (ONE == rank) {
        MPI_Fetch_and_op(data, result, MPI_INT, TARGET, at + 5, MPI_SUM, win);
    } else if (OTHER == rank) {
        get(result, 1, 5);
    }
    barrier();
    unlock_all();
}

/** All draw numbers. */
static void fetch_and_op_lock_all(void)
{
    lock_all();
    data[0] = 1;
    for (int i = 0; i < 10; i++) {
        MPI_Fetch_and_op(data, result, MPI_INT, TARGET, at + 5, MPI_SUM, win);
        flush();
    }
    unlock_all();
}

/** One process: a put, and another one to the same cell before the first is complete at the target. */
static void put_twice_lock(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        put(more, 1, 5);
        unlock();
    }
}

static void put_flush_put_lock(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        flush();
        put(more, 1, 5);
        unlock();
    }
}

static void put_then_get_lock(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        get(result, 1, 5);
        unlock();
    }
}

/** Local completion is not completion at the target. */
static void put_flush_local_get(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        MPI_Win_flush_local(TARGET, win);
        get(result, 1, 5);
        unlock();
    }
}

static void put_flush_get(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        flush();
        get(result, 1, 5);
        unlock();
    }
}

/** The data of a get are there, so that it has been carried out, too. */
static void get_flush_local_put(void)
{
    if (ONE == rank) {
        lock_exclusive();
        get(result, 1, 5);
        MPI_Win_flush_local(TARGET, win);
        put(data, 1, 5);
        unlock();
    }
}

/** The request of a put tells of local completion only. */
static void rput_wait_get(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_exclusive();
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        get(result, 1, 5);
        unlock();
    }
}

static void rput_wait_flush_get(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_exclusive();
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        flush();
        get(result, 1, 5);
        unlock();
    }
}

static void rget_put(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_exclusive();
        MPI_Rget(result, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        put(data, 1, 5);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        unlock();
    }
}

static void rget_wait_put(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_exclusive();
        MPI_Rget(result, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        put(data, 1, 5);
        unlock();
    }
}

static void racc_rget(void)
{
    MPI_Request requests[2];

    if (ONE == rank) {
        lock_exclusive();
        MPI_Raccumulate(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, MPI_SUM, win, &requests[0]);
        MPI_Rget(result, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        unlock();
    }
}

/* Correct programs that look like the mistakes above. */

static void acc_acc_same_op_lock_all(void)
{
    lock_all();
    accumulate(data, 8, 5, MPI_BOR);
    accumulate(data, 4, 9, MPI_BOR);
    barrier();
    unlock_all();
}

static void acc_no_op_lock_all(void)
{
    lock_all();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_PROD);
    } else {
        fetch(result, 5);
    }
    barrier();
    unlock_all();
}

/** The same cell of different targets. */
static void put_put_two_targets(void)
{
    lock_all();
    MPI_Put(data, 4, MPI_INT, rank, 5, 4, MPI_INT, win);
    barrier();
    unlock_all();
}

/** Nothing is put. */
static void put_nothing(void)
{
    fence();
    put(data, 0, 5);
    MPI_Put(data, 4, MPI_INT, MPI_PROC_NULL, 5, 4, MPI_INT, win);
    fence();
}

static void get_get_held_locks(void)
{
    lock_shared();
    get(result, 8, 5);
    get(more, 8, 9);
    barrier();
    unlock();
}

static void put_put_comb_lock_all(void)
{
    lock_all();
    if (TARGET != rank) {
        put_strided(8 + rank);
    }
    barrier();
    unlock_all();
}

/** Accumulates with requests, in any order. */
static void racc_racc(void)
{
    MPI_Request requests[4];

    lock_shared();
    for (int i = 0; i < 4; i++) {
        MPI_Raccumulate(&data[i], 1, MPI_INT, TARGET, 5, 1, MPI_INT, MPI_SUM, win, &requests[i]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    unlock();
}

/** An exclusive lock in each of many rounds. */
static void put_get_exclusive_rounds(void)
{
    for (int i = 0; i < 8; i++) {
        lock_exclusive();
        get(result, 1, 5);
        flush();
        result[0]++;
        put(result, 1, 5);
        unlock();
    }
}

int main(int argc, char **argv)
{
    static const struct test_case all[] = {
        MISTAKE(put_put_fence, "put-put"), CORRECT(put_put_fence_apart), CORRECT(put_fence_put),
        MISTAKE(put_get_fence, "put-get"), CORRECT(get_get_fence), CORRECT(put_fence_get),
        MISTAKE(acc_put_fence, "accumulate-put"), MISTAKE(acc_get_fence, "accumulate-get"),
        MISTAKE(acc_acc_other_op_fence, "accumulate-accumulate"), CORRECT(acc_acc_same_op_fence),
        MISTAKE(acc_acc_other_type_fence, "accumulate-accumulate"), CORRECT(acc_no_op_fence),
        MISTAKE(put_twice_fence, "put-put"), MISTAKE(put_then_get_fence, "put-get"), CORRECT(acc_twice_fence),
        MISTAKE(put_put_edge_fence, "put-put"), CORRECT(put_put_beside_fence),
        MISTAKE(put_put_strided_fence, "put-put"), CORRECT(put_put_comb_fence),
        MISTAKE(put_put_self_fence, "put-put"), MISTAKE(put_put_pscw, "put-put"), CORRECT(put_put_pscw_apart),
        MISTAKE(put_get_pscw, "put-get"), MISTAKE(acc_put_pscw, "accumulate-put"), CORRECT(put_pscw_in_turn),
        MISTAKE(put_put_shared_lock, "put-put"), CORRECT(put_put_exclusive_lock), CORRECT(put_get_two_locks),
        MISTAKE(put_get_shared_lock, "put-get"), CORRECT(put_put_shared_lock_apart),
        MISTAKE(put_put_held_locks, "put-put"), MISTAKE(acc_put_held_locks, "accumulate-put"),
        MISTAKE(put_put_lock_all, "put-put"), MISTAKE(acc_acc_other_op_lock_all, "accumulate-accumulate"),
        MISTAKE(get_put_lock_all, "put-get"), MISTAKE(cas_put_lock_all, "accumulate-put"), CORRECT(cas_cas_lock_all),
        MISTAKE(fetch_and_op_get_lock_all, "accumulate-get"), CORRECT(fetch_and_op_lock_all),
        MISTAKE(put_twice_lock, "put-put"), CORRECT(put_flush_put_lock), MISTAKE(put_then_get_lock, "put-get"),
        MISTAKE(put_flush_local_get, "put-get"), CORRECT(put_flush_get), CORRECT(get_flush_local_put),
        MISTAKE(rput_wait_get, "put-get"), CORRECT(rput_wait_flush_get), MISTAKE(rget_put, "put-get"),
        CORRECT(rget_wait_put), MISTAKE(racc_rget, "accumulate-get"), CORRECT(acc_acc_same_op_lock_all),
        CORRECT(acc_no_op_lock_all), CORRECT(put_put_two_targets), CORRECT(put_nothing), CORRECT(get_get_held_locks),
        CORRECT(put_put_comb_lock_all), CORRECT(racc_racc), CORRECT(put_get_exclusive_rounds)
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
