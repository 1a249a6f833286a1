/* Info keys that some processes give and others do not: the window is the same for all, with memory for each. It is
 * contiguous if a process has not asked for another way, and has the largest alignment that one asks for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { SIZE = 100 };

/** The process with rank `who` gives the key, or `others` do. */
static MPI_Info info_of(const char *key, const char *value, int who, int others)
{
    MPI_Info info;

    MPI_Info_create(&info);
    if ((who == test_rank) != others) {
        MPI_Info_set(info, key, value);
    }
    return info;
}

/** Each process's memory is its own. */
static void check_memory(const char *key, unsigned char *memory, MPI_Win win)
{
    unsigned char got[SIZE];

    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    memset(memory, test_rank + 1, SIZE);
    MPI_Win_fence(0, win);
    for (int target = 0; target < test_size; target++) {
        MPI_OK(MPI_Get(got, SIZE, MPI_BYTE, target, 0, SIZE, MPI_BYTE, win));
        MPI_Win_fence(0, win);
        CHECK(target + 1 == got[0] && target + 1 == got[SIZE - 1], "%s: memory of %d has %d and %d", key, target,
              got[0], got[SIZE - 1]);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
}

static void shared(int who, int others)
{
    static const char key[] = "alloc_shared_noncontig";
    MPI_Info info = info_of(key, "true", who, others);
    unsigned char *memory, *first;
    MPI_Aint size;
    int unit;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate_shared(SIZE, 1, info, MPI_COMM_WORLD, &memory, &win));
    MPI_Info_free(&info);
    MPI_OK(MPI_Win_shared_query(win, 0, &size, &unit, &first));
    CHECK(test_size < 2 || first + test_rank * SIZE == memory, "rank %d gives it, %d: %td bytes behind the first", who,
          others, memory - first);
    check_memory(key, memory, win);
    MPI_OK(MPI_Win_free(&win));
}

static void allocate(int who, int others)
{
    static const char key[] = "mpi_minimum_memory_alignment";
    MPI_Info info = info_of(key, "4096", who, others);
    unsigned long alignment;
    unsigned char *memory;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate(SIZE, 1, info, MPI_COMM_WORLD, &memory, &win));
    MPI_Info_free(&info);
    alignment = test_alignment_told(win);
    CHECK(alignment > 0 && 0 == (uintptr_t) memory % alignment, "memory at %p, but %lu is told", (void *) memory,
          alignment);
    check_memory(key, memory, win);
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    for (int who = 0; who < 2; who++) {
        for (int others = 0; others < 2; others++) {
            if (test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
                shared(who, others);
            }
            allocate(who, others);
        }
    }
    return test_finish();
}
