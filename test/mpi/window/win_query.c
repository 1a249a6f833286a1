/* MPI 4.1: MPI_Win_shared_query of any window but dynamic: a pointer that works, or NULL and size 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Rank r has r + 1 longs in units of its own; rank 1 of several has none. */
static MPI_Aint words_of(int rank)
{
    return 1 == rank ? 0 : rank + 1;
}

static int unit_of(int rank)
{
    return 1 << rank % 4;
}

static int query(MPI_Win win, int rank, long **base)
{
    MPI_Aint size = -1;
    int unit = -1;

    *base = (long *) &size;
    MPI_OK(MPI_Win_shared_query(win, rank, &size, &unit, base));
    if (NULL == *base || 0 == size) {
        CHECK(0 == size, "rank %d: no pointer, but a size of %ld", rank, (long) size);
        return 0;
    }
    CHECK(words_of(rank) * (MPI_Aint) sizeof(long) == size, "rank %d has size %ld", rank, (long) size);
    CHECK(unit_of(rank) == unit, "rank %d has disp_unit %d", rank, unit);
    return 1;
}

/* Each owner stores; whoever has a pointer loads, then stores, and the owner loads. Returns how many pointers. */
static int check(MPI_Win win, long *mine, const char *name)
{
    int right = test_neighbour(1), pointers = 0;
    long *theirs, got;

    MPI_Win_lock_all(0, win);
    for (int i = 0; i < words_of(test_rank); i++) {
        mine[i] = 100 * test_rank + i;
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int rank = 0; rank < test_size; rank++) {
        if (!query(win, rank, &theirs)) {
            continue;
        }
        pointers++;
        CHECK(rank != test_rank || mine == theirs, "%s: my own memory is at another address", name);
        MPI_Win_sync(win);
        for (int i = 0; i < words_of(rank); i++) {
            CHECK(100 * rank + i == theirs[i], "%s: element %d of %d is %ld", name, i, rank, theirs[i]);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (words_of(right) > 0) {
        if (query(win, right, &theirs)) {
            theirs[0] = -test_rank;
            MPI_Win_sync(win);
        } else {
            got = -test_rank;
            MPI_Put(&got, 1, MPI_LONG, right, 0, 1, MPI_LONG, win);
            MPI_Win_flush(right, win);
        }
        MPI_Get(&got, 1, MPI_LONG, right, 0, 1, MPI_LONG, win); /* the same memory by RMA */
        MPI_Win_flush(right, win);
        CHECK(-test_rank == got, "%s: a get gives %ld, not what was stored", name, got);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    CHECK(0 == words_of(test_rank) || -test_neighbour(-1) == mine[0], "%s: %ld", name, mine[0]);
    MPI_Win_unlock_all(win);
    return pointers;
}

int main(int argc, char **argv)
{
    long *memory, *base;
    MPI_Aint size;
    MPI_Win win;
    int own, unit;

    test_init(&argc, &argv);
    size = words_of(test_rank) * sizeof(long);
    own = words_of(test_rank) > 0;
    memory = calloc(words_of(test_rank) + 1, sizeof(long));
    if (test_has_flavor(MPI_COMM_WORLD, TEST_CREATE)) {
        MPI_OK(MPI_Win_create(memory, size, unit_of(test_rank), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        CHECK(check(win, memory, "create") >= own, "create: not even my own memory");
        MPI_OK(MPI_Win_free(&win));
    }
    if (test_has_flavor(MPI_COMM_WORLD, TEST_ALLOCATE)) {
        MPI_OK(MPI_Win_allocate(size, unit_of(test_rank), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
        CHECK(check(win, base, "allocate") >= own, "allocate: not even my own memory");
        MPI_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base));
        CHECK(test_rank > 0 || (sizeof(long) == size && -test_neighbour(-1) == *base),
              "allocate: MPI_PROC_NULL does not give the first process with memory");
        MPI_OK(MPI_Win_free(&win));
    }
    free(memory);
    return test_finish();
}
