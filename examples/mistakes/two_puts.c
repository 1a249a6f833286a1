/* Mistake: two processes put to the same element between two fences. Which value stays is chance.
 * Cure: an accumulate with MPI_REPLACE, which may meet others of its kind; or an element for each process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, *winner;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &winner, &win);
    MPI_Win_set_name(win, "winner");
    MPI_Win_fence(0, win);
#ifdef CURED
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
#else
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#endif
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
