/* Atomicity across calls: fetch_and_op against bulk accumulates on the same words; fetched values only grow.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 60, COUNT = 4096 };

/* Even ranks add in bulk, odd ones (or all, if alone) fetch and add to single words of the same range. What one
 * process fetches never goes down, and the end is the sum of all. */
#define TEST_MIX(ctype, mpitype)                                                                                  \
    static void mix_##ctype(struct test_window *window)                                                           \
    {                                                                                                             \
        const ctype *memory = (const ctype *) window->base;                                                       \
        ctype *ones = malloc(COUNT * sizeof(ctype)), was, last[16] = {0}, wanted, read;                           \
        int fetches = test_rank % 2 || 1 == test_size, bulks = 0 == test_rank % 2;                                \
        int fetchers = 1 == test_size ? 1 : test_size / 2, adders = (test_size + 1) / 2;                          \
                                                                                                                  \
        for (int i = 0; i < COUNT; i++) {                                                                         \
            ones[i] = 1;                                                                                          \
        }                                                                                                         \
        MPI_Win_lock_all(0, window->win);                                                                         \
        for (int round = 0; round < ROUNDS; round++) {                                                            \
            if (bulks) {                                                                                          \
                MPI_Accumulate(ones, COUNT, mpitype, 0, test_at(window, 0, 0), COUNT, mpitype, MPI_SUM,           \
                               window->win);                                                                      \
            }                                                                                                     \
            for (int i = 0; fetches && i < 16; i++) {                                                             \
                MPI_Aint disp = test_at(window, 0, i * 255 * sizeof(ctype));                                      \
                                                                                                                  \
                MPI_Fetch_and_op(ones, &was, mpitype, 0, disp, MPI_SUM, window->win);                             \
                MPI_Win_flush(0, window->win);                                                                    \
                MPI_Fetch_and_op(NULL, &read, mpitype, 0, disp, MPI_NO_OP, window->win);                          \
                MPI_Win_flush(0, window->win);                                                                    \
                CHECK(was >= last[i] && read > was, "%s: %g after %g, then %g", #ctype, (double) was,             \
                      (double) last[i], (double) read);                                                           \
                last[i] = was + 1;                                                                                \
            }                                                                                                     \
        }                                                                                                         \
        MPI_Win_unlock_all(window->win);                                                                          \
        MPI_Barrier(MPI_COMM_WORLD);                                                                              \
        MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win);                                                 \
        for (int i = 0; 0 == test_rank && i < COUNT; i++) {                                                       \
            wanted = ROUNDS * (adders + (0 == i % 255 && i / 255 < 16 ? fetchers : 0));                           \
            CHECK(wanted == memory[i], "%s: element %d is %g, not %g", #ctype, i, (double) memory[i],             \
                  (double) wanted);                                                                               \
        }                                                                                                         \
        MPI_Win_unlock(test_rank, window->win);                                                                   \
        free(ones);                                                                                               \
    }

TEST_MIX(double, MPI_DOUBLE)
TEST_MIX(float, MPI_FLOAT)
TEST_MIX(int64_t, MPI_INT64_T)
TEST_MIX(int32_t, MPI_INT32_T)
TEST_MIX(uint16_t, MPI_UINT16_T)

int main(int argc, char **argv)
{
    static void (*const mixes[])(struct test_window *) = {mix_double, mix_float, mix_int64_t, mix_int32_t,
                                                          mix_uint16_t};
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (size_t i = 0; test_has_flavor(MPI_COMM_WORLD, flavor) && i < sizeof(mixes) / sizeof(mixes[0]); i++) {
            test_window_open(&window, flavor, COUNT * 8, MPI_INFO_NULL, MPI_COMM_WORLD);
            mixes[i](&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
