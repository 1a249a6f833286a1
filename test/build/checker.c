/* A program with mistakes in its window "halo", or, with an argument, without. See checker.sh.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>
#include <stdio.h>

static int data[8];

/** Two puts to the same bytes, at `lines` places in the program. */
static void mistakes(MPI_Win win, int lines)
{
    MPI_Put(data, 4, MPI_INT, 0, 0, 4, MPI_INT, win);
    MPI_Put(data, 4, MPI_INT, 0, 2, 4, MPI_INT, win);
    if (lines > 1) {
        MPI_Put(data, 4, MPI_INT, 0, 3, 4, MPI_INT, win);
    }
}

int main(int argc, char **argv)
{
    MPI_Win win;
    int *base, rank;

    (void) argv;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(1024, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_name(win, "halo \"1\"");
    for (int i = 0; i < 3; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        if (1 == argc) {
            mistakes(win, rank + 1);
        }
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    printf("rank %d ends\n", rank);
    return 0;
}
