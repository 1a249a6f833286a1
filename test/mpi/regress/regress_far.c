/* Others' bug: displacements kept in an int. A window of 6 GiB, of which only a few pages are ever touched.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"
#include <sys/mman.h>

int main(int argc, char **argv)
{
    const MPI_Aint size = (MPI_Aint) 6 << 30, step = ((MPI_Aint) 1 << 30) + 8;
    long value, one = 1, got = -1, was = -1, *there;
    char *memory;
    MPI_Win win;
    int failed, any, right;

    test_init(&argc, &argv);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    failed = MAP_FAILED == memory;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any) {
        test_skip("no address space for a window of 6 GiB");
    }
    right = test_neighbour(1);
    MPI_OK(MPI_Win_create(memory, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_lock_all(0, win);
    for (MPI_Aint disp = step; disp + 8 <= size; disp += step) {
        value = disp + test_rank;
        MPI_Put(&value, 1, MPI_LONG, right, disp, 1, MPI_LONG, win);
        MPI_Win_flush(right, win);
        MPI_Accumulate(&one, 1, MPI_LONG, right, disp, 1, MPI_LONG, MPI_SUM, win);
        MPI_Fetch_and_op(&one, &was, MPI_LONG, right, disp, MPI_SUM, win);
        MPI_Win_flush(right, win);
        MPI_Get(&got, 1, MPI_LONG, right, disp, 1, MPI_LONG, win);
        MPI_Win_flush(right, win);
        CHECK(value + 1 == was && value + 2 == got, "at %ld: fetched %ld, got %ld", (long) disp, was, got);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win);
    for (MPI_Aint disp = step; disp + 8 <= size; disp += step) {
        there = (long *) (memory + disp);
        CHECK(disp + test_neighbour(-1) + 2 == *there, "at %ld: %ld", (long) disp, *there);
    }
    MPI_Win_unlock(test_rank, win);
    MPI_OK(MPI_Win_free(&win));
    munmap(memory, size);
    return test_finish();
}
