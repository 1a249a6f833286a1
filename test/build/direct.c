/* Operations on another process's mapped memory, between two system calls that strace shows: writes to an invalid file
 * descriptor.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void mark(const char *text)
{
    ssize_t written = write(-1, text, strlen(text));

    (void) written;
}

static void operate(MPI_Win win, int target, int times)
{
    double real = 1, reals[4] = {0};
    long one = 1, other = 2, result = 0;

    for (int i = 0; i < times; i++) {
        MPI_Win_lock(0 == i % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, win);
        MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Get(&result, 1, MPI_LONG, target, 1, 1, MPI_LONG, win);
        MPI_Win_flush(target, win);
        MPI_Accumulate(&real, 1, MPI_DOUBLE, target, 2, 1, MPI_DOUBLE, MPI_SUM, win);
        MPI_Get_accumulate(reals, 4, MPI_DOUBLE, reals, 4, MPI_DOUBLE, target, 3, 4, MPI_DOUBLE, MPI_REPLACE, win);
        MPI_Fetch_and_op(&one, &result, MPI_LONG, target, 0, MPI_SUM, win);
        MPI_Compare_and_swap(&one, &other, &result, MPI_LONG, target, 0, win);
        MPI_Win_flush_local(target, win);
        MPI_Win_unlock(target, win);
        MPI_Win_lock_all(0, win);
        MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
        MPI_Win_flush_all(win);
        MPI_Win_unlock_all(win);
    }
}

int main(int argc, char **argv)
{
    int shared = argc > 1 && 0 == strcmp(argv[1], "shared"), rank;
    double *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (shared) {
        MPI_Win_allocate_shared(1024, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    } else {
        MPI_Win_allocate(1024, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    }
    memset(memory, 0, 1024);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        operate(win, 1, 10);
        mark("begin");
        operate(win, 1, 10000);
        mark("end");
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
