/* MPI_NO_OP ignores the origin's address, count and type, whatever they are; the target stays as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { WORDS = 12 };

static void check(struct test_window *window)
{
    const char *name = test_flavor_name[window->flavor];
    int target = test_neighbour(1);
    MPI_Aint disp = test_at(window, target, 0);
    long results[3][WORDS], single = -1;
    MPI_Win win = window->win;
    MPI_Request request;

    memset(results, -1, sizeof(results));
    MPI_OK(MPI_Get_accumulate(NULL, 0, MPI_LONG, results[0], WORDS, MPI_LONG, target, disp, WORDS, MPI_LONG, MPI_NO_OP,
                              win));
    MPI_OK(MPI_Get_accumulate(NULL, 1000, MPI_BYTE, results[1], WORDS, MPI_LONG, target, disp, WORDS, MPI_LONG,
                              MPI_NO_OP, win));
    MPI_OK(MPI_Rget_accumulate(NULL, 0, MPI_DOUBLE_INT, results[2], WORDS, MPI_LONG, target, disp, WORDS, MPI_LONG,
                               MPI_NO_OP, win, &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Fetch_and_op(NULL, &single, MPI_LONG, target, disp + 5 * sizeof(long), MPI_NO_OP, win));
    MPI_OK(MPI_Win_flush(target, win));
    for (int i = 0; i < 3 * WORDS; i++) {
        CHECK(i % WORDS == results[i / WORDS][i % WORDS], "%s: call %d, word %d: %ld", name, i / WORDS, i % WORDS,
              results[i / WORDS][i % WORDS]);
    }
    CHECK(5 == single, "%s: fetched %ld", name, single);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, WORDS * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        for (int i = 0; i < WORDS; i++) {
            ((long *) window.base)[i] = i;
        }
        MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window.win);
        MPI_Win_lock_all(0, window.win);
        check(&window);
        MPI_Win_unlock_all(window.win);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < WORDS; i++) {
            CHECK(i == ((long *) window.base)[i], "%s: word %d was written", test_flavor_name[flavor], i);
        }
        test_window_close(&window);
    }
    return test_finish();
}
