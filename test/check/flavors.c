/* The checker's collection: the same mistakes in windows of all flavours.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cases.h"

static void put_put(void)
{
    lock_all();
    if (TARGET != rank) {
        put(data, 4, 5 + 2 * rank);
    }
    barrier();
    unlock_all();
}

static void put_put_apart(void)
{
    lock_all();
    if (TARGET != rank) {
        put(data, 4, 5 + 4 * rank);
    }
    barrier();
    unlock_all();
}

static void put_acc_fence(void)
{
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (OTHER == rank) {
        put(data, 1, 5);
    }
    fence();
}

static void put_flush_barrier_get(void)
{
    lock_all();
    data[0] = 1;
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    barrier();
    get(result, 1, 5);
    unlock_all();
}

static void store_put(void)
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

static void origin_changed(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, 1, 5);
        data[0] = 1;
        unlock();
    }
}

/* Shared windows: loads and stores of other processes. */

static int *cells_of_target(void)
{
    MPI_Aint bytes;
    int unit, *memory;

    MPI_Win_shared_query(win, TARGET, &bytes, &unit, &memory);
    return memory;
}

/** Another process stores where an origin puts. */
static void neighbour_stores(void)
{
    fence();
    if (ONE == rank) {
        data[0] = 1;
        put(data, 1, 5);
    } else if (OTHER == rank) {
        cells_of_target()[5] = 2;
    }
    fence();
}

static void neighbour_stores_in_turn(void)
{
    lock_all();
    if (OTHER == rank) {
        cells_of_target()[5] = 2;
        MPI_Win_sync(win);
    }
    barrier();
    MPI_Win_sync(win);
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    barrier();
    MPI_Win_sync(win);
    if (TARGET == rank) {
        cells[5] += 2;
    }
    unlock_all();
}

/* Two windows that share their memory. */

static void two_windows(void)
{
    MPI_Win second;

    MPI_Win_create(cells, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &second);
    MPI_Win_set_name(second, current->name);
    lock_all();
    MPI_Win_lock_all(0, second);
    if (ONE == rank) {
        put(data, 1, 5);
    } else if (OTHER == rank) {
        MPI_Put(data, 1, MPI_INT, TARGET, 5, 1, MPI_INT, second);
    }
    barrier();
    MPI_Win_unlock_all(second);
    unlock_all();
    MPI_Win_free(&second);
}

/** The put by the one window is complete, and the other process knows, before that by the other window. */
static void two_windows_in_turn(void)
{
    MPI_Win second;

    MPI_Win_create(cells, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &second);
    MPI_Win_set_name(second, current->name);
    lock_all();
    MPI_Win_lock_all(0, second);
    if (ONE == rank) {
        put(data, 1, 5);
        flush();
    }
    barrier();
    if (OTHER == rank) {
        MPI_Put(data, 1, MPI_INT, TARGET, 5, 1, MPI_INT, second);
    }
    MPI_Win_unlock_all(second);
    unlock_all();
    MPI_Win_free(&second);
}

/** The second window has only the second half of the memory. */
static void two_windows_shifted(void)
{
    MPI_Win second;

    MPI_Win_create(cells + CELLS / 2, CELLS / 2 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &second);
    MPI_Win_set_name(second, current->name);
    fence();
    MPI_Win_fence(0, second);
    if (ONE == rank) {
        put(data, 1, CELLS / 2 + 5);
    } else if (OTHER == rank) {
        MPI_Put(data, 1, MPI_INT, TARGET, 5, 1, MPI_INT, second);
    }
    barrier();
    MPI_Win_fence(MPI_MODE_NOSUCCEED, second);
    fence();
    MPI_Win_free(&second);
}

/** Windows of their own: the same displacement means nothing. */
static void two_windows_apart(void)
{
    MPI_Win second;
    int *memory;

    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &second);
    MPI_Win_set_name(second, current->name);
    lock_all();
    MPI_Win_lock_all(0, second);
    if (ONE == rank) {
        put(data, 1, 5);
    } else if (OTHER == rank) {
        MPI_Put(data, 1, MPI_INT, TARGET, 5, 1, MPI_INT, second);
    }
    barrier();
    MPI_Win_unlock_all(second);
    unlock_all();
    MPI_Win_free(&second);
}

/** A unit of one byte: elements of the processes touch, but do not overlap. */
static void bytes_beside(void)
{
    MPI_Win second;
    char *memory;

    MPI_Win_allocate(CELLS, 1, MPI_INFO_NULL, comm, &memory, &second);
    MPI_Win_set_name(second, current->name);
    MPI_Win_fence(0, second);
    MPI_Put(data, 1, MPI_CHAR, TARGET, 3 + rank, 1, MPI_CHAR, second);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, second);
    MPI_Win_free(&second);
}

static void bytes_overlap(void)
{
    MPI_Win second;
    char *memory;

    MPI_Win_allocate(CELLS, 1, MPI_INFO_NULL, comm, &memory, &second);
    MPI_Win_set_name(second, current->name);
    MPI_Win_fence(0, second);
    MPI_Put(data, 2, MPI_CHAR, TARGET, 3 + rank, 2, MPI_CHAR, second);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, second);
    MPI_Win_free(&second);
}

int main(int argc, char **argv)
{
    static const struct test_case all[] = {
        /* Behind windows of shared memory the checker knows no clocks. */
        MISTAKE_IN(CREATE, put_put, "put-put"), MISTAKE_IN(DYNAMIC, put_put, "put-put"),
        CORRECT_IN(CREATE, put_put_apart), CORRECT_IN(DYNAMIC, put_put_apart),
        MISTAKE_IN(CREATE, put_acc_fence, "accumulate-put"), MISTAKE_IN(DYNAMIC, put_acc_fence, "accumulate-put"),
        CORRECT_IN(CREATE, put_flush_barrier_get), CORRECT_IN(DYNAMIC, put_flush_barrier_get),
        MISTAKE_IN(CREATE, store_put, "put-store"), MISTAKE_IN(DYNAMIC, store_put, "put-store"),
        MISTAKE_IN(CREATE, origin_changed, "buffer-changed"), MISTAKE_IN(DYNAMIC, origin_changed, "buffer-changed"),
        MISTAKE(two_windows, "put-put"), CORRECT(two_windows_in_turn), MISTAKE(two_windows_shifted, "put-put"),
        CORRECT(two_windows_apart), CORRECT(bytes_beside),
        MISTAKE(bytes_overlap, "put-put"), MISTAKE_IN(SHARED, put_put, "put-put"), CORRECT_IN(SHARED, put_put_apart),
        MISTAKE_IN(SHARED, put_acc_fence, "accumulate-put"), CORRECT_IN(SHARED, put_flush_barrier_get),
        MISTAKE_IN(SHARED, store_put, "put-store"), MISTAKE_IN(SHARED, origin_changed, "buffer-changed"),
        MISTAKE_IN(SHARED, neighbour_stores, "put-store"), CORRECT_IN(SHARED, neighbour_stores_in_turn)
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
