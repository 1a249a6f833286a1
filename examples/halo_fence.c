/* Halo exchange with MPI_Win_fence: heat spreads on a square, whose rows are divided among the processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Why this synchronization: all processes exchange at the same time, in each step. A fence is the shortest program for
 * that. It synchronizes all processes, also those that are no neighbours: halo_pscw.f90 and halo_flush.c do not.
 *
 * The fence before the puts says that no operations precede it, the one behind them that none succeed it. Between the
 * second fence and the next first one the window is plain memory, which each process loads and stores.
 *
 * run:     mpicc halo_fence.c -o halo_fence && mpirun -np 4 ./halo_fence
 * output:  after 100 steps the middle has 0.023338 of the heat of the edge, as without MPI
 */

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 32, STEPS = 100 }; /* N rows of N points; the row above them is hot, everything else around is cold */

typedef double row_t[N];

/* Zero everything. "top" says whether the hot row is row 0. */
static void start(row_t *u, int rows, int top)
{
    memset(u, 0, (rows + 2) * sizeof(row_t));
    for (int j = 0; top && j < N; j++) {
        u[0][j] = 1.0;
    }
}

/* One step for rows 1 to "rows"; rows 0 and rows + 1 are the halo. */
static void step(row_t *u, row_t *next, int rows)
{
    for (int i = 1; i <= rows; i++) {
        for (int j = 0; j < N; j++) {
            double left = j > 0 ? u[i][j - 1] : 0.0, right = j < N - 1 ? u[i][j + 1] : 0.0;
            next[i][j] = 0.25 * (u[i - 1][j] + u[i + 1][j] + left + right);
        }
    }
    memcpy(u[1], next[1], rows * sizeof(row_t));
}

/* Put the first and the last row into the halos of the neighbours. MPI_PROC_NULL is allowed as a target. */
static void exchange(row_t *u, int rows, int above, int rows_above, int below, MPI_Win window)
{
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window);
    MPI_Put(u[1], N, MPI_DOUBLE, above, rows_above + 1, N, MPI_DOUBLE, window);
    MPI_Put(u[rows], N, MPI_DOUBLE, below, 0, N, MPI_DOUBLE, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

/* The same for all N rows without MPI, and how many of mine differ. */
static int compare(row_t *u, int first, int rows, double *middle_p)
{
    static row_t all[N + 2], next[N + 2];
    int          wrong = 0;

    start(all, N, 1);
    for (int s = 0; s < STEPS; s++) {
        step(all, next, N);
    }
    for (int i = 1; i <= rows; i++) {
        for (int j = 0; j < N; j++) {
            wrong += !(fabs(u[i][j] - all[first + i][j]) < 1e-12);
        }
    }
    *middle_p = all[N / 2][N / 2];
    return wrong;
}

int main(int argc, char **argv)
{
    int     rank, size, wrong;
    row_t  *u, *next;
    double  middle;
    MPI_Win window;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int first = N * rank / size, rows = N * (rank + 1) / size - first;
    int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    int rows_above = rank > 0 ? first - N * (rank - 1) / size : 0;

    MPI_Win_allocate((rows + 2) * sizeof(row_t), sizeof(row_t), MPI_INFO_NULL, MPI_COMM_WORLD, &u, &window);
    next = malloc((rows + 2) * sizeof(row_t));
    start(u, rows, 0 == rank);
    for (int s = 0; s < STEPS; s++) {
        exchange(u, rows, above, rows_above, below, window);
        step(u, next, rows);
    }

    wrong = compare(u, first, rows, &middle);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (0 == rank && 0 == wrong) {
        printf("after %d steps the middle has %.6f of the heat of the edge, as without MPI\n", STEPS, middle);
    } else if (0 == rank) {
        printf("wrong: %d points differ from those without MPI\n", wrong);
    }
    free(next);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0 == wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}
