/* Windows over processes that were spawned, merged into one communicator; then the children leave.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * win_spawn N has N generations of children; by default one, since Open MPI 4.1.4 now and then hangs in a later
 * MPI_Comm_spawn, whichever component serves the windows.
 */
#include "merged.h"

enum { CHILDREN = 2 };

int main(int argc, char **argv)
{
    int generations = argc > 1 ? atoi(argv[1]) : 1;
    MPI_Comm between;

    test_init(&argc, &argv);
    if (5 == OMPI_MAJOR_VERSION && OMPI_RELEASE_VERSION <= 10) {
        test_skip("Open MPI 5.0 does not connect spawned processes (docs/upstream.md)");
    }
    MPI_Comm_get_parent(&between);
    if (MPI_COMM_NULL != between) {
        use_both(between, 1);
        return test_finish();
    }
    use_window(MPI_COMM_WORLD);
    for (int generation = 0; generation < generations; generation++) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
        use_both(between, 0);
        use_window(MPI_COMM_WORLD);
    }
    return test_finish();
}
