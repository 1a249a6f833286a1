/* MPI 4.1: mpi_minimum_memory_alignment for MPI_Win_allocate; the memory has the alignment that get_info tells.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Other sizes on every process, odd ones too: each process's own memory is aligned. */
static void check(unsigned long wanted)
{
    MPI_Aint size = 1000 + 77 * test_rank;
    long value = 7 + test_rank, got = 0;
    unsigned long alignment;
    char text[32];
    MPI_Info info;
    void *memory;
    MPI_Win win;

    snprintf(text, sizeof(text), "%lu", wanted);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", text);
    MPI_OK(MPI_Win_allocate(size, 1, info, MPI_COMM_WORLD, &memory, &win));
    MPI_Info_free(&info);
    alignment = test_alignment_told(win);
    CHECK(alignment > 0 && 0 == (uintptr_t) memory % alignment, "memory at %p, but %lu is told", memory, alignment);
    CHECK(alignment >= wanted, "asked for %lu, got %lu", wanted, alignment);
    MPI_Win_fence(0, win);
    MPI_Put(&value, 1, MPI_LONG, test_neighbour(1), 992 - 992 % 8, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    memcpy(&got, (char *) memory + 992, sizeof(got));
    CHECK(7 + test_neighbour(-1) == got, "%ld was put", got);
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    for (unsigned long alignment = 1; alignment <= 65536; alignment *= 4) {
        if (test_has_flavor(MPI_COMM_WORLD, TEST_ALLOCATE)) {
            check(alignment);
        }
    }
    return test_finish();
}
