/* A counter that all processes share: each draws the numbers of the work items that it does (MPI_Fetch_and_op).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: nobody knows when another process draws its next number, so rank 0 must take no part
 * (passive target). All processes update the counter at the same time, and MPI_Fetch_and_op is atomic: the lock need
 * not be exclusive. One MPI_Win_lock_all lasts for the whole program; MPI_Win_flush completes each draw.
 *
 * run:     mpicc shared_counter.c -o shared_counter && mpirun -np 4 ./shared_counter
 * output:  1000 items done, each by one process
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1000 };

/* The next number of the counter, which lies at rank 0. */
static int draw(MPI_Win window)
{
    const int one = 1;
    int       number;

    MPI_Fetch_and_op(&one, &number, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
    return number;
}

int main(int argc, char **argv)
{
    int      rank, item, *counter, done[ITEMS] = { 0 }, all[ITEMS], wrong = 0;
    MPI_Win  window;
    MPI_Aint bytes;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    bytes = 0 == rank ? sizeof(int) : 0; /* only rank 0 has memory in the window */
    MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &window);
    if (0 == rank) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window); /* a store to a window needs an epoch, too */
        *counter = 0;
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* nobody draws before the counter is zero */

    MPI_Win_lock_all(0, window);
    while ((item = draw(window)) < ITEMS) {
        done[item]++; /* the work of this item goes here */
    }
    MPI_Win_unlock_all(window);

    MPI_Allreduce(done, all, ITEMS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (item = 0; item < ITEMS; item++) {
        wrong += 1 != all[item];
    }
    if (0 == rank) {
        if (0 != wrong) {
            printf("wrong: %d items were not done once\n", wrong);
        } else {
            printf("%d items done, each by one process\n", ITEMS);
        }
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
