/* Mistake: the result of one operation is the operand of the next one, before it is there.
 * Cure: a flush between them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, ticket = 0, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "tickets");
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Fetch_and_op(&one, &ticket, MPI_INT, 0, 0, MPI_SUM, win);
#ifdef CURED
    MPI_Win_flush(0, win);
#endif
    MPI_Accumulate(&ticket, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
