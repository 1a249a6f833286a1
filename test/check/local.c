/* The checker's collection: a process's own loads and stores against operations of others, and buffers of operations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cases.h"

/* The window's memory at the target. */

/** The target stores where an origin puts. */
static void store_put_fence(void)
{
    fence();
    if (ONE == rank) {
        data[0] = 1;
        put(data, 1, 5);
    } else if (TARGET == rank) {
        cells[5] = 2;
    }
    fence();
}

static void store_put_fence_apart(void)
{
    fence();
    if (ONE == rank) {
        data[0] = 1;
        put(data, 1, 5);
    } else if (TARGET == rank) {
        cells[40] = 2;
    }
    fence();
}

static void store_fence_put(void)
{
    fence();
    if (TARGET == rank) {
        cells[5] = 2;
    }
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
}

static void store_get_fence(void)
{
    fence();
    if (ONE == rank) {
        get(result, 1, 5);
    } else if (TARGET == rank) {
        cells[5] = 2;
    }
    fence();
}

static void store_acc_fence(void)
{
    fence();
    if (ONE == rank) {
        data[0] = 1;
        accumulate(data, 1, 5, MPI_SUM);
    } else if (TARGET == rank) {
        cells[5] = 2;
    }
    fence();
}

/** The target reads what may not have arrived. */
static void load_put_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    } else if (TARGET == rank) {
        result[0] = *(volatile int *) &cells[5];
    }
    fence();
}

static void load_fence_put(void)
{
    fence();
    if (TARGET == rank) {
        result[0] = *(volatile int *) &cells[5];
    }
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
    if (TARGET == rank) {
        result[0] += *(volatile int *) &cells[5];
    }
}

/** A store between post and wait. */
static void store_put_pscw(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        cells[5] = 2;
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        data[0] = 1;
        put(data, 1, 5);
        complete();
    }
}

static void store_after_wait_pscw(void)
{
    if (TARGET == rank) {
        cells[5] = 1;
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        MPI_Win_wait(win);
        cells[5] = 2;
    } else if (ONE == rank) {
        start();
        data[0] = 1;
        put(data, 1, 5);
        complete();
    }
}

/** A store without a lock, while an origin may put. */
static void store_put_lock(void)
{
    if (ONE == rank) {
        lock_shared();
        data[0] = 1;
        put(data, 1, 5);
    } else if (TARGET == rank) {
        later();
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        cells[5] = 2;
    }
    barrier();
    if (OTHER != rank) {
        unlock();
    }
}

/** Both sides take the exclusive lock. */
static void store_put_exclusive_lock(void)
{
    if (OTHER != rank) {
        lock_exclusive();
        if (ONE == rank) {
            data[0] = 1;
            put(data, 1, 5);
        } else {
            cells[5] = 2;
        }
        unlock();
    }
}

/** The unified model: a flush and a barrier, and MPI_Win_sync around loads and stores. */
static void store_sync_barrier_get(void)
{
    lock_all();
    if (TARGET == rank) {
        cells[5] = 2;
        MPI_Win_sync(win);
    }
    barrier();
    if (ONE == rank) {
        get(result, 1, 5);
        flush();
        data[0] = result[0] + 1;
        put(data, 1, 5);
        flush();
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_sync(win);
        cells[5]++;
    }
    unlock_all();
}

/** A barrier without a flush: the target stores where the put may arrive later. */
static void barrier_store(void)
{
    lock_all();
    if (ONE == rank) {
        data[0] = 1;
        put(data, 1, 5);
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_sync(win);
        cells[5] = 2;
        MPI_Win_sync(win);
    }
    barrier();
    unlock_all();
}

/** The origin buffer of the target's own put is a cell into which another process puts. */
static void origin_in_window(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    } else if (TARGET == rank) {
        MPI_Put(&cells[5], 1, MPI_INT, OTHER, 0, 1, MPI_INT, win);
    }
    fence();
}

