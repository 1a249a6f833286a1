/* MPI_Win_allocate_shared: sizes that differ and are zero, contiguous or not, shared_query, load and store, RMA.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Rank r has r + 1 longs, but every third process (and sometimes the first) has none. */
static MPI_Aint size_of(int rank, int first_is_empty)
{
    if (2 == rank % 3 || (0 == rank && first_is_empty)) {
        return 0;
    }
    return (rank + 1) * (MPI_Aint) sizeof(long);
}

/* What the query says about each process, and about the first one with memory (MPI_PROC_NULL). */
static void check_query(MPI_Win win, const long *mine, int contiguous, int first_is_empty)
{
    char *base, *end = NULL;
    int unit, found = 0;
    MPI_Aint size;

    for (int rank = 0; rank < test_size; rank++) {
        MPI_OK(MPI_Win_shared_query(win, rank, &size, &unit, &base));
        CHECK(size_of(rank, first_is_empty) == size, "rank %d has size %ld", rank, (long) size);
        CHECK((int) sizeof(long) == unit, "rank %d has disp_unit %d", rank, unit);
        CHECK(rank != test_rank || 0 == size || (char *) mine == base, "the query of myself gives another base");
        if (0 == size) {
            continue;
        }
        if (!found) {
            MPI_Aint null_size;
            char *null_base;

            MPI_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &null_size, &unit, &null_base));
            CHECK(null_base == base && null_size == size, "MPI_PROC_NULL gives another base or size than %d", rank);
        }
        CHECK(!contiguous || NULL == end || end == base, "rank %d does not follow the one before", rank);
        end = base + size;
        found = 1;
    }
}

/* Stores of the owner are loads of all others; a store of the left neighbour is a load of the owner. */
static void check_load_store(MPI_Win win, long *mine, int first_is_empty)
{
    int count = size_of(test_rank, first_is_empty) / sizeof(long), unit, right = test_neighbour(1);
    MPI_Aint size;
    long *theirs;

    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < count; i++) {
        mine[i] = 100 * test_rank + i;
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int rank = 0; rank < test_size; rank++) {
        MPI_Win_shared_query(win, rank, &size, &unit, &theirs);
        for (int i = 0; i < size / (MPI_Aint) sizeof(long); i++) {
            CHECK(100 * rank + i == theirs[i], "element %d of %d is %ld", i, rank, theirs[i]);
        }
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_shared_query(win, right, &size, &unit, &theirs);
    if (size > 0) {
        theirs[0] = -test_rank;
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    CHECK(0 == count || -test_neighbour(-1) == mine[0], "the neighbour's store is not here: %ld", mine[0]);
    MPI_Win_unlock_all(win);
}

/* And RMA reaches the same memory. */
static void check_rma(MPI_Win win, long *mine, int first_is_empty)
{
    int has_memory = size_of(test_rank, first_is_empty) > 0;
    long one = 1;

    if (has_memory) {
        mine[0] = 0;
    }
    MPI_Win_fence(0, win);
    for (int rank = 0; rank < test_size; rank++) {
        if (size_of(rank, first_is_empty) > 0) {
            MPI_Accumulate(&one, 1, MPI_LONG, rank, 0, 1, MPI_LONG, MPI_SUM, win);
            MPI_Put(&one, 0, MPI_LONG, rank, 0, 0, MPI_LONG, win);
        }
    }
    MPI_Win_fence(0, win);
    CHECK(!has_memory || test_size == mine[0], "the sum is %ld", mine[0]);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    if (!test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        test_skip("no shared windows here");
    }
    for (int round = 0; round < 4; round++) {
        int contiguous = round % 2, first_is_empty = test_size > 1 && round / 2;
        MPI_Info info;
        MPI_Win win;
        long *mine;

        MPI_Info_create(&info);
        MPI_Info_set(info, "alloc_shared_noncontig", contiguous ? "false" : "true");
        MPI_OK(MPI_Win_allocate_shared(size_of(test_rank, first_is_empty), sizeof(long), info, MPI_COMM_WORLD, &mine,
                                       &win));
        MPI_Info_free(&info);
        check_query(win, mine, contiguous, first_is_empty);
        check_load_store(win, mine, first_is_empty);
        check_rma(win, mine, first_is_empty);
        MPI_OK(MPI_Win_free(&win));
    }
    return test_finish();
}
