/* MPI_Win_allocate_shared over processes that share no memory gives MPI_ERR_RMA_SHARED on all, and no window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

int main(int argc, char **argv)
{
    long *base, value = 4;
    MPI_Comm comm;
    MPI_Win win;

    test_init(&argc, &argv);
    if (test_one_node(MPI_COMM_WORLD)) {
        test_skip("all processes can share memory");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_FAILS(MPI_ERR_RMA_SHARED, MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, comm, &base, &win));
    /* Another kind of window is possible afterwards. */
    MPI_OK(MPI_Win_allocate(sizeof(long), 1, MPI_INFO_NULL, comm, &base, &win));
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, test_neighbour(1), 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    CHECK(4 == *base, "%ld was put", *base);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    return test_finish();
}
