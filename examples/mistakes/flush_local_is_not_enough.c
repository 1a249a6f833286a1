/* Mistake: after MPI_Win_flush_local the buffer may be used again, but the data need not have arrived.
 * Cure: MPI_Win_flush before others are told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 42, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "number");
    MPI_Win_lock_all(0, win);
    if (0 == rank) {
        MPI_Put(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
#ifdef CURED
        MPI_Win_flush(1, win);
#else
        MPI_Win_flush_local(1, win);
#endif
        MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else if (2 == rank) {
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Put(&rank, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_flush(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
