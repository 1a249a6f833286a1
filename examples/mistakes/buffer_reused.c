/* Mistake: a loop fills one buffer again and again, while earlier puts may still read it.
 * Cure: MPI_Win_flush_local before the buffer is filled; or a buffer for each put.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <mpi.h>

enum { STEPS = 8 };

int main(int argc, char **argv)
{
    int rank, value = 0, *memory;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(STEPS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, "squares");
    MPI_Win_lock_all(0, win);
    if (0 == rank) {
        for (int i = 1; i < STEPS; i++) {
            value = i * i;
            MPI_Put(&value, 1, MPI_INT, 1, i, 1, MPI_INT, win);
#ifdef CURED
            MPI_Win_flush_local(1, win);
#endif
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
