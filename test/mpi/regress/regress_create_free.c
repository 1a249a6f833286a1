/* A window that is created and freed, and nothing else: the processes meet for the first time when it is freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

int main(int argc, char **argv)
{
    char *base;
    MPI_Win win;

    test_init(&argc, &argv);
    MPI_OK(MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
