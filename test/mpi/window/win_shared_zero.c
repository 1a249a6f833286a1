/* Segments of size 0 of MPI_Win_allocate_shared: what MPI_Win_shared_query tells of them, and of MPI_PROC_NULL.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One that is not contiguous with others has no address: NULL, which is also what MPI_Alloc_mem gives for 0 bytes. In
 * contiguous memory it is where the one before ends.
 */
#include "windows.h"

enum { BYTES = 64 };

/** Which processes have memory. */
enum which { EVEN, ODD, LAST, NONE, WHICH };
static const char *const name[WHICH] = {"even ranks", "odd ranks", "the last rank", "no rank"};

static MPI_Aint size_of(enum which which, int rank)
{
    switch (which) {
    case EVEN: return 0 == rank % 2 ? BYTES : 0;
    case ODD: return 1 == rank % 2 ? BYTES : 0;
    case LAST: return test_size - 1 == rank ? BYTES : 0;
    default: return 0;
    }
}

/** The first process with memory, or -1. */
static int first_with_memory(enum which which)
{
    for (int rank = 0; rank < test_size; rank++) {
        if (size_of(which, rank) > 0) {
            return rank;
        }
    }
    return -1;
}

static void check_null(MPI_Win win, enum which which, int noncontig)
{
    int first = first_with_memory(which), unit = -1, unit_first = -1;
    MPI_Aint size = -1, size_first = -1;
    char *base = (char *) &size, *base_first = base;

    MPI_OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base));
    if (first >= 0) {
        MPI_OK(MPI_Win_shared_query(win, first, &size_first, &unit_first, &base_first));
        CHECK(size_first == size && base_first == base && unit_first == unit,
              "memory at %s, noncontig %d: MPI_PROC_NULL tells of another one than rank %d", name[which], noncontig,
              first);
    } else {
        CHECK(0 == size, "memory at %s, noncontig %d: MPI_PROC_NULL has size %ld", name[which], noncontig, (long) size);
        CHECK(NULL == base, "memory at %s, noncontig %d: MPI_PROC_NULL has an address", name[which], noncontig);
    }
}

static void check_rank(MPI_Win win, enum which which, int noncontig, int rank, char **end_p)
{
    MPI_Aint size = -1;
    int unit = -1;
    char *base = (char *) &size;

    MPI_OK(MPI_Win_shared_query(win, rank, &size, &unit, &base));
    CHECK(size_of(which, rank) == size && (int) sizeof(int) == unit,
          "memory at %s, noncontig %d: rank %d has size %ld and unit %d", name[which], noncontig, rank, (long) size,
          unit);
    if (0 != size) {
        CHECK(NULL != base, "memory at %s, noncontig %d: rank %d has no address", name[which], noncontig, rank);
        *end_p = base + size;
    } else if (noncontig) {
        CHECK(NULL == base, "memory at %s: rank %d has size 0 and an address", name[which], rank);
    } else {
        CHECK(NULL == base || NULL == *end_p || *end_p == base,
              "memory at %s: rank %d has size 0, and is not where the one before ends", name[which], rank);
    }
}

static void check(enum which which, int noncontig)
{
    char *mine = (char *) &mine, *end = NULL;
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", noncontig ? "true" : "false");
    MPI_OK(MPI_Win_allocate_shared(size_of(which, test_rank), sizeof(int), info, MPI_COMM_WORLD, &mine, &win));
    MPI_Info_free(&info);
    CHECK(!noncontig || (NULL == mine) == (0 == size_of(which, test_rank)),
          "memory at %s, noncontig: MPI_Win_allocate_shared gives %s address for %ld bytes", name[which],
          NULL == mine ? "no" : "an", (long) size_of(which, test_rank));
    for (int rank = 0; rank < test_size; rank++) {
        check_rank(win, which, noncontig, rank, &end);
    }
    check_null(win, which, noncontig);
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    if (!test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        test_skip("no shared windows here");
    }
    for (enum which which = 0; which < WHICH; which++) {
        check(which, 0);
        check(which, 1);
    }
    return test_finish();
}
