/* Atomicity: all processes add to all processes at once, one element and in bulk, fetching and not; sums are exact.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { COUNT = 300 };

static MPI_Op op = MPI_SUM;

/* The same location is met by all four calls. */
static void add(struct test_window *window, int target, MPI_Datatype type, const void *ones, void *results)
{
    MPI_Aint disp = test_at(window, target, 0);

    MPI_Accumulate(ones, 1, type, target, disp, 1, type, op, window->win);
    MPI_Fetch_and_op(ones, results, type, target, disp, op, window->win);
    MPI_Accumulate(ones, COUNT, type, target, disp, COUNT, type, op, window->win);
    MPI_Get_accumulate(ones, COUNT, type, (char *) results + 16, COUNT, type, target, disp, COUNT, type, op,
                       window->win);
}

#define TEST_SUMS(ctype, mpitype, rounds)                                                                        \
    static void sums_##ctype(struct test_window *window)                                                         \
    {                                                                                                            \
        const ctype *memory = (const ctype *) window->base;                                                      \
        static char results[16 + COUNT * 8];                                                                     \
        ctype ones[COUNT];                                                                                       \
                                                                                                                 \
        for (int i = 0; i < COUNT; i++) {                                                                        \
            ones[i] = 1;                                                                                         \
        }                                                                                                        \
        MPI_Win_lock_all(0, window->win);                                                                        \
        for (int round = 0; round < rounds; round++) {                                                           \
            for (int target = 0; target < test_size; target++) {                                                 \
                add(window, target, mpitype, ones, results);                                                     \
                MPI_Win_flush_local(target, window->win);                                                        \
            }                                                                                                    \
        }                                                                                                        \
        MPI_Win_unlock_all(window->win);                                                                         \
        MPI_Barrier(MPI_COMM_WORLD);                                                                             \
        MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window->win);                                                \
        for (int i = 0; i < COUNT; i++) {                                                                        \
            ctype wanted = (ctype) (rounds * test_size * (i > 0 ? 2 : 4));                                       \
                                                                                                                 \
            CHECK(wanted == memory[i], "%s, %s: element %d is %g, not %g", test_flavor_name[window->flavor],     \
                  #ctype, i, (double) memory[i], (double) wanted);                                               \
        }                                                                                                        \
        MPI_Win_unlock(test_rank, window->win);                                                                  \
    }

TEST_SUMS(int8_t, MPI_INT8_T, 1)
TEST_SUMS(uint16_t, MPI_UINT16_T, 50)
TEST_SUMS(int32_t, MPI_INT32_T, 50)
TEST_SUMS(int64_t, MPI_INT64_T, 50)
TEST_SUMS(float, MPI_FLOAT, 50)
TEST_SUMS(double, MPI_DOUBLE, 50)

int main(int argc, char **argv)
{
    static void (*const sums[])(struct test_window *) = {sums_int8_t,  sums_uint16_t, sums_int32_t,
                                                         sums_int64_t, sums_float,    sums_double};
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]) && test_has_flavor(MPI_COMM_WORLD, flavor); i++) {
            test_window_open(&window, flavor, COUNT * 8, MPI_INFO_NULL, MPI_COMM_WORLD);
            sums[i](&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
