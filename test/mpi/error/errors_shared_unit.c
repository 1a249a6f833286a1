/* MPI_Win_allocate_shared with a displacement unit that is not positive fails on all processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Win win;
    void *base;
    int class;

    test_init(&argc, &argv);
    if (!test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        test_skip("no shared windows here");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    class = test_class(MPI_Win_allocate_shared(8, 0, MPI_INFO_NULL, comm, &base, &win));
    CHECK(MPI_ERR_DISP == class || MPI_ERR_WIN == class, "disp_unit 0 gives error class %d", class);
    class = test_class(MPI_Win_allocate_shared(8, -8, MPI_INFO_NULL, comm, &base, &win));
    CHECK(MPI_ERR_DISP == class || MPI_ERR_WIN == class, "disp_unit -8 gives error class %d", class);
    MPI_Comm_free(&comm);
    return test_finish();
}
