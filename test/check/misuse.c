/* The checker's collection: calls in an order that the standard forbids, and assertions that lie.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Some of these mistakes are errors of the call itself; those count as found, too.
 */
#include "cases.h"

/** Free the window within the case; the driver then does not. */
static void window_free(void)
{
    MPI_Win_free(&win);
}

/* Locks and epochs. */

static void lock_never_released(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 1, 5);
        flush();
    }
    barrier();
    window_free();
    if (MPI_WIN_NULL != win && ONE == rank) {
        unlock();
    }
}

static void free_in_lock_all(void)
{
    lock_all();
    flush();
    window_free();
    if (MPI_WIN_NULL != win) {
        unlock_all();
    }
}

/** Puts whose epoch no fence ends. */
static void free_in_fence(void)
{
    fence();
    put(data, 1, 5 + rank);
    window_free();
    if (MPI_WIN_NULL != win) {
        fence();
    }
}

static void free_after_last_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    window_free();
}

static void free_after_plain_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
    window_free();
}

static void put_without_epoch(void)
{
    if (ONE == rank) {
        put(data, 1, 5);
    }
}

static void put_to_unlocked_target(void)
{
    if (ONE == rank) {
        MPI_Win_lock(MPI_LOCK_SHARED, OTHER, 0, win);
        put(data, 1, 5);
        MPI_Win_unlock(OTHER, win);
    }
}

static void lock_twice(void)
{
    if (ONE == rank) {
        lock_shared();
        lock_shared();
        unlock();
    }
}

static void unlock_without_lock(void)
{
    if (ONE == rank) {
        unlock();
    }
}

static void lock_within_lock_all(void)
{
    lock_all();
    if (ONE == rank) {
        lock_shared();
    }
    unlock_all();
}

static void flush_in_fence_epoch(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    fence();
}

/** A process locks a window that is exposed by post. */
static void locked_and_exposed(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        barrier();
        barrier();
        MPI_Win_wait(win);
    } else if (OTHER == rank) {
        barrier();
        lock_shared();
        put(data, 1, 5);
        unlock();
        barrier();
    } else {
        start();
        put(data, 1, 6);
        barrier();
        barrier();
        complete();
    }
}

static void exposed_then_locked(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        put(data, 1, 6);
        complete();
    }
    barrier();
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 6);
        unlock();
    }
}

/** One process locks while another one uses the epoch that a fence has opened. */
static void lock_in_fence_epoch(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 6);
    }
    barrier();
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
    fence();
}

static void lock_between_fences(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 6);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
    barrier();
    fence();
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
}

/** Fences in which nothing is done are barriers. */
static void lock_between_idle_fences(void)
{
    fence();
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 5);
        unlock();
    }
    fence();
    if (ONE == rank) {
        put(data, 1, 6);
    }
    fence();
}

/** The lock is held when the memory is exposed. */
static void exposed_while_locked(void)
{
    if (OTHER == rank) {
        lock_shared();
        put(data, 1, 5);
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        complete();
    }
    barrier();
    if (OTHER == rank) {
        unlock();
    }
}

/* Assertions. */

/** It says that it has not stored since the last fence, and has. */
static void nostore_lie(void)
{
    fence();
    if (TARGET == rank) {
        cells[5] = 1;
    }
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
}

static void nostore(void)
{
    if (TARGET == rank) {
        cells[5] = 1;
    }
    fence();
    if (ONE == rank) {
        put(data, 1, 6);
    }
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    fence();
}

/** Puts to some cells, and a store to another one. */
static void nostore_lie_beside_puts(void)
{
    fence();
    if (TARGET != rank) {
        data[0] = 1;
        put(data, 3, 5 + 3 * rank);
    } else {
        cells[20] = 1;
    }
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
}

