/* Mistake: the request of MPI_Rput is never completed: the unlock completes the operation, but the request stays.
 * Cure: MPI_Wait.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, number = 42, *memory;
    MPI_Request request;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "number");
    if (0 == rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Rput(&number, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request);
#ifdef CURED
        MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
