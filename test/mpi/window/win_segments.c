/* Many windows at the same time share few of the node's System V segments, and their memory returns when they are
 * freed, also if others remain. Small windows of all kinds share segments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 600, KEPT_EACH = 21, SEGMENTS_MAX = 64, SMALL = 56, SMALL_SEGMENTS = 8 };

struct segment_window {
    MPI_Win win;
    long *base;
    MPI_Aint bytes;
};

/* System V segments that this process has mapped, of all processes. */
static int segments_count(void)
{
    static unsigned long long seen[100000];
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1000];
    int count = 0;

    while (NULL != maps && NULL != fgets(line, sizeof line, maps)) {
        unsigned long long inode;
        int i = 0;

        if (NULL == strstr(line, "/SYSV") || 1 != sscanf(line, "%*s %*s %*s %*s %llu", &inode)) {
            continue;
        }
        while (i < count && inode != seen[i]) {
            i++;
        }
        if (i == count && count < 100000) {
            seen[count++] = inode;
        }
    }
    if (NULL != maps) {
        fclose(maps);
    }
    return count;
}

/* KiB of shared memory that this process has mapped and that is there. */
static long resident(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    char line[200];
    long kib = -1;

    while (NULL != status && kib < 0 && NULL != fgets(line, sizeof line, status)) {
        (void) sscanf(line, "RssShmem: %ld", &kib);
    }
    if (NULL != status) {
        fclose(status);
    }
    return kib;
}

/* 64 KiB to 1 MiB; one in three windows is touched as a whole. */
static void window_make(struct segment_window *window, int number)
{
    int right = test_neighbour(1);
    long value = 1000L * number + test_rank;

    window->bytes = (MPI_Aint) (64 << 10) << number % 5;
    MPI_Win_allocate(window->bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window->base, &window->win);
    if (0 == number % 3) {
        memset(window->base, 1, (size_t) window->bytes);
    }
    MPI_Win_fence(MPI_MODE_NOPRECEDE, window->win);
    MPI_Put(&value, 1, MPI_LONG, right, window->bytes - (MPI_Aint) sizeof value, 1, MPI_LONG, window->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
}

static void window_check(const struct segment_window *window, int number)
{
    long value = window->base[window->bytes / (MPI_Aint) sizeof(long) - 1];

    CHECK(1000L * number + test_neighbour(-1) == value, "window %d: %ld was put", number, value);
}

/* A small window of each kind in turn. The sizes of the shared ones differ from member to member. */
static void small_make(MPI_Win *win, int number)
{
    static char memory[64];
    void *base;

    switch (number % 4) {
    case 0:
        MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, win);
        break;
    case 1:
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win);
        break;
    case 2:
        MPI_Win_allocate_shared(64 * (test_rank + 1), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
        break;
    default:
        MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, win);
    }
}

static void small_windows(void)
{
    int before = segments_count(), segments;
    MPI_Win win[SMALL];

    for (int i = 0; i < SMALL; i++) {
        small_make(&win[i], i);
    }
    segments = segments_count() - before;
    CHECK(segments <= SMALL_SEGMENTS * test_size, "%d segments for %d small windows", segments, SMALL);
    for (int i = 0; i < SMALL; i++) {
        MPI_Win_free(&win[i]);
    }
}

int main(int argc, char **argv)
{
    static struct segment_window windows[WINDOWS];
    int before, segments;
    long memory, kept = 0;

    test_init(&argc, &argv);
    small_windows();
    window_make(&windows[0], 0);
    MPI_Win_free(&windows[0].win);
    before = segments_count();
    memory = resident();
    for (int i = 0; i < WINDOWS; i++) {
        window_make(&windows[i], i);
    }
    segments = segments_count() - before;
    CHECK(segments <= SEGMENTS_MAX * test_size, "%d segments for %d windows of %d processes", segments, WINDOWS,
          test_size);
    for (int i = 0; i < WINDOWS; i++) {
        window_check(&windows[i], i);
        if (0 == (i + 1) % KEPT_EACH) {
            kept += windows[i].bytes >> 10;
        } else {
            MPI_Win_free(&windows[i].win);
        }
    }
    /* Blocks do not begin at page boundaries: the pages between two of them remain, here and of others. */
    MPI_Barrier(MPI_COMM_WORLD);
    memory = resident() - memory;
    kept += WINDOWS * (test_size + 2) * 4;
    CHECK(memory <= kept, "%ld KiB are still there, at most %ld should be", memory, kept);
    for (int i = KEPT_EACH - 1; i < WINDOWS; i += KEPT_EACH) {
        window_check(&windows[i], i);
        MPI_Win_free(&windows[i].win);
    }
    segments = segments_count() - before;
    CHECK(segments <= 2 * test_size, "%d segments are left of freed windows", segments);
    return test_finish();
}
