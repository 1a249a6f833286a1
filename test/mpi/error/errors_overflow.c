/* Sizes, displacements and extents that overflow, or that no machine has: an error on all processes, soon, without
 * taking memory; a smaller window can be made next.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <limits.h>

/** A small window works. */
static void small_works(void)
{
    int target = test_neighbour(1);
    long *base, value = test_rank;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    MPI_OK(MPI_Win_fence(0, win));
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    CHECK(test_neighbour(-1) == *base, "the window holds %ld", *base);
    MPI_OK(MPI_Win_free(&win));
}

/** One process asks for too much, or all do. */
static void allocate(MPI_Aint size)
{
    double begin = MPI_Wtime();
    char *base;
    MPI_Win win;

    for (int all = 0; all < 2; all++) {
        MPI_Aint mine = all || test_size - 1 == test_rank ? size : 8;

        CHECK(MPI_SUCCESS != MPI_Win_allocate(mine, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win),
              "%ld bytes can be had", (long) size);
        small_works();
    }
    CHECK(MPI_Wtime() - begin < test_patience(), "%ld bytes: %g s", (long) size, MPI_Wtime() - begin);
}

static void attach(void)
{
    static long memory[4];
    MPI_Win win;

    MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_FAILS(MPI_ERR_SIZE, MPI_Win_attach(win, memory, LONG_MIN));
    MPI_FAILS(MPI_ERR_SIZE, MPI_Win_attach(win, memory, -1));
    MPI_OK(MPI_Win_attach(win, memory, sizeof(memory)));
    MPI_OK(MPI_Win_detach(win, memory));
    MPI_OK(MPI_Win_free(&win));
}

/** A type that begins at 2^62 and whose data, with that, end behind the last address: nothing is moved. */
static void types(void)
{
    MPI_Aint place = (MPI_Aint) 1 << 62;
    int length = 1, target = test_neighbour(1);
    MPI_Datatype piece, large, far;
    long memory[4] = {0};
    MPI_Win win;

    MPI_Type_contiguous(1 << 30, MPI_LONG, &piece);
    MPI_Type_contiguous(1 << 29, piece, &large);
    MPI_Type_create_hindexed(1, &length, &place, large, &far);
    MPI_Type_commit(&far);
    MPI_OK(MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    CHECK(MPI_SUCCESS != MPI_Put(memory, 1, far, target, 0, 1, far, win), "2^62 bytes are put at 2^62");
    CHECK(MPI_SUCCESS != MPI_Get(memory, 1, far, target, LONG_MAX, 1, far, win), "2^62 bytes are got");
    CHECK(MPI_SUCCESS != MPI_Put(memory, 1, MPI_LONG, target, LONG_MAX, 1, MPI_LONG, win), "a put at the end");
    MPI_OK(MPI_Win_unlock(target, win));
    MPI_OK(MPI_Win_free(&win));
    MPI_Type_free(&far);
    MPI_Type_free(&large);
    MPI_Type_free(&piece);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    small_works();
    allocate(LONG_MAX);
    allocate(LONG_MAX - 4096);
    allocate(LONG_MAX - (1 << 20));
    allocate((MPI_Aint) 1 << 62);
    allocate((MPI_Aint) 1 << 50);
    attach();
    types();
    return test_finish();
}
