/* Accumulates of one element that change nothing store nothing: the window's memory can only be read.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"
#include <sys/mman.h>
#include <unistd.h>

static const struct { MPI_Datatype type; MPI_Op op; } calls[] = {
    {MPI_LONG, MPI_SUM},       {MPI_LONG, MPI_BOR},   {MPI_LONG, MPI_MAX},       {MPI_DOUBLE, MPI_SUM},
    {MPI_INT, MPI_BAND},       {MPI_FLOAT, MPI_MIN},  {MPI_SHORT, MPI_SUM},      {MPI_BYTE, MPI_BXOR},
    {MPI_C_BOOL, MPI_LOR},     {MPI_2INT, MPI_MINLOC}, {MPI_SHORT_INT, MPI_MAXLOC}, {MPI_DOUBLE_INT, MPI_MAXLOC},
};

enum { CALLS = sizeof(calls) / sizeof(calls[0]), BYTES = 64 };

/* All with 0, which all elements are. */
static void change_nothing(int target, MPI_Win win)
{
    char zeros[BYTES] = {0}, old[CALLS][BYTES];
    long compared[2] = {1, 1};

    memset(old, 1, sizeof(old));
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    for (int i = 0; i < CALLS; i++) {
        MPI_OK(MPI_Get_accumulate(zeros, 1, calls[i].type, old[i], 1, calls[i].type, target, i * BYTES, 1,
                                  calls[i].type, calls[i].op, win));
        MPI_OK(MPI_Accumulate(zeros, 1, calls[i].type, target, i * BYTES, 1, calls[i].type, calls[i].op, win));
    }
    MPI_OK(MPI_Fetch_and_op(zeros, &compared[0], MPI_LONG, target, 0, MPI_REPLACE, win));
    MPI_OK(MPI_Compare_and_swap(zeros, zeros, &compared[1], MPI_LONG, target, 0, win));
    MPI_OK(MPI_Win_unlock(target, win));
    for (int i = 0; i < CALLS; i++) {
        CHECK(0 == old[i][0], "call %d: the old element is %d", i, old[i][0]);
    }
    CHECK(0 == compared[0] && 0 == compared[1], "swapped: %ld, %ld", compared[0], compared[1]);
}

int main(int argc, char **argv)
{
    const size_t page = (size_t) sysconf(_SC_PAGESIZE);
    char *memory;
    MPI_Win win;

    test_init(&argc, &argv);
    memory = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(MAP_FAILED != (void *) memory && CALLS * BYTES <= page, "no page");
    MPI_OK(MPI_Win_create(memory, (MPI_Aint) page, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    for (int turn = 0; turn < 2 * test_size; turn++) {
        if (turn % test_size == test_rank) {
            change_nothing(test_neighbour(1), win);
        } else if (turn < test_size) {
            usleep(20000); /* then the target waits in MPI */
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_OK(MPI_Win_free(&win));
    munmap(memory, page);
    return test_finish();
}
