/* Puts and gets of vectors, with sizes and numbers of pieces around the limits where the component changes its way, and
 * with equal or different types at both ends. Also types that are created at an address where another one was freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { LONGEST = 1200, STRIDE = 5, ROOM = LONGEST * STRIDE };

static const int counts[] = { 1, 2, 3, 7, 255, 511, 512, 513, 767, 1000, 1001, 1021, 1022, 1023, 1024, 1025, LONGEST };

static int64_t mine[ROOM], got[ROOM];
static MPI_Win win;

static int64_t value_of(int i, int seed)
{
    return (int64_t) i * 1000 + seed;
}

static MPI_Datatype vector(int count, int stride)
{
    MPI_Datatype type;

    MPI_OK(MPI_Type_vector(count, 1, stride, MPI_INT64_T, &type));
    MPI_OK(MPI_Type_commit(&type));
    return type;
}

/** Put `count` elements, that are `from` apart here and `to` there, and get all of the memory. */
static void transfer(int target, int count, int from, int to, int seed)
{
    MPI_Datatype here = vector(count, from), there = from == to ? here : vector(count, to);
    int wrong = 0;

    memset(mine, 0x55, sizeof(mine));
    MPI_OK(MPI_Put(mine, ROOM, MPI_INT64_T, target, 0, ROOM, MPI_INT64_T, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < count; i++) {
        mine[i * from] = value_of(i, seed);
    }
    for (int again = 0; again < 2; again++) { /* the second time, what the first one has made is there */
        MPI_OK(MPI_Put(mine, 1, here, target, 0, 1, there, win));
        MPI_OK(MPI_Win_flush(target, win));
    }
    memset(mine, 0xaa, sizeof(mine));
    MPI_OK(MPI_Get(got, ROOM, MPI_INT64_T, target, 0, ROOM, MPI_INT64_T, win));
    MPI_OK(MPI_Get(mine, 1, here, target, 0, 1, there, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < ROOM; i++) {
        int64_t left = 0x5555555555555555;

        wrong += got[i] != (0 == i % to && i / to < count ? value_of(i / to, seed) : left);
        memset(&left, 0xaa, sizeof(left));
        wrong += mine[i] != (0 == i % from && i / from < count ? value_of(i / from, seed) : left);
    }
    CHECK(0 == wrong, "%d elements, %d and %d apart, at %d: %d are wrong", count, from, to, target, wrong);
    if (there != here) {
        MPI_OK(MPI_Type_free(&there));
    }
    MPI_OK(MPI_Type_free(&here));
}

/** A range that ends beyond the window must be refused, also by what remembers the type. */
static void refuse(int target)
{
    MPI_Datatype type = vector(600, STRIDE);
    MPI_Aint most = ROOM - (599 * STRIDE + 1);

    for (int again = 0; again < 2; again++) {
        MPI_OK(MPI_Put(mine, 1, type, target, most, 1, type, win));
        MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Put(mine, 1, type, target, most + 1, 1, type, win));
        MPI_FAILS(MPI_ERR_RMA_RANGE, MPI_Get(mine, 1, type, target, most + 1, 1, type, win));
        MPI_OK(MPI_Win_flush(target, win));
    }
    MPI_OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
    int64_t *memory;
    int target;

    test_init(&argc, &argv);
    target = test_neighbour(1);
    for (int allocate = 0; allocate < 2; allocate++) {
        if (allocate) {
            MPI_OK(MPI_Win_allocate(sizeof(mine), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
        } else {
            memory = calloc(ROOM, sizeof(int64_t));
            MPI_OK(MPI_Win_create(memory, sizeof(mine), sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        }
        MPI_OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        MPI_OK(MPI_Win_lock_all(0, win));
        for (int n = 0; n < (int) (sizeof(counts) / sizeof(counts[0])); n++) {
            for (int from = 2; from <= STRIDE; from++) {
                transfer(target, counts[n], from, from, 10 * n + from);
                transfer(target, counts[n], from, 2 + n % 4, 10 * n + from);
            }
        }
        refuse(target);
        MPI_OK(MPI_Win_unlock_all(win));
        MPI_OK(MPI_Win_free(&win));
        if (!allocate) {
            free(memory);
        }
    }
    return test_finish();
}
