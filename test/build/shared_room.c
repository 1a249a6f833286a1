/* shared_room WINDOWS MEGABYTES: so many shared windows of that size, all in use at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int       windows, rank, size, wrong = 0;
    MPI_Aint  bytes;
    MPI_Win  *win;
    char    **mine, *theirs;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    windows = argc > 2 ? atoi(argv[1]) : 1;
    bytes   = (MPI_Aint) (argc > 2 ? atoi(argv[2]) : 1) * 1048576 / size;
    win     = malloc((size_t) windows * sizeof(*win));
    mine    = malloc((size_t) windows * sizeof(*mine));
    for (int i = 0; i < windows; i++) {
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine[i], &win[i]);
    }
    for (int i = 0; i < windows; i++) {
        memset(mine[i], 1 + (rank + i) % 100, (size_t) bytes);
        MPI_Win_fence(0, win[i]);
    }
    for (int i = 0; i < windows; i++) {
        MPI_Aint length;
        int      unit, next = (rank + 1) % size;

        MPI_Win_shared_query(win[i], next, &length, &unit, &theirs);
        wrong += bytes != length || theirs[0] != 1 + (next + i) % 100 || theirs[bytes - 1] != theirs[0];
        MPI_Win_free(&win[i]);
    }
    if (wrong) {
        printf("rank %d: %d of %d windows are wrong\n", rank, wrong, windows);
    }
    free(win);
    free(mine);
    MPI_Finalize();
    return 0 == wrong ? 0 : 1;
}
