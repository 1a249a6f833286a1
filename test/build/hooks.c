/* Prints when UCX is loaded, and whether libc's mmap changes afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#define _GNU_SOURCE
#include "../mpi/lib/ended.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static const char *ucx(void)
{
    return NULL == dlopen("libucp.so.0", RTLD_NOW | RTLD_NOLOAD) ? "no UCX" : "UCX";
}

int main(int argc, char **argv)
{
    char code[16], memory[64];
    const void *mmap_code;
    const char *init, *lean;
    MPI_Win win;
    int *base, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    mmap_code = dlsym(RTLD_NEXT, "mmap");
    memcpy(code, mmap_code, sizeof(code));
    init = ucx();
    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_free(&win);
    lean = ucx();
    MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_free(&win);
    if (0 == rank) {
        printf("MPI_Init: %s, lean window: %s, first window: %s, code %s\n", init, lean, ucx(),
               0 == memcmp(code, mmap_code, sizeof(code)) ? "kept" : "changed");
    }
    MPI_Finalize();
    return 0;
}
