/* All buffers of an accumulate have elements of one predefined type; another one, as the result say, is refused.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void must_refuse(const char *flavor, int rc, const char *what)
{
    int class = test_class(rc);

    CHECK(MPI_ERR_TYPE == class || MPI_ERR_ARG == class, "%s: %s: error class %d", flavor, what, class);
}

static void check(struct test_window *window)
{
    const char *flavor = test_flavor_name[window->flavor];
    int target = test_neighbour(1);
    MPI_Aint disp = test_at(window, target, 0);
    long value = 3, result = 0;
    MPI_Win win = window->win;

    must_refuse(flavor, MPI_Accumulate(&value, 1, MPI_LONG, target, disp, 1, MPI_DOUBLE, MPI_REPLACE, win), "replace");
    must_refuse(flavor, MPI_Get_accumulate(&value, 1, MPI_LONG, &result, 1, MPI_DOUBLE, target, disp, 1, MPI_LONG,
                                           MPI_SUM, win), "result");
    must_refuse(flavor, MPI_Get_accumulate(NULL, 0, MPI_LONG, &result, 1, MPI_DOUBLE, target, disp, 1, MPI_LONG,
                                           MPI_NO_OP, win), "result of no_op");
    must_refuse(flavor, MPI_Get_accumulate(&value, 1, MPI_LONG, &result, 8, MPI_BYTE, target, disp, 1, MPI_LONG,
                                           MPI_SUM, win), "bytes as the result");
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        MPI_OK(MPI_Win_lock_all(0, window.win));
        check(&window);
        MPI_OK(MPI_Win_unlock_all(window.win));
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(0 == *(long *) window.base, "%s: the memory was written", test_flavor_name[flavor]);
        test_window_close(&window);
    }
    return test_finish();
}
