/* Memory that a network cannot register: read-only memory as a window (for gets) and as the origin of a put, and a
 * file's pages as a window. What cannot go natively goes by messages, and nobody notices but for one line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "output.h"

#include <sys/mman.h>

enum { SIZE = 300000 };

/** Pages that hold the pattern of this rank and may only be read. */
static unsigned char *read_only(void)
{
    unsigned char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    test_fill(pages, SIZE, test_rank, 1);
    mprotect(pages, SIZE, PROT_READ);
    return pages;
}

/** Shared pages of a file. */
static unsigned char *of_a_file(void)
{
    char name[] = "/tmp/rdma_unregistered.XXXXXX";
    int file = mkstemp(name);
    void *pages;

    unlink(name);
    CHECK(0 == ftruncate(file, SIZE), "ftruncate");
    pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    test_fill(pages, SIZE, test_rank, 2);
    return pages;
}

/** Get all of the neighbour's window, and put it back if that may be written. */
static void use(const char *what, unsigned char *memory, int round, int writable)
{
    unsigned char *buffer = malloc(SIZE), *constant = read_only();
    int target = test_neighbour(1);
    MPI_Win win;

    MPI_OK(MPI_Win_create(memory, SIZE, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_Win_fence(0, win);
    MPI_OK(MPI_Get(buffer, SIZE, MPI_BYTE, target, 0, SIZE, MPI_BYTE, win));
    MPI_Win_fence(0, win);
    CHECK(test_differs(buffer, SIZE, target, round) < 0, "%s: got the wrong bytes", what);
    if (writable) {
        MPI_OK(MPI_Put(constant, SIZE, MPI_BYTE, target, 0, SIZE, MPI_BYTE, win));
        MPI_Win_fence(0, win);
        CHECK(test_differs(memory, SIZE, test_neighbour(-1), 1) < 0, "%s: the put from constant memory is wrong", what);
    }
    MPI_Win_free(&win);
    munmap(constant, SIZE);
    free(buffer);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    unsigned char *constant = read_only(), *file = of_a_file(), *plain = malloc(SIZE);
    int device = 0 == access("/sys/class/infiniband/rxe0", F_OK), lines, errors;
    struct test_output output;

    test_output_catch(&output);
    test_fill(plain, SIZE, test_rank, 3);
    use("read-only window", constant, 1, 0);
    use("file", file, 2, 1);
    use("plain memory", plain, 3, 1);
    test_output_count(&output, "is reached by messages", &lines, "ERROR", &errors);
    CHECK(device == lines && 0 == errors, "%d lines of ours, %d of UCX", lines, errors);
    return test_finish();
}
