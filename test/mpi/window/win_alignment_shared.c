/* MPI 4.1: mpi_minimum_memory_alignment for MPI_Win_allocate_shared: the alignment that get_info tells is there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* Other sizes on every process, odd ones too: each process's own memory is aligned. */
static void check(const char *noncontig, unsigned long wanted)
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
    MPI_Info_set(info, "alloc_shared_noncontig", noncontig);
    MPI_OK(MPI_Win_allocate_shared(size, 1, info, MPI_COMM_WORLD, &memory, &win));
    MPI_Info_free(&info);
    alignment = test_alignment_told(win);
    CHECK(alignment > 0 && 0 == (uintptr_t) memory % alignment, "memory at %p, but %lu is told", memory, alignment);
    /* A contiguous window cannot do it: a process's memory begins where the last one's ends. But it begins well. */
    CHECK(alignment >= wanted || 0 == strcmp(noncontig, "false"), "asked for %lu, got %lu", wanted, alignment);
    CHECK(test_rank > 0 || 0 == (uintptr_t) memory % 16, "the segment begins at %p", memory);
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
    if (!test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        test_skip("no shared windows here");
    }
    for (unsigned long alignment = 1; alignment <= 4096; alignment *= 4) {
        check("true", alignment);
        check("false", alignment);
    }
    return test_finish();
}
