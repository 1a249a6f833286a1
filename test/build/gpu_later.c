/* Prints whether UCX is loaded: after MPI_Init, after windows, and after one that follows the loading of a library.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static const char *ucx(void)
{
    return NULL == dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD) ? "no UCX" : "UCX";
}

static const char *window_made(void)
{
    MPI_Win win;
    int *base;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    return ucx();
}

int main(int argc, char **argv)
{
    const char *init, *first, *second;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    init   = ucx();
    first  = window_made();
    second = window_made();
    if (argc < 2 || NULL == dlopen(argv[1], RTLD_NOW)) {
        fprintf(stderr, "no library: %s\n", dlerror());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (0 == rank) {
        printf("MPI_Init: %s, windows: %s, %s, and later: %s\n", init, first, second, window_made());
    } else {
        (void) window_made();
    }
    MPI_Finalize();
    return 0;
}
