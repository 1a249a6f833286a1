/* MPI_Finalize with a window of osc/ucp and one of another component left open, which processes come to in different
 * orders. Open MPI frees windows by their places in its table, and gives a new window the lowest place that is free.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "deadline.h"
#include "windows.h"

int main(int argc, char **argv)
{
    struct test_window place, windows[2];

    /* The other one takes what it can: MPI_Win_allocate on one node. */
    setenv("OMPI_MCA_osc", "ucp,sm", 1);
    setenv("OMPI_MCA_osc_ucp_priority", "0", 1);
    test_init(&argc, &argv);
    test_needs(2);
    if (0 == test_rank) {
        test_window_open(&place, TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_SELF);
    }
    test_window_open(&windows[0], TEST_CREATE, 8, MPI_INFO_NULL, MPI_COMM_WORLD);
    if (0 == test_rank) {
        test_window_close(&place);
    }
    test_window_open(&windows[1], TEST_ALLOCATE, 8, MPI_INFO_NULL, MPI_COMM_WORLD);
    test_deadline("MPI_Finalize", 0);
    return test_finish();
}
