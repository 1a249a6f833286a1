/* Locks of two windows: whoever waits in a fair order does not wait for ever, even if it holds a lock of another window
 * for which the one in front of it waits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each lock could be had at once but for the order: a process waits for one that has asked before, that one for a third
 * process, and this one for the first.
 */
#include "windows.h"

static void wait_for_turn(int turn)
{
    test_compute(0.05 * turn);
}

/* Use the lock on a target. */
static void add(int target, MPI_Win win)
{
    static const long one = 1; /* it is read until the caller completes this */

    MPI_OK(MPI_Accumulate(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, MPI_SUM, win));
}

static void lock_and_add(int lock, int target, MPI_Win win)
{
    MPI_Win_lock(lock, target, 0, win);
    add(target, win);
    MPI_Win_flush(target, win);
}

/* Rank 0 asks for all of `second`, behind rank 2, which holds a part of it. Rank 1 asks for another part. */
static void writer_behind_all(MPI_Win first, MPI_Win second)
{
    if (1 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, first);
    } else if (2 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 2, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wait_for_turn(test_rank);
    if (0 == test_rank) {
        MPI_Win_lock_all(0, second);
        add(2, second);
        MPI_Win_unlock_all(second);
    } else if (1 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 1, second);
        MPI_Win_unlock(1, second);
        MPI_Win_unlock(0, first);
    } else if (2 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, first);
        MPI_Win_unlock(0, first);
        MPI_Win_unlock(2, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 asks for an exclusive lock, behind rank 2, which reads. Rank 1 reads, too, and holds all of `first`. */
static void reader_behind_writer(MPI_Win first, MPI_Win second)
{
    if (1 == test_rank) {
        MPI_Win_lock_all(0, first);
        add(0, first);
        MPI_Win_flush(0, first);
    } else if (2 == test_rank) {
        lock_and_add(MPI_LOCK_SHARED, 0, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wait_for_turn(test_rank);
    if (0 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, second);
        MPI_Win_unlock(0, second);
    } else if (1 == test_rank) {
        lock_and_add(MPI_LOCK_SHARED, 0, second);
        MPI_Win_unlock(0, second);
        MPI_Win_unlock_all(first);
    } else if (2 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, first);
        MPI_Win_unlock(0, first);
        MPI_Win_unlock(0, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 asks for all of `second`, of which rank 2 reads a part, and rank 1 asks for that part exclusively. */
static void all_behind_writer(MPI_Win first, MPI_Win second)
{
    if (0 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, first);
    } else if (2 == test_rank) {
        lock_and_add(MPI_LOCK_SHARED, 0, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    wait_for_turn((test_rank + 2) % 3);
    if (0 == test_rank) {
        MPI_Win_lock_all(0, second);
        add(0, second);
        add(1, second);
        MPI_Win_unlock_all(second);
        MPI_Win_unlock(0, first);
    } else if (1 == test_rank) {
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, second);
        MPI_Win_unlock(0, second);
    } else if (2 == test_rank) {
        wait_for_turn(2);
        lock_and_add(MPI_LOCK_EXCLUSIVE, 0, first);
        MPI_Win_unlock(0, first);
        MPI_Win_unlock(0, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check(const long *memory, long wanted)
{
    CHECK(0 != test_rank || wanted == *memory, "%ld was added, not %ld", *memory, wanted);
}

int main(int argc, char **argv)
{
    long *first_memory, *second_memory;
    MPI_Win first, second;

    test_init(&argc, &argv);
    test_needs(3);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &first_memory, &first);
    MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &second_memory, &second);
    *first_memory = *second_memory = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    writer_behind_all(first, second);
    reader_behind_writer(first, second);
    all_behind_writer(first, second);
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, first);
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, second);
    check(first_memory, 6);
    check(second_memory, 6);
    MPI_Win_unlock(test_rank, second);
    MPI_Win_unlock(test_rank, first);
    MPI_Win_free(&second);
    MPI_Win_free(&first);
    return test_finish();
}