/** All that has changed was put, or added. */
static void nostore_after_updates(void)
{
    fence();
    data[0] = data[1] = 1;
    if (TARGET != rank) {
        put(data, 3, 5 + 3 * rank);
    }
    accumulate(data, 2, 20, MPI_SUM);
    MPI_Win_fence(MPI_MODE_NOSTORE, win);
    if (ONE == rank) {
        put(data, 2, 30);
    }
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED, win);
    if (OTHER == rank) {
        lock_exclusive();
        put(data, 1, 40);
        unlock();
    }
    barrier();
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPRECEDE, win);
    fence();
}

static void nostore_lie_post(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        MPI_Win_wait(win);
        cells[5] = 1;
        MPI_Win_post(group_of(1, ONE, 0), MPI_MODE_NOSTORE, win);
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        complete();
        start();
        complete();
    }
}

/** The window gets no put until the next fence, the target says; but it does. */
static void noput_lie(void)
{
    fence();
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    if (ONE == rank) {
        data[0] = 1;
        put(data, 1, 5);
    }
    fence();
}

static void noput(void)
{
    fence();
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    get(result, 1, 5);
    fence();
}

static void noput_lie_post(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), MPI_MODE_NOPUT, win);
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        data[0] = 1;
        accumulate(data, 1, 5, MPI_SUM);
        complete();
    }
}

/** The fence ends an epoch with operations, and says that it ends none. */
static void noprecede_lie(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    fence();
}

static void noprecede(void)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
}

/** It says that it begins no epoch, and puts follow. */
static void nosucceed_lie(void)
{
    fence();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
}

/** Only one process says so: all must say the same. */
static void noprecede_alone(void)
{
    MPI_Win_fence(TARGET == rank ? 0 : MPI_MODE_NOPRECEDE, win);
    fence();
}

/** Only one process says so: all must say the same. */
static void nosucceed_alone(void)
{
    fence();
    MPI_Win_fence(ONE == rank ? MPI_MODE_NOSUCCEED : 0, win);
    barrier();
    fence();
}

/** No lock can be in the way, the process says, while another process holds it. */
static void nocheck_lie(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
    }
    barrier();
    if (OTHER == rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, MPI_MODE_NOCHECK, win);
        put(data, 1, 6);
        unlock();
    }
    barrier();
    if (ONE == rank) {
        unlock();
    }
}

static void nocheck(void)
{
    for (int turn = ONE; turn <= OTHER; turn++) {
        if (turn == rank) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, TARGET, MPI_MODE_NOCHECK, win);
            put(data, 1, 5);
            unlock();
        }
        barrier();
    }
}

/* Info keys, requests, memory. */

/** Make the window anew, with an info key. */
static void window_with(const char *key, const char *value)
{
    const char *name = current->name;
    MPI_Info info;

    MPI_Win_free(&win);
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), info, comm, &cells, &win);
    MPI_Info_free(&info);
    MPI_Win_set_name(win, name);
    memset(cells, 0, CELLS * sizeof(int));
    barrier();
}

/** Only one operation, the program has said, and no MPI_NO_OP. */
static void same_op_lie(void)
{
    window_with("accumulate_ops", "same_op");
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        fetch(result, 5);
    }
    fence();
}

static void same_op(void)
{
    window_with("accumulate_ops", "same_op");
    fence();
    accumulate(data, 1, 5, MPI_SUM);
    fence();
    fetch(result, 5);
    fence();
}

/** All sizes are the same, one process says. The others do not. */
static void same_size_alone(void)
{
    const char *name = current->name;
    MPI_Info info;

    MPI_Win_free(&win);
    MPI_Info_create(&info);
    if (ONE == rank) {
        MPI_Info_set(info, "same_size", "true");
    }
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), info, comm, &cells, &win);
    MPI_Info_free(&info);
    MPI_Win_set_name(win, name);
}

static void same_size(void)
{
    window_with("same_size", "true");
}

static void same_unit(void)
{
    window_with("same_disp_unit", "true");
}

