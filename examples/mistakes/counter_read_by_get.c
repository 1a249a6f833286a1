/* Mistake: a counter that others add to is read by MPI_Get, which is not atomic.
 * Cure: MPI_Fetch_and_op with MPI_NO_OP reads it atomically.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, one = 1, *memory;
    int got = 0;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "counter");
    MPI_Win_lock_all(0, win);
    if (0 != rank) {
        MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    } else {
#ifdef CURED
        MPI_Fetch_and_op(NULL, &got, MPI_INT, 0, 0, MPI_NO_OP, win);
#else
        MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
#endif
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
