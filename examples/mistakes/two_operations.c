/* Mistake: some processes add to a word while others take a maximum: two operations may not meet.
 * Cure: a fence between them; or one operation.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 3, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "score");
    MPI_Win_fence(0, win);
    if (1 == rank) {
        MPI_Accumulate(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    }
#ifdef CURED
    MPI_Win_fence(0, win);
#endif
    if (2 == rank) {
        MPI_Accumulate(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