/** The result of the target's own get, too. */
static void result_in_window(void)
{
    fence();
    if (ONE == rank) {
        get(result, 1, 5);
    } else if (TARGET == rank) {
        MPI_Get(&cells[5], 1, MPI_INT, OTHER, 0, 1, MPI_INT, win);
    }
    fence();
}

static void buffers_in_window(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    } else if (TARGET == rank) {
        MPI_Put(&cells[6], 1, MPI_INT, OTHER, 0, 1, MPI_INT, win);
        MPI_Get(&cells[7], 1, MPI_INT, OTHER, 1, 1, MPI_INT, win);
    }
    fence();
}

/* Buffers at the origin. */

static void origin_changed_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
        data[0] = 3;
    }
    fence();
}

static void origin_changed_after_fence(void)
{
    fence();
    if (ONE == rank) {
        put(data, 1, 5);
    }
    fence();
    data[0] = 3;
    fence();
}

static void origin_changed_pscw(void)
{
    if (TARGET == rank) {
        expose();
    } else {
        start();
        put(data, 1, 5 + rank);
        data[0] = 3;
        complete();
    }
}

static void origin_changed_lock(void)
{
    if (ONE == rank) {
        lock_exclusive();
        put(data, 1, 5);
        data[0] = 3;
        unlock();
    }
}

static void origin_changed_flush(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 16, 5);
        data[15] = 3;
        flush();
        unlock();
    }
}

static void origin_changed_after_flush_local(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 16, 5);
        MPI_Win_flush_local(TARGET, win);
        data[15] = 3;
        unlock();
    }
}

/** A flush for another target. */
static void origin_changed_after_other_flush(void)
{
    if (ONE == rank) {
        lock_all();
        put(data, 1, 5);
        MPI_Win_flush_local(OTHER, win);
        data[0] = 3;
        unlock_all();
    }
}

static void origin_changed_rput(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        data[0] = 3;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        unlock();
    }
}

static void origin_changed_after_rput_wait(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rput(data, 1, MPI_INT, TARGET, at + 5, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        data[0] = 3;
        unlock();
    }
}

static void origin_changed_accumulate(void)
{
    if (ONE == rank) {
        lock_shared();
        accumulate(data, 1, 5, MPI_SUM);
        data[0] = 3;
        unlock();
    }
}

static void origin_changed_fetch_and_op(void)
{
    if (ONE == rank) {
        lock_shared();
        MPI_Fetch_and_op(data, result, MPI_INT, TARGET, at + 5, MPI_SUM, win);
        data[0] = 3;
        unlock();
    }
}

/** Bytes between the blocks of a type are no part of the buffer. */
static void origin_gap_changed(void)
{
    MPI_Datatype every_other;

    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    if (ONE == rank) {
        lock_shared();
        MPI_Put(data, 1, every_other, TARGET, at + 5, 4, MPI_INT, win);
        data[1] = data[3] = 3;
        unlock();
    }
    MPI_Type_free(&every_other);
}

static void origin_block_changed(void)
{
    MPI_Datatype every_other;

    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    if (ONE == rank) {
        lock_shared();
        MPI_Put(data, 1, every_other, TARGET, at + 5, 4, MPI_INT, win);
        data[2] = 3;
        unlock();
    }
    MPI_Type_free(&every_other);
}

/** A loop that fills one buffer again and again. */
static void origin_reused(void)
{
    lock_all();
    for (int i = 0; i < 4; i++) {
        data[0] = i + 1;
        put(data, 1, 8 + 4 * rank + i);
    }
    unlock_all();
}

static void origin_reused_flush_local(void)
{
    lock_all();
    for (int i = 0; i < 4; i++) {
        data[0] = i + 1;
        put(data, 1, 8 + 4 * rank + i);
        MPI_Win_flush_local(TARGET, win);
    }
    unlock_all();
}

__attribute__((noinline)) static void put_of_the_stack(int value)
{
    volatile int word = value;

    put((const int *) &word, 1, 5 + value);
}

