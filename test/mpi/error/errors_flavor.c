/* Calls for another kind of window give MPI_ERR_RMA_FLAVOR; shared_query of a rank that is not there, MPI_ERR_RANK.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void check(struct test_window *window)
{
    MPI_Win win = window->win;
    MPI_Aint size = -1;
    void *base = NULL;
    int unit, word;

    if (TEST_DYNAMIC == window->flavor) {
        MPI_FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(win, test_rank, &size, &unit, &base));
        MPI_FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &base));
        return;
    }
    MPI_FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_attach(win, &word, sizeof(word)));
    MPI_FAILS(MPI_ERR_RMA_FLAVOR, MPI_Win_detach(win, &word));
    if (TEST_SHARED == window->flavor) {
        MPI_FAILS(MPI_ERR_RANK, MPI_Win_shared_query(win, test_size, &size, &unit, &base));
        MPI_FAILS(MPI_ERR_RANK, MPI_Win_shared_query(win, -77, &size, &unit, &base));
    }
}

int main(int argc, char **argv)
{
    struct test_window window;
    long one = 1;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        int right = test_neighbour(1);

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        check(&window);
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window.win));
        check(&window);
        MPI_OK(MPI_Put(&one, 1, MPI_LONG, right, test_at(&window, right, 0), 1, MPI_LONG, window.win));
        MPI_OK(MPI_Win_unlock(right, window.win));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(1 == *(long *) window.base, "%s: the window does not work any more", test_flavor_name[flavor]);
        test_window_close(&window);
    }
    return test_finish();
}
