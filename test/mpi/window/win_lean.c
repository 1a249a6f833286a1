/* Windows whose processes share a node do not even load UCX. They start no thread and open no file. Where the kernel
 * does not copy between processes, or elements not in one piece, that holds only for memory that MPI allocates.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "lean.h"
#include "windows.h"

#include <dirent.h>

/* The flavors; those of the first two are lean everywhere. */
static const enum test_flavor lean[] = {TEST_ALLOCATE, TEST_SHARED, TEST_CREATE, TEST_DYNAMIC};

enum { LEAN = sizeof(lean) / sizeof(lean[0]) };

/** Entries of a folder. */
static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;

    while (NULL != dir && NULL != readdir(dir)) {
        count++;
    }
    CHECK(NULL != dir, "cannot read %s", folder);
    if (NULL != dir) {
        closedir(dir);
    }
    return count;
}

/** Lines of the list of what this process has mapped that contain `part`. */
static int mapped(const char *part)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    int count = 0;

    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        count += NULL != strstr(line, part);
    }
    CHECK(NULL != maps, "no /proc/self/maps");
    if (NULL != maps) {
        fclose(maps);
    }
    return count;
}

/** Use a window in all ways. */
static void use(struct test_window *window)
{
    long value = 1 + test_rank, old, zero = 0;
    int right = test_neighbour(1);
    MPI_Aint at = test_at(window, right, 0);
    MPI_Group all;

    MPI_Win_fence(0, window->win);
    MPI_Put(&value, 1, MPI_LONG, right, at, 1, MPI_LONG, window->win);
    MPI_Win_fence(0, window->win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window->win);
    MPI_Fetch_and_op(&value, &old, MPI_LONG, right, at, MPI_SUM, window->win);
    MPI_Win_unlock(right, window->win);
    CHECK(1 + test_rank == old, "%s: %ld was put", test_flavor_name[window->flavor], old);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window->win);
    MPI_Compare_and_swap(&zero, &value, &old, MPI_LONG, right, at, window->win);
    MPI_Win_flush(right, window->win);
    MPI_Win_unlock_all(window->win);
    CHECK(2 * (1 + test_rank) == old, "%s: the sum is %ld", test_flavor_name[window->flavor], old);
    MPI_Barrier(MPI_COMM_WORLD); /* nobody may have a lock of memory that is exposed */
    MPI_Win_get_group(window->win, &all);
    MPI_Win_post(all, 0, window->win);
    MPI_Win_start(all, 0, window->win);
    MPI_Win_complete(window->win);
    MPI_Win_wait(window->win);
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    struct test_window window[LEAN];
    int threads, files, libraries, flavors;

    test_init(&argc, &argv);
    test_needs(2);
    test_needs_no_report();
    flavors = test_copies() && test_copies_whole() ? LEAN : 2;
    MPI_Barrier(MPI_COMM_WORLD);
    threads = entries("/proc/self/task");
    files = entries("/proc/self/fd");
    libraries = mapped("/libuc"); /* not 0 if a component of Open MPI needs UCX */
    for (int i = 0; i < flavors; i++) {
        test_window_open(&window[i], lean[i], sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        use(&window[i]);
    }
    CHECK(threads == entries("/proc/self/task"), "%d threads more", entries("/proc/self/task") - threads);
    CHECK(files == entries("/proc/self/fd"), "%d open files more", entries("/proc/self/fd") - files);
    CHECK(libraries == mapped("/libuc"), "%d mappings of UCX's libraries more", mapped("/libuc") - libraries);
    for (int i = 0; i < flavors; i++) {
        test_window_close(&window[i]);
    }
    return test_finish();
}