/** The buffer is a variable of a function that has returned. */
static void origin_on_stack(void)
{
    if (ONE == rank) {
        lock_shared();
        put_of_the_stack(1);
        put_of_the_stack(2);
        unlock();
    }
}

/** Several puts may read one buffer. */
static void origin_shared(void)
{
    lock_all();
    put(data, 4, 8 + 4 * rank);
    MPI_Put(data, 4, MPI_INT, OTHER, at + 8 + 4 * rank, 4, MPI_INT, win);
    unlock_all();
}

/** The program uses the result before it is there. */
static void result_read_early(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 1, 5);
        more[0] = *(volatile int *) &result[0];
        unlock();
    }
}

static void result_read_after_flush(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 1, 5);
        flush();
        more[0] = result[0];
        get(result, 1, 6);
        MPI_Win_flush_local(TARGET, win);
        more[1] = result[0];
        result[0] = 7;
        unlock();
    }
}

static void result_written(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 1, 5);
        result[0] = 7;
        unlock();
    }
}

static void result_written_rget(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rget(result, 4, MPI_INT, TARGET, at + 5, 4, MPI_INT, win, &request);
        result[3] = 7;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        unlock();
    }
}

static void result_written_after_wait(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rget(result, 4, MPI_INT, TARGET, at + 5, 4, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        result[3] = 7;
        unlock();
    }
}

/** Two gets into one buffer. */
static void result_twice(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 2, 5);
        get(result + 1, 2, 8);
        unlock();
    }
}

static void result_twice_flush(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 2, 5);
        MPI_Win_flush_local(TARGET, win);
        get(result + 1, 2, 8);
        unlock();
    }
}

static void results_beside(void)
{
    if (ONE == rank) {
        lock_shared();
        for (int i = 0; i < 8; i++) {
            get(&result[i], 1, 5 + i);
        }
        unlock();
    }
}

/** What a get brings is put elsewhere before it is there. */
static void result_put(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 1, 5);
        put(result, 1, 6);
        unlock();
    }
}

static void result_flush_put(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, 1, 5);
        flush();
        put(result, 1, 6);
        unlock();
    }
}

/** The result of an atomic operation is the operand of the next one. */
static void result_is_operand(void)
{
    if (ONE == rank) {
        lock_shared();
        MPI_Fetch_and_op(data, result, MPI_INT, TARGET, at + 5, MPI_SUM, win);
        MPI_Fetch_and_op(result, more, MPI_INT, TARGET, at + 6, MPI_SUM, win);
        unlock();
    }
}

/** The same buffer is the origin and the result of one call. */
static void result_is_origin(void)
{
    if (ONE == rank) {
        lock_shared();
        MPI_Get_accumulate(data, 4, MPI_INT, data, 4, MPI_INT, TARGET, at + 5, 4, MPI_INT, MPI_SUM, win);
        unlock();
    }
}

/* Correct programs that look like the mistakes above. */

/** The results of gets are the window's own memory, to which nobody else puts. */
static void results_in_window(void)
{
    lock_all();
    if (TARGET == rank) {
        MPI_Get(&cells[20], 4, MPI_INT, ONE, 0, 4, MPI_INT, win);
        MPI_Win_flush(ONE, win);
        cells[24] = cells[20] + 1;
        MPI_Win_sync(win);
    }
    unlock_all();
}

/** Memory that was a buffer is given back, and is the buffer of the next operation. */
static void origin_freed_after_unlock(void)
{
    for (int i = 0; i < 4; i++) {
        int *buffer = malloc(1000 * sizeof(*buffer));

        lock_shared();
        for (int j = 0; j < 4; j++) {
            buffer[j] = i;
        }
        if (ONE == rank) {
            put(buffer, 4, 5);
        }
        unlock();
        memset(buffer, 0xff, 1000 * sizeof(*buffer));
        free(buffer);
    }
}

