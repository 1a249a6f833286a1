/* The window under test, of the flavour that the run is about.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *memory(size_t bytes)
{
    void *memory = NULL;

    if (0 != posix_memalign(&memory, 4096, bytes)) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

void bench_window_make(struct bench_window *window, size_t bytes)
{
    MPI_Aint address;

    window->bytes = bytes;
    window->offsets = NULL;
    switch (bench.flavour) {
    case BENCH_ALLOCATE:
        MPI_Win_allocate((MPI_Aint) bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->base, &window->win);
        break;
    case BENCH_SHARED:
        MPI_Win_allocate_shared((MPI_Aint) bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->base, &window->win);
        break;
    case BENCH_CREATE:
        window->base = memory(bytes);
        MPI_Win_create(window->base, (MPI_Aint) bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
        break;
    case BENCH_DYNAMIC:
        window->base = memory(bytes);
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window->win);
        MPI_Win_attach(window->win, window->base, (MPI_Aint) bytes);
        MPI_Get_address(window->base, &address);
        window->offsets = malloc((size_t) bench.size * sizeof(*window->offsets));
        MPI_Allgather(&address, 1, MPI_AINT, window->offsets, 1, MPI_AINT, MPI_COMM_WORLD);
    }
    memset(window->base, 0, bytes);
}

void bench_window_free(struct bench_window *window)
{
    if (BENCH_DYNAMIC == bench.flavour) {
        MPI_Barrier(MPI_COMM_WORLD); /* nobody may still be on its way to the memory */
        MPI_Win_detach(window->win, window->base);
    }
    MPI_Win_free(&window->win);
    if (BENCH_CREATE == bench.flavour || BENCH_DYNAMIC == bench.flavour) {
        free(window->base);
    }
    free(window->offsets);
}

void bench_window_clear(struct bench_window *window, size_t bytes)
{
    MPI_Barrier(MPI_COMM_WORLD);
    memset(window->base, 0, bytes);
    MPI_Win_sync(window->win);
    MPI_Barrier(MPI_COMM_WORLD);
}

double *bench_buffer(void)
{
    return memory(BENCH_WINDOW_BYTES);
}
