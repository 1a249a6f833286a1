/* Overlapping puts, gets and accumulates are no errors: no call fails, and no word becomes what nobody wrote.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ROUNDS = 50, BYTES = 1000 };

/* All bytes of a put are the same, and tell who put them. */
static void check(struct test_window *window, int by_fence)
{
    unsigned char mine[BYTES], got[BYTES];
    int target = 0, bad = 0;
    MPI_Aint disp = test_at(window, target, 0);

    memset(mine, 1 + test_rank, BYTES);
    if (by_fence) {
        MPI_OK(MPI_Win_fence(0, window->win));
    } else {
        MPI_OK(MPI_Win_lock_all(0, window->win));
    }
    for (int round = 0; round < ROUNDS; round++) {
        MPI_OK(MPI_Put(mine, BYTES, MPI_BYTE, target, disp, BYTES, MPI_BYTE, window->win));
        MPI_OK(MPI_Put(mine, BYTES / 2, MPI_BYTE, target, disp + BYTES / 4, BYTES / 2, MPI_BYTE, window->win));
        MPI_OK(MPI_Get(got, BYTES, MPI_BYTE, target, disp, BYTES, MPI_BYTE, window->win));
        MPI_OK(MPI_Accumulate(mine, BYTES, MPI_BYTE, target, disp, BYTES, MPI_BYTE, MPI_REPLACE, window->win));
    }
    if (by_fence) {
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win));
    } else {
        MPI_OK(MPI_Win_unlock_all(window->win));
    }
    for (int i = 0; i < BYTES; i++) {
        bad += got[i] > test_size;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; 0 == test_rank && i < BYTES; i++) {
        bad += 0 == window->base[i] || window->base[i] > test_size;
    }
    CHECK(0 == bad, "%s: %d bytes that nobody wrote", test_flavor_name[window->flavor], bad);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, BYTES, MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
            check(&window, 0);
            check(&window, 1);
            test_window_close(&window);
        }
    }
    return test_finish();
}
