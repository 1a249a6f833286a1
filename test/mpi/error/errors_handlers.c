/* A window's error handler: fatal by default, then the user's, with this window, once per error; not the others'.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static int called, code_seen;
static MPI_Win called_for;

static void handler(MPI_Win *win, int *code, ...)
{
    called++;
    called_for = *win;
    code_seen = *code;
}

static void must_call(int rc, int wanted, MPI_Win win, const char *what)
{
    CHECK(1 == called, "%s: the handler was called %d times", what, called);
    CHECK(win == called_for, "%s: the handler was called for another window", what);
    CHECK(rc == code_seen && wanted == test_class(rc), "%s: the handler got code %d, the caller %d, class %d", what,
          code_seen, rc, test_class(rc));
    called = 0;
}

static void check(struct test_window *window)
{
    MPI_Aint disp = test_at(window, test_rank, 0);
    MPI_Win win = window->win;
    long value = 1;

    must_call(MPI_Put(&value, 1, MPI_LONG, test_rank, disp, 1, MPI_LONG, win), MPI_ERR_RMA_SYNC, win, "put");
    must_call(MPI_Win_unlock(test_rank, win), MPI_ERR_RMA_SYNC, win, "unlock");
    must_call(MPI_Win_complete(win), MPI_ERR_RMA_SYNC, win, "complete");
    must_call(MPI_Win_lock(MPI_LOCK_SHARED, test_size, 0, win), MPI_ERR_RANK, win, "lock");
    if (TEST_DYNAMIC != window->flavor) {
        MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, win);
        must_call(MPI_Put(&value, 1, MPI_LONG, test_rank, 8, 1, MPI_LONG, win), MPI_ERR_RMA_RANGE, win, "put");
        MPI_Win_unlock(test_rank, win);
    }
}

int main(int argc, char **argv)
{
    MPI_Errhandler errors, default_errors;
    struct test_window window, other;

    test_init(&argc, &argv);
    MPI_Win_create_errhandler(handler, &errors);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        test_window_open(&other, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_OK(MPI_Win_get_errhandler(window.win, &default_errors));
        CHECK(MPI_ERRORS_ARE_FATAL == default_errors, "%s: the default error handler is another one",
              test_flavor_name[flavor]);
        MPI_Errhandler_free(&default_errors);
        MPI_OK(MPI_Win_set_errhandler(window.win, errors));
        check(&window);
        MPI_Win_set_errhandler(other.win, MPI_ERRORS_RETURN);
        MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_unlock_all(other.win));
        CHECK(0 == called, "%s: the other window's error came here", test_flavor_name[flavor]);
        test_window_close(&other);
        test_window_close(&window);
    }
    MPI_Errhandler_free(&errors);
    return test_finish();
}
