/* A dynamic window with more regions than a process shows in shared memory: each is found, and what lies between them
 * and what was detached is not.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { REGIONS = 600 }; /* every other word */

static long memory[2 * REGIONS];
static MPI_Aint *base;
static MPI_Win win;

static MPI_Aint at(int target, int region)
{
    return base[target] + 2 * region * (MPI_Aint) sizeof(long);
}

/** Fetch-and-add to a region, in an epoch of its own. */
static int add(int target, MPI_Aint disp, long *old)
{
    long one = 1;
    int rc, later;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    rc = MPI_Fetch_and_op(&one, old, MPI_LONG, target, disp, MPI_SUM, win);
    later = MPI_Win_unlock(target, win);
    return test_class(MPI_SUCCESS != rc ? rc : later);
}

/** All regions up to `count` are attached at all ranks, the others are not. */
static void check(int count)
{
    int target = test_neighbour(1);
    long old = -1;

    for (int i = 0; i < REGIONS; i++) {
        int class = add(target, at(target, i), &old);

        CHECK((i < count ? MPI_SUCCESS : MPI_ERR_RMA_RANGE) == class, "region %d of %d: error class %d", i, count,
              class);
        CHECK(i >= count || 7 * i == old, "region %d of %d was %ld", i, count, old);
        class = add(target, at(target, i) + (MPI_Aint) sizeof(long), &old);
        CHECK(MPI_ERR_RMA_RANGE == class, "behind region %d of %d: error class %d", i, count, class);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < REGIONS; i++) {
        CHECK(7 * i + (i < count) == memory[2 * i], "region %d of %d is %ld", i, count, memory[2 * i]);
        CHECK(0 == memory[2 * i + 1], "the word behind region %d was written", i);
        memory[2 * i] = 7 * i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const int counts[] = {0, 255, 256, 257, REGIONS, 300, 256, 1};
    MPI_Aint here;
    int attached = 0;

    test_init(&argc, &argv);
    test_refusals = 1;
    base = malloc(test_size * sizeof(*base));
    MPI_Get_address(memory, &here);
    MPI_Allgather(&here, 1, MPI_AINT, base, 1, MPI_AINT, MPI_COMM_WORLD);
    for (int i = 0; i < REGIONS; i++) {
        memory[2 * i] = 7 * i;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        for (; attached < counts[i]; attached++) {
            MPI_OK(MPI_Win_attach(win, &memory[2 * attached], sizeof(long)));
        }
        for (; attached > counts[i]; attached--) {
            MPI_OK(MPI_Win_detach(win, &memory[2 * (attached - 1)]));
        }
        MPI_Barrier(MPI_COMM_WORLD);
        check(attached);
    }
    MPI_OK(MPI_Win_detach(win, memory));
    MPI_OK(MPI_Win_free(&win));
    free(base);
    return test_finish();
}
