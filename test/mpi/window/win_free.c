/* MPI_Win_free and fence are barriers: nobody returns before all have called; the memory can be used anew.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

/* One process is late, another one in each round. Times of one machine can be compared. */
static void check_order(double entered, double left, const char *what)
{
    double last_entered, first_left;

    MPI_Allreduce(&entered, &last_entered, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    CHECK(first_left >= last_entered, "%s: somebody returned %g s before the last one had called", what,
          last_entered - first_left);
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Win dynamic, other;
    double entered;
    long word;

    test_init(&argc, &argv);
    for (int round = 0; round < 2 * TEST_FLAVORS; round++) {
        enum test_flavor flavor = round / 2;

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        if (round % test_size == test_rank) {
            test_compute(0.02);
        }
        entered = now();
        MPI_OK(MPI_Win_fence(0, window.win));
        check_order(entered, now(), "fence");
        if ((round + 1) % test_size == test_rank) {
            test_compute(0.02);
        }
        entered = now();
        MPI_OK(MPI_Win_free(&window.win));
        check_order(entered, now(), "free");
        CHECK(MPI_WIN_NULL == window.win, "the handle is not MPI_WIN_NULL");
        if (TEST_CREATE == flavor || TEST_DYNAMIC == flavor) {
            memset(window.base, round, window.size);
            free(window.base);
        }
        free(window.origin);
    }
    /* Free detaches: nothing keeps the memory, also if nobody has detached it. */
    if (test_has_flavor(MPI_COMM_WORLD, TEST_DYNAMIC)) {
        MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
        MPI_OK(MPI_Win_attach(dynamic, &word, sizeof(word)));
        MPI_OK(MPI_Win_free(&dynamic));
        MPI_OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other));
        MPI_OK(MPI_Win_attach(other, &word, sizeof(word)));
        MPI_OK(MPI_Win_free(&other));
    }
    return test_finish();
}
