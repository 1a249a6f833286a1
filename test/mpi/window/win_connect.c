/* Windows over two groups of processes that met by MPI_Comm_connect and MPI_Comm_accept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "merged.h"

int main(int argc, char **argv)
{
    char port[MPI_MAX_PORT_NAME] = "";
    MPI_Comm half, between;
    int accepts;

    test_init(&argc, &argv);
    if (test_size < 2) {
        test_skip("needs 2 processes");
    }
    accepts = test_rank < test_size / 2;
    MPI_Comm_split(MPI_COMM_WORLD, accepts, test_rank, &half);
    use_window(half);
    if (0 == test_rank) {
        MPI_Open_port(MPI_INFO_NULL, port);
    }
    MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (accepts) {
        MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between);
    } else {
        MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
    }
    use_both(between, !accepts);
    use_window(MPI_COMM_WORLD);
    if (0 == test_rank) {
        MPI_Close_port(port);
    }
    MPI_Comm_free(&half);
    return test_finish();
}
