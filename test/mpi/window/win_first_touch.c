/* The component does not touch the memory of windows that processes share: so each part of it is placed near the
 * process that touches it first, which is its owner, or an origin that writes there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <sys/mman.h>
#include <unistd.h>

/* Bytes of each process. */
#define PART   ((MPI_Aint) 8 << 20)
#define MIDDLE ((size_t) PART / 2)

/** Pages that lie in `bytes` at `memory` and that some process has touched. */
static long pages_touched(unsigned char *memory, size_t bytes)
{
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t) memory + page - 1) / page, end = ((uintptr_t) memory + bytes) / page;
    unsigned char *touched = malloc(end - first);
    long count = 0;

    if (0 != mincore((void *) (first * page), (end - first) * page, touched)) {
        CHECK(0, "mincore fails");
    }
    for (uintptr_t i = 0; i < end - first; i++) {
        count += touched[i] & 1;
    }
    free(touched);
    return count;
}

enum kind { ALLOCATED, CONTIGUOUS, NONCONTIGUOUS, KINDS };

static const char *const kind_name[KINDS] = {"allocated", "shared", "shared, not contiguous"};

static MPI_Win make(enum kind kind, unsigned char **memory_p)
{
    MPI_Info info;
    MPI_Win win;

    if (ALLOCATED == kind) {
        MPI_OK(MPI_Win_allocate(PART, 1, MPI_INFO_NULL, MPI_COMM_WORLD, memory_p, &win));
        return win;
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "alloc_shared_noncontig", NONCONTIGUOUS == kind ? "true" : "false");
    MPI_OK(MPI_Win_allocate_shared(PART, 1, info, MPI_COMM_WORLD, memory_p, &win));
    MPI_Info_free(&info);
    return win;
}

/** Is the neighbour's memory mapped here? MPI_Win_allocate shares it where UCX may use shared memory. */
static int is_shared(MPI_Win win)
{
    MPI_Aint size;
    void *base;
    int unit;

    MPI_OK(MPI_Win_shared_query(win, test_neighbour(1), &size, &unit, &base));
    return 0 != size;
}

static void check_first_touch(enum kind kind)
{
    long page = sysconf(_SC_PAGESIZE), touched;
    unsigned char *memory, data[100];
    MPI_Win win = make(kind, &memory);
    double one = 1;

    if (!is_shared(win)) {
        MPI_OK(MPI_Win_free(&win));
        return;
    }
    memset(data, 7, sizeof(data));
    MPI_Win_fence(0, win);
    touched = pages_touched(memory, PART);
    CHECK(0 == touched, "%s: %ld pages touched by whom?", kind_name[kind], touched);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(memory, 0, MIDDLE);
    touched = pages_touched(memory, PART);
    CHECK((long) MIDDLE / page - 1 <= touched && touched <= (long) MIDDLE / page + 1, "%s: %ld pages of %ld",
          kind_name[kind], touched, (long) MIDDLE / page);
    MPI_Win_fence(0, win);
    MPI_Put(data, sizeof(data), MPI_BYTE, test_neighbour(1), PART - 2 * page, sizeof(data), MPI_BYTE, win);
    MPI_Accumulate(&one, 1, MPI_DOUBLE, test_neighbour(1), PART - 4 * page, 1, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_fence(0, win);
    touched -= pages_touched(memory, PART);
    CHECK(-4 <= touched && touched <= -2, "%s: a put and an accumulate touched %ld pages", kind_name[kind], -touched);
    CHECK(7 == memory[PART - 2 * page], "%s: nothing was put", kind_name[kind]);
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    if (!test_one_node(MPI_COMM_WORLD)) {
        test_skip("for one host only");
    }
    for (enum kind kind = 0; kind < KINDS; kind++) {
        check_first_touch(kind);
    }
    return test_finish();
}
