/* A large window takes no memory before it is touched, and gives back what it took when it is freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <unistd.h>

#define LARGE   ((MPI_Aint) 512 << 20)
#define TOUCHED ((size_t) 64 << 20)
#define SLACK   ((long) 16 << 20)

/** Bytes of memory that this process has in use. */
static long resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long total, pages = 0;

    if (NULL == file || 2 != fscanf(file, "%ld %ld", &total, &pages)) {
        CHECK(0, "cannot read /proc/self/statm");
    }
    if (NULL != file) {
        fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv)
{
    unsigned char *memory;
    long before, grown;
    MPI_Win win;

    test_init(&argc, &argv);
    /* UCX and its connections come with the first window. */
    MPI_OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, win);
    MPI_OK(MPI_Win_free(&win));

    before = resident();
    for (int round = 0; round < 4; round++) {
        MPI_OK(MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
        MPI_Win_fence(0, win);
        grown = resident() - before;
        CHECK(grown < SLACK, "round %d: %ld bytes more before the window was touched", round, grown);
        memset(memory, 1, TOUCHED);
        MPI_Put(memory, 100, MPI_BYTE, test_neighbour(1), LARGE - 100, 100, MPI_BYTE, win);
        MPI_Win_fence(0, win);
        CHECK(1 == memory[LARGE - 1], "round %d: nothing was put", round);
        MPI_OK(MPI_Win_free(&win));
        MPI_Barrier(MPI_COMM_WORLD);
        grown = resident() - before;
        CHECK(grown < SLACK, "round %d: %ld bytes more after the window was freed", round, grown);
    }
    return test_finish();
}
