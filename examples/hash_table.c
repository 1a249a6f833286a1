/* A hash table whose slots are spread over all processes: they count how often each key occurs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: which slot a key gets shows only while it is inserted, so no owner can take part.
 * MPI_Compare_and_swap takes an empty slot or tells which key has it: two processes that insert the same key at once
 * get the same slot. Counts grow by MPI_Accumulate, which is atomic. A shared lock of all processes is enough.
 * A slot's key is only changed by MPI_Compare_and_swap, its count only by MPI_SUM, as atomic operations on one location
 * must be of one kind (info key accumulate_ops). Plain gets are for the time behind the barrier, when nobody writes.
 *
 * run:     mpicc hash_table.c -o hash_table && mpirun -np 4 ./hash_table
 * output:  5000 words, 500 different ones, each counted right
 */

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 500, WORDS = 5000, SLOTS = 1024 }; /* slots of all processes together */

typedef struct {
    int64_t key; /* 0: empty */
    int64_t count;
} slot_t;

/* Words are numbers here: word i is key i * i % KEYS + 1, and some more so that each key occurs. */
static int64_t word(int i)
{
    return i < KEYS ? i + 1 : (int64_t)i * i % KEYS + 1;
}

/* Slot number n lies at rank n % size, in place n / size. */
static int64_t hash(int64_t key)
{
    return (int64_t)((uint64_t)key * 0x9e3779b97f4a7c15u >> 40) % SLOTS;
}

/* Count the key once, in its slot, or in the next one that is empty or has this key. */
static void count(int64_t key, int size, MPI_Win window)
{
    const int64_t empty = 0, one = 1;
    int64_t       number = hash(key), found;

    for (;; number = (number + 1) % SLOTS) {
        int      owner = (int)(number % size);
        MPI_Aint where = number / size * sizeof(slot_t);

        MPI_Compare_and_swap(&key, &empty, &found, MPI_INT64_T, owner, where, window);
        MPI_Win_flush(owner, window);
        if (empty == found || key == found) {
            where += offsetof(slot_t, count);
            MPI_Accumulate(&one, 1, MPI_INT64_T, owner, where, 1, MPI_INT64_T, MPI_SUM, window);
            MPI_Win_flush_local(owner, window); /* "one" may go */
            return;
        }
    }
}

/* How often the key was counted. */
static int64_t look_up(int64_t key, int size, MPI_Win window)
{
    int64_t number = hash(key);
    slot_t  slot;

    for (;; number = (number + 1) % SLOTS) {
        int      owner = (int)(number % size);
        MPI_Aint where = number / size * sizeof(slot_t);

        MPI_Get(&slot, 2, MPI_INT64_T, owner, where, 2, MPI_INT64_T, window);
        MPI_Win_flush(owner, window);
        if (0 == slot.key || key == slot.key) {
            return slot.count;
        }
    }
}

int main(int argc, char **argv)
{
    int      rank, size, expected[KEYS + 1] = { 0 }, wrong = 0;
    slot_t  *slots;
    MPI_Win  window;
    MPI_Aint bytes;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bytes = (SLOTS + size - 1) / size * sizeof(slot_t);
    MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &slots, &window);
    MPI_Win_lock_all(0, window);
    memset(slots, 0, bytes);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody inserts before all slots are empty */

    for (int i = rank; i < WORDS; i += size) {
        count(word(i), size, window);
    }
    MPI_Win_flush_all(window);
    MPI_Barrier(MPI_COMM_WORLD); /* behind it, all words of all processes are counted */

    for (int i = 0; i < WORDS; i++) {
        expected[word(i)]++;
    }
    for (int key = 1; key <= KEYS; key++) {
        wrong += look_up(key, size, window) != expected[key];
    }
    MPI_Win_unlock_all(window);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (0 == rank && 0 == wrong) {
        printf("%d words, %d different ones, each counted right\n", WORDS, KEYS);
    } else if (0 == rank) {
        printf("wrong: %d counts\n", wrong);
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
