/* The checker compares no operations of a process that calls operations with notification in that window, as it does
 * not know what these order; but one to MPI_PROC_NULL is none.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "findings.h"

#include "osc_ucp_ext.h"

/** Two puts to the same bytes, behind a put with notification to `target`; MPI_ANY_SOURCE: none. */
static void run(const char *name, int target, const char *kind)
{
    static const int data;
    int *memory;
    MPI_Win win;

    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_set_name(win, name);
    MPI_OK(MPIX_Win_set_num_notify(win, MPI_INFO_NULL, 1));
    MPI_Win_lock_all(0, win);
    if (MPI_ANY_SOURCE != target) {
        MPI_OK(MPIX_Put_notify(&data, 1, MPI_INT, target, 1, 1, MPI_INT, 0, win));
    }
    MPI_Put(&data, 1, MPI_INT, test_rank, 0, 1, MPI_INT, win);
    MPI_Put(&data, 1, MPI_INT, test_rank, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    test_findings_are(name, kind);
}

int main(int argc, char **argv)
{
    test_findings_init(&argc, &argv);
    run("none", MPI_ANY_SOURCE, "put-put");
    run("to nobody", MPI_PROC_NULL, "put-put");
    run("to itself", test_rank, NULL);
    return test_findings_finish();
}
