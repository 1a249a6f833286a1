/* The smallest program that needs a one-sided component: makes a window, or says why not, and ends in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "../mpi/lib/ended.h"

#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Win win;
    int     rank, code, class, memory;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (MPI_SUCCESS == code) {
        MPI_Win_fence(0, win);
        MPI_Win_free(&win);
        printf("rank %d: window made\n", rank);
    } else {
        MPI_Error_class(code, &class);
        printf("rank %d: no window, error class %s\n", rank, MPI_ERR_WIN == class ? "MPI_ERR_WIN" : "other");
    }
    MPI_Finalize();
    return 0;
}
