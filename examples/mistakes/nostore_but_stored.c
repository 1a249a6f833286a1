/* Mistake: the program promises, by MPI_MODE_NOSTORE, that it has not stored to its memory, and it has.
 * Cure: no such promise.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, got, assertion = MPI_MODE_NOSTORE, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "memory");
    *memory = 0;
    MPI_Win_fence(0, win);
    *memory = rank + 1;
#ifdef CURED
    assertion = 0;
#endif
    MPI_Win_fence(assertion, win);
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
