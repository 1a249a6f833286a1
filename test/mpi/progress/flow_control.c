/* Floods without a flush, of operations of mixed sizes: all to one, and all to all. All arrives, nobody hangs, and
 * memory does not grow with what is sent.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <sys/resource.h>

enum { LARGEST = 300000, ROUNDS = 60, GROWTH_KIB = 160 * 1024 };

static const int sizes[] = {8, 1000, 8, 8192, 20000, 8, 65536, 200, LARGEST};

enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };

static long resident_kib(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* A target's memory: first the sums, then a part for each origin that only that one puts to, then one of zeros. */
static void flood(const struct test_window *window, int target, const unsigned char *sent, const int *ones,
                  int results[2][LARGEST / sizeof(int)])
{
    MPI_Aint sums = test_at(window, target, 0), own = test_at(window, target, (1 + test_rank) * (MPI_Aint) LARGEST);
    MPI_Aint zeros = test_at(window, target, (1 + test_size) * (MPI_Aint) LARGEST);

    for (int i = 0; i < SIZES; i++) {
        int size = sizes[i], count = size / (int) sizeof(int);

        MPI_OK(MPI_Accumulate(ones, count, MPI_INT, target, sums, count, MPI_INT, MPI_SUM, window->win));
        MPI_OK(MPI_Put(sent, size, MPI_BYTE, target, own, size, MPI_BYTE, window->win));
        MPI_OK(MPI_Get(results[0], count, MPI_INT, target, zeros, count, MPI_INT, window->win));
        MPI_OK(MPI_Get_accumulate(ones, count, MPI_INT, results[1], count, MPI_INT, target, sums, count, MPI_INT,
                                  MPI_SUM, window->win));
    }
}

/* What the element at byte `at` of the sums got from `origins` processes. */
static int sum_at(size_t at, int rounds, int origins)
{
    int per_round = 0;

    for (int i = 0; i < SIZES; i++) {
        per_round += at < (size_t) sizes[i] / sizeof(int) * sizeof(int) ? 2 : 0;
    }
    return per_round * rounds * origins;
}

static void check(const struct test_window *window, int origins, int first, int rounds)
{
    const int *sums = (const int *) (const void *) window->base;
    static unsigned char wanted[LARGEST];

    for (size_t i = 0; i < LARGEST / sizeof(int); i++) {
        CHECK(sum_at(i * sizeof(int), rounds, origins) == sums[i], "sum %zu is %d, not %d", i, sums[i],
              sum_at(i * sizeof(int), rounds, origins));
    }
    for (int rank = first; rank < test_size; rank++) {
        test_fill(wanted, LARGEST, rank, 1);
        CHECK(0 == memcmp(wanted, window->base + (1 + rank) * (size_t) LARGEST, LARGEST), "puts of rank %d", rank);
    }
}

/* All send to rank 0, which computes meanwhile, or all to all. */
static void run(enum test_flavor flavor, int to_all, int rounds)
{
    struct test_window window;
    static unsigned char sent[LARGEST];
    static int ones[LARGEST / sizeof(int)], results[2][LARGEST / sizeof(int)];
    int first = to_all ? 0 : 1;

    for (size_t i = 0; i < LARGEST / sizeof(int); i++) {
        ones[i] = 1;
    }
    test_fill(sent, LARGEST, test_rank, 1);
    test_window_open(&window, flavor, (test_size + 2) * (MPI_Aint) LARGEST, MPI_INFO_NULL, MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock_all(0, window.win));
    for (int round = 0; round < rounds && test_rank >= first; round++) {
        for (int i = 0; i < (to_all ? test_size : 1); i++) {
            flood(&window, to_all ? test_neighbour(i) : 0, sent, ones, results);
        }
    }
    if (!to_all && 0 == test_rank) {
        test_compute(0.5);
    }
    MPI_OK(MPI_Win_unlock_all(window.win));
    MPI_Barrier(MPI_COMM_WORLD);
    if (test_rank < (to_all ? test_size : 1)) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window.win));
        check(&window, test_size - first, first, rounds);
        MPI_OK(MPI_Win_unlock(test_rank, window.win));
    }
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    long before;

    test_init(&argc, &argv);
    run(TEST_CREATE, 1, 1);
    before = resident_kib();
    run(TEST_CREATE, 0, ROUNDS);
    run(TEST_CREATE, 1, ROUNDS / 4);
    run(TEST_ALLOCATE, 1, 2);
    CHECK(resident_kib() - before < GROWTH_KIB, "memory grew by %ld KiB", resident_kib() - before);
    return test_finish();
}