/** All units are the same, all say, but they are not. */
static void same_unit_lie(void)
{
    const char *name = current->name;
    MPI_Info info;

    MPI_Win_free(&win);
    MPI_Info_create(&info);
    MPI_Info_set(info, "same_disp_unit", "true");
    MPI_Win_allocate(CELLS * sizeof(int), ONE == rank ? 1 : (int) sizeof(int), info, comm, &cells, &win);
    MPI_Info_free(&info);
    MPI_Win_set_name(win, name);
}

/** Without an order, sums of one process are the same in any. */
static void unordered_sums(void)
{
    window_with("accumulate_ordering", "none");
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
        accumulate(more, 1, 5, MPI_SUM);
    }
    fence();
}

static void request_never_completed(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        unlock();
    }
    barrier();
    window_free();
}

static void requests_completed_late(void)
{
    MPI_Request requests[2];

    if (ONE == rank) {
        lock_shared();
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &requests[0]);
        MPI_Rget(result, 1, MPI_INT, TARGET, at + 6, 1, MPI_INT, win, &requests[1]);
        flush();
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        unlock();
    }
}

/** Memory is detached while another process may put into it. The put has left, or it would fail, too. */
static void detached_while_locked(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        MPI_Win_flush_local(TARGET, win);
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_detach(win, cells);
    }
    barrier();
    unlock_all();
}

/** The lock is still held, but the put is complete, and the target knows. */
static void detached_after_flush(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_detach(win, cells);
    }
    barrier();
    unlock_all();
}

static void detached_after_barrier(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    unlock_all();
    barrier();
    MPI_Win_detach(win, cells);
    MPI_Win_attach(win, cells, CELLS * sizeof(int));
}

/** A put behind the end of the window. */
static void put_out_of_range(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 2, CELLS - 1);
        unlock();
    }
}

int main(int argc, char **argv)
{
    static const struct test_case all[] = {
        MISTAKE(lock_never_released, "error"), MISTAKE(free_in_lock_all, "error"), MISTAKE(free_in_fence, "error"),
        CORRECT(free_after_last_fence), CORRECT(free_after_plain_fence), MISTAKE(put_without_epoch, "error"),
        MISTAKE(put_to_unlocked_target, "error"), MISTAKE(lock_twice, "error"), MISTAKE(unlock_without_lock, "error"),
        MISTAKE(lock_within_lock_all, "error"), MISTAKE(flush_in_fence_epoch, "error"),
        MISTAKE(locked_and_exposed, "locked-and-exposed"), CORRECT(exposed_then_locked),
        MISTAKE(lock_in_fence_epoch, "locked-and-exposed"), CORRECT(lock_between_fences),
        CORRECT(lock_between_idle_fences), MISTAKE(exposed_while_locked, "locked-and-exposed"),
        MISTAKE(nostore_lie, "assert-lies"), CORRECT(nostore), MISTAKE(nostore_lie_beside_puts, "assert-lies"),
        CORRECT(nostore_after_updates), MISTAKE(nostore_lie_post, "assert-lies"), MISTAKE(noput_lie, "assert-lies"),
        CORRECT(noput), MISTAKE(noput_lie_post, "assert-lies"), MISTAKE(noprecede_lie, "assert-lies"),
        CORRECT(noprecede), MISTAKE(nosucceed_lie, "error"), MISTAKE(nosucceed_alone, "assert-lies"),
        MISTAKE(noprecede_alone, "assert-lies"), MISTAKE(nocheck_lie, "assert-lies"), CORRECT(nocheck),
        MISTAKE(same_op_lie, "accumulate-accumulate"), CORRECT(same_op), MISTAKE(same_size_alone, "info-differs"),
        CORRECT(same_size), MISTAKE(same_unit_lie, "info-differs"), CORRECT(same_unit), CORRECT(unordered_sums),
        MISTAKE(request_never_completed, "request-lost"), CORRECT(requests_completed_late),
        MISTAKE_IN(DYNAMIC, detached_while_locked, "memory-detached"), CORRECT_IN(DYNAMIC, detached_after_barrier),
        CORRECT_IN(DYNAMIC, detached_after_flush), MISTAKE(put_out_of_range, "error")
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
