/* The same memory in two windows, whole and in part: what one has completed, the other shows; fence, lock, dynamic.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { WORDS = 16 };

static long *memory;

static void put(MPI_Win win, MPI_Aint disp, long value)
{
    static long kept;

    kept = value;
    MPI_OK(MPI_Put(&kept, 1, MPI_LONG, test_neighbour(1), disp, 1, MPI_LONG, win));
}

/* Word 5 of the memory is word 1 of the second window, which begins at word 4. */
static void check(MPI_Win whole, MPI_Win part, MPI_Win dynamic, MPI_Aint address)
{
    int right = test_neighbour(1), left = test_neighbour(-1);
    long got = -1, one = 1;

    MPI_Win_fence(0, whole);
    put(whole, 5 * sizeof(long), 100 + test_rank);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, whole);
    CHECK(100 + left == memory[5], "fence: %ld", memory[5]);
    MPI_Win_fence(0, part);
    MPI_Get(&got, 1, MPI_LONG, right, 1, 1, MPI_LONG, part);
    MPI_Accumulate(&one, 1, MPI_LONG, right, 2, 1, MPI_LONG, MPI_SUM, part);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, part);
    CHECK(100 + test_rank == got, "the other window shows %ld", got);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, dynamic);
    MPI_Fetch_and_op(&one, &got, MPI_LONG, right, address + 6 * sizeof(long), MPI_SUM, dynamic);
    MPI_Win_unlock(right, dynamic);
    CHECK(1 == got, "the dynamic window shows %ld", got);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, whole);
    MPI_Get(&got, 1, MPI_LONG, right, 6 * sizeof(long), 1, MPI_LONG, whole);
    MPI_Win_unlock(right, whole);
    CHECK(2 == got, "the first window shows %ld", got);
}

int main(int argc, char **argv)
{
    MPI_Win whole, part, dynamic;
    MPI_Aint address, *addresses;

    test_init(&argc, &argv);
    addresses = malloc(test_size * sizeof(MPI_Aint));
    memory = calloc(WORDS, sizeof(long));
    MPI_OK(MPI_Win_create(memory, WORDS * sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &whole));
    MPI_OK(MPI_Win_create(memory + 4, 4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &part));
    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    MPI_OK(MPI_Win_attach(dynamic, memory, WORDS * sizeof(long)));
    MPI_Get_address(memory, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    check(whole, part, dynamic, addresses[test_neighbour(1)]);
    MPI_OK(MPI_Win_free(&whole));
    /* The memory is the others' still. */
    MPI_Win_fence(0, part);
    put(part, 3, -1 - test_rank);
    MPI_Win_fence(0, part);
    CHECK(-1 - test_neighbour(-1) == memory[7], "after the first window is freed: %ld", memory[7]);
    MPI_OK(MPI_Win_free(&part));
    MPI_OK(MPI_Win_free(&dynamic));
    free(memory);
    free(addresses);
    return test_finish();
}