/** Requests complete one by one, and their buffers with them. */
static void origins_changed_after_each_wait(void)
{
    MPI_Request requests[4];
    int index;

    if (ONE == rank) {
        lock_shared();
        for (int i = 0; i < 4; i++) {
            MPI_Rput(&data[i], 1, MPI_INT, TARGET, 5 + i, 1, MPI_INT, win, &requests[i]);
        }
        for (int i = 0; i < 4; i++) {
            MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
            data[index] = 9;
        }
        unlock();
    }
}

/** MPI_NO_OP reads no origin: that buffer may change. */
static void no_op_origin_changed(void)
{
    if (ONE == rank) {
        lock_shared();
        MPI_Get_accumulate(data, 4, MPI_INT, result, 4, MPI_INT, TARGET, 5, 4, MPI_INT, MPI_NO_OP, win);
        data[0] = 7;
        unlock();
    }
}

/** Own cells are stored to before the window is exposed again, as in any stencil. */
static void stores_between_epochs(void)
{
    for (int i = 1; i < 5; i++) {
        if (TARGET == rank) {
            cells[5] = i;
            cells[6] = 2 * i;
            MPI_Win_post(group_of(1, ONE, 0), 0, win);
            MPI_Win_wait(win);
            cells[6] += cells[5];
        } else if (ONE == rank) {
            start();
            data[0] = 10 * i;
            put(data, 1, 5);
            complete();
        }
    }
}

int main(int argc, char **argv)
{
    static const struct test_case all[] = {
        MISTAKE(store_put_fence, "put-store"), CORRECT(store_put_fence_apart), CORRECT(store_fence_put),
        MISTAKE(store_get_fence, "get-store"), MISTAKE(store_acc_fence, "accumulate-store"),
        MISTAKE(load_put_fence, "put-load"), CORRECT(load_fence_put), MISTAKE(store_put_pscw, "put-store"),
        CORRECT(store_after_wait_pscw), MISTAKE(store_put_lock, "put-store"), CORRECT(store_put_exclusive_lock),
        CORRECT(store_sync_barrier_get), MISTAKE(barrier_store, "put-store"),
        MISTAKE(origin_in_window, "put-load"), MISTAKE(result_in_window, "get-store"),
        CORRECT(buffers_in_window), MISTAKE(origin_changed_fence, "buffer-changed"),
        CORRECT(origin_changed_after_fence), MISTAKE(origin_changed_pscw, "buffer-changed"),
        MISTAKE(origin_changed_lock, "buffer-changed"), MISTAKE(origin_changed_flush, "buffer-changed"),
        CORRECT(origin_changed_after_flush_local), MISTAKE(origin_changed_after_other_flush, "buffer-changed"),
        MISTAKE(origin_changed_rput, "buffer-changed"), CORRECT(origin_changed_after_rput_wait),
        MISTAKE(origin_changed_accumulate, "buffer-changed"), MISTAKE(origin_changed_fetch_and_op, "buffer-changed"),
        CORRECT(origin_gap_changed), MISTAKE(origin_block_changed, "buffer-changed"),
        MISTAKE(origin_reused, "buffer-changed"), CORRECT(origin_reused_flush_local),
        MISTAKE(origin_on_stack, "buffer-changed"), CORRECT(origin_shared), MISTAKE(result_read_early, "buffer-read"),
        CORRECT(result_read_after_flush), MISTAKE(result_written, "buffer-changed"),
        MISTAKE(result_written_rget, "buffer-changed"), CORRECT(result_written_after_wait),
        MISTAKE(result_twice, "buffer-shared"), CORRECT(result_twice_flush), CORRECT(results_beside),
        MISTAKE(result_put, "buffer-shared"), CORRECT(result_flush_put), MISTAKE(result_is_operand, "buffer-shared"),
        MISTAKE(result_is_origin, "buffer-shared"), CORRECT(results_in_window), CORRECT(origin_freed_after_unlock),
        CORRECT(origins_changed_after_each_wait), CORRECT(no_op_origin_changed), CORRECT(stores_between_epochs)
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
