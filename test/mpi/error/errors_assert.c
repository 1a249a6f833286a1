/* Assertions that a call does not know give MPI_ERR_ASSERT, and no epoch begins; those it knows are taken in any mix.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static const int fence_bits = MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED;
static const int post_bits = MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT;

/* Every bit alone of those that are not in `known`. */
static void check_unknown(MPI_Win win, MPI_Group self)
{
    for (int bit = 0; bit < 31; bit++) {
        int assert = 1 << bit;

        if (0 == (assert & fence_bits)) {
            MPI_FAILS(MPI_ERR_ASSERT, MPI_Win_fence(assert, win));
        }
        if (0 == (assert & post_bits)) {
            MPI_FAILS(MPI_ERR_ASSERT, MPI_Win_post(self, assert, win));
        }
        if (0 == (assert & MPI_MODE_NOCHECK)) {
            MPI_FAILS(MPI_ERR_ASSERT, MPI_Win_start(self, assert, win));
            MPI_FAILS(MPI_ERR_ASSERT, MPI_Win_lock(MPI_LOCK_SHARED, test_rank, assert, win));
            MPI_FAILS(MPI_ERR_ASSERT, MPI_Win_lock_all(assert, win));
        }
    }
}

/* Every mix of the bits that fence and post know. */
static void check_known(MPI_Win win, MPI_Group self)
{
    for (int assert = 0; assert < 32; assert++) {
        if (0 == (assert & ~fence_bits)) {
            MPI_OK(MPI_Win_fence(assert, win));
        }
        if (0 == (assert & ~post_bits)) {
            MPI_OK(MPI_Win_post(self, assert, win));
            MPI_OK(MPI_Win_start(self, assert & MPI_MODE_NOCHECK, win));
            MPI_OK(MPI_Win_complete(win));
            MPI_OK(MPI_Win_wait(win));
        }
    }
}

static void no_epoch(struct test_window *window)
{
    long value = 1;

    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Put(&value, 1, MPI_LONG, test_rank, test_at(window, test_rank, 0), 1, MPI_LONG,
                                        window->win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_wait(window->win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock(test_rank, window->win));
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Group all, self;

    test_init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &test_rank, &self);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        check_unknown(window.win, self);
        no_epoch(&window);
        check_known(window.win, self);
        MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win));
        test_window_close(&window);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&self);
    return test_finish();
}
