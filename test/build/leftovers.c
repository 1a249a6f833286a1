/* Windows of all kinds that last until somebody kills a process, or to the normal end; or windows that are made and
 * freed for ever; then a file is there once one was.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SMALL = 100, LARGE = 8 << 20 };

/** Until somebody kills a process. */
static void make_for_ever(const char *file)
{
    static const MPI_Aint bytes[] = {SMALL, LARGE};
    char *memory;
    MPI_Win win;

    for (int i = 0;; i++) {
        if (i % 4 < 2) {
            MPI_Win_allocate(bytes[i % 2], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        } else {
            MPI_Win_allocate_shared(bytes[i % 2], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
        }
        memory[0] = 1;
        MPI_Win_free(&win);
        if (0 == i) {
            fclose(fopen(file, "w"));
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Win win[6];
    char *memory[6], own[64];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 2 && 0 == strcmp(argv[1], "loop")) {
        make_for_ever(argv[2]);
    }
    MPI_Win_allocate(SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[0], &win[0]);
    MPI_Win_allocate(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[1], &win[1]);
    MPI_Win_allocate_shared(SMALL, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[2], &win[2]);
    MPI_Win_allocate_shared(LARGE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory[3], &win[3]);
    MPI_Win_create(own, sizeof(own), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[4]);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win[5]);
    for (int i = 0; i < 5; i++) {
        MPI_Win_fence(0, win[i]);
        MPI_Put(&rank, 1, MPI_INT, 0 == rank, 0, 1, MPI_INT, win[i]);
        MPI_Win_fence(0, win[i]);
    }
    if (argc > 1 && 0 == strcmp(argv[1], "kill") && 1 == rank) {
        raise(SIGKILL);
    }
    for (int i = 0; i < 6; i++) {
        MPI_Win_free(&win[i]);
    }
    MPI_Finalize();
    return 0;
}
