/* Sizes of MPI_Win_allocate_shared that cannot be: their sum, or their sum in whole pages, is more than an address can
 * tell. All processes get the same error, and the communicator can be used afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#define LARGEST ((MPI_Aint) (~(size_t) 0 >> 1))

/** The sizes of the processes. */
enum sizes { WRAP_TO_0, ALL_LARGEST, LAST_LARGEST, FIRST_LARGEST, WRAP_IN_PAGES, SIZES };
static const char *const name[SIZES] = {
    "a sum of 2^64", "all as large as can be", "the last as large as can be", "the first as large as can be",
    "a sum below 2^64, but not in whole pages"
};

/** `sum` divided by the number of processes; rank 0 has the rest, too. Two processes reach no more than 2^64 - 2. */
static MPI_Aint share_of(size_t sum)
{
    size_t share = sum / (size_t) test_size, rest = 0 == test_rank ? sum % (size_t) test_size : 0;

    return share + rest > (size_t) LARGEST ? LARGEST : (MPI_Aint) (share + rest);
}

static MPI_Aint size_of(enum sizes sizes)
{
    switch (sizes) {
    case WRAP_TO_0: return share_of(~(size_t) 0) + (0 == test_rank && test_size > 2);
    case ALL_LARGEST: return LARGEST;
    case LAST_LARGEST: return test_size - 1 == test_rank ? LARGEST : 100;
    case FIRST_LARGEST: return 0 == test_rank ? LARGEST : 100;
    default: return share_of(~(size_t) 0 - 100);
    }
}

static void must_fail(enum sizes sizes, const char *noncontig)
{
    MPI_Win win = MPI_WIN_NULL;
    MPI_Info info;
    char *base;
    int class, highest;

    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", noncontig);
    class = test_class(MPI_Win_allocate_shared(size_of(sizes), 1, info, MPI_COMM_WORLD, &base, &win));
    CHECK(MPI_SUCCESS != class, "%s, noncontig %s: a window of %lld bytes", name[sizes], noncontig,
          (long long) size_of(sizes));
    MPI_OK(MPI_Allreduce(&class, &highest, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    CHECK(class == highest, "%s, noncontig %s: error class %d, another process has %d", name[sizes], noncontig, class,
          highest);
    if (MPI_SUCCESS == class && MPI_SUCCESS == highest) {
        MPI_OK(MPI_Win_free(&win));
    }
    MPI_Info_free(&info);
}

/** After that, a window can be made. */
static void must_work(void)
{
    long *base;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate_shared(sizeof(long), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    *base = test_rank;
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    if (!test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        test_skip("no shared windows here");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (enum sizes sizes = 0; sizes < SIZES; sizes++) {
        must_fail(sizes, "false");
        must_fail(sizes, "true");
    }
    must_work();
    return test_finish();
}
