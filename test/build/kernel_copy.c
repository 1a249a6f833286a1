/* Long puts and gets to memory of MPI_Win_create are right whichever way they go. "refuse" makes a process that only
 * the administrator may copy from or to.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "../mpi/lib/ended.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

/** Less than what UCX itself copies in this way: it does not expect to be refused later. */
enum { BYTES = 100000 };

static int wrong(const unsigned char *memory, int from, int to, int value)
{
    for (int i = from; i < to; i++) {
        if (memory[i] != (unsigned char) (value + i)) {
            return 1;
        }
    }
    return 0;
}

static void fill(unsigned char *memory, int value)
{
    for (int i = 0; i < BYTES; i++) {
        memory[i] = (unsigned char) (value + i);
    }
}

/* UCX, too, looks into other processes to connect to them. */
static void connect_all(int rank, int size)
{
    MPI_Win win;
    int own = 0;

    MPI_Win_create(&own, sizeof(own), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % size, 0, win);
    MPI_Win_unlock((rank + 1) % size, win);
    MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
    unsigned char *window = malloc(BYTES), *buffer = malloc(BYTES);
    int rank, size, failed = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    connect_all(rank, size);
    if (argc > 1 && 0 == strcmp(argv[1], "refuse")) {
        prctl(PR_SET_DUMPABLE, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    fill(window, rank);
    MPI_Win_create(window, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int bytes = 9000; bytes <= BYTES; bytes = bytes < BYTES ? BYTES : bytes + 1) {
        int to = (rank + 1) % size;

        memset(buffer, 0, BYTES);
        MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);
        MPI_Get(buffer, bytes, MPI_BYTE, to, 0, bytes, MPI_BYTE, win);
        MPI_Win_unlock(to, win);
        failed |= wrong(buffer, 0, bytes, bytes > 9000 ? to + 10 : to);
        MPI_Barrier(MPI_COMM_WORLD);

        fill(buffer, to + 10);
        MPI_Win_fence(0, win);
        MPI_Put(buffer, BYTES, MPI_BYTE, to, 0, BYTES, MPI_BYTE, win);
        MPI_Win_fence(0, win);
        failed |= wrong(window, 0, BYTES, rank + 10);
    }
    MPI_Win_free(&win);
    if (failed) {
        fprintf(stderr, "rank %d: wrong data\n", rank);
    }
    MPI_Finalize();
    return failed;
}
