/* A target whose replies cannot leave, because the origin is not inside MPI, sleeps meanwhile and burns no CPU.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <time.h>
#include <unistd.h>

enum { BYTES = 16 << 20 };

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

int main(int argc, char **argv)
{
    char *memory = calloc(1, BYTES), *got = malloc(BYTES), first;
    double begin, used;
    MPI_Win win;

    test_init(&argc, &argv);
    if (test_size < 2) {
        test_skip("needs 2 processes");
    }
    memset(memory, 7, BYTES);
    MPI_Win_create(memory, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (1 == test_rank) {
        MPI_Get(&first, 1, MPI_BYTE, 0, 0, 1, MPI_BYTE, win);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin = cpu_seconds();
    if (1 == test_rank) {
        MPI_Get(got, BYTES, MPI_BYTE, 0, 0, BYTES, MPI_BYTE, win);
    }
    sleep(1);
    used = cpu_seconds() - begin;
    if (0 == test_rank) {
        CHECK(used < 0.3, "%.2f s of CPU in 1 s of sleep", used);
    }
    if (1 == test_rank) {
        MPI_Win_flush(0, win);
        CHECK(0 == memcmp(memory, got, BYTES), "wrong data");
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(memory);
    free(got);
    return test_finish();
}
