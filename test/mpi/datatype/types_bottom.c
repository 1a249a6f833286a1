/* MPI_BOTTOM with absolute addresses as origin and as result, for every call; also origin types with a true_lb.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { WORDS = 6 };

/* `type` is two blocks of three doubles at absolute addresses. */
static MPI_Datatype absolute(double *first, double *second)
{
    int lengths[2] = {3, 3};
    MPI_Aint addresses[2];
    MPI_Datatype type;

    MPI_Get_address(first, &addresses[0]);
    MPI_Get_address(second, &addresses[1]);
    MPI_Type_create_hindexed(2, lengths, addresses, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void check(struct test_window *window)
{
    double near[3] = {1, 2, 3}, *far = malloc(3 * sizeof(double)), got[3] = {0}, *got_far = calloc(3, sizeof(double));
    MPI_Datatype from = absolute(far, near), to = absolute(got, got_far);
    int right = test_neighbour(1);
    MPI_Aint disp = test_at(window, right, test_rank * WORDS * sizeof(double));
    MPI_Win win = window->win;

    for (int i = 0; i < 3; i++) {
        far[i] = 10 + i;
    }
    MPI_Win_lock_all(0, win);
    MPI_Put(MPI_BOTTOM, 1, from, right, disp, WORDS, MPI_DOUBLE, win);
    MPI_Win_flush(right, win);
    MPI_Get(MPI_BOTTOM, 1, to, right, disp, WORDS, MPI_DOUBLE, win);
    MPI_Win_flush(right, win);
    CHECK(0 == memcmp(got, far, sizeof(got)) && 0 == memcmp(got_far, near, sizeof(near)), "%s: put and get",
          test_flavor_name[window->flavor]);
    MPI_Accumulate(MPI_BOTTOM, 1, from, right, disp, WORDS, MPI_DOUBLE, MPI_SUM, win);
    memset(got, 0, sizeof(got));
    memset(got_far, 0, sizeof(near));
    MPI_Get_accumulate(MPI_BOTTOM, 1, from, MPI_BOTTOM, 1, to, right, disp, WORDS, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(right, win);
    for (int i = 0; i < 3; i++) {
        CHECK(2 * far[i] == got[i] && 2 * near[i] == got_far[i], "%s: accumulate: got %g and %g",
              test_flavor_name[window->flavor], got[i], got_far[i]);
    }
    MPI_Get(MPI_BOTTOM, 1, to, right, disp, WORDS, MPI_DOUBLE, win);
    MPI_Win_unlock_all(win);
    for (int i = 0; i < 3; i++) {
        CHECK(3 * far[i] == got[i] && 3 * near[i] == got_far[i], "%s: get_accumulate: got %g and %g",
              test_flavor_name[window->flavor], got[i], got_far[i]);
    }
    MPI_Type_free(&from);
    MPI_Type_free(&to);
    free(far);
    free(got_far);
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&window, flavor, test_size * WORDS * sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD);
            check(&window);
            test_window_close(&window);
        }
    }
    return test_finish();
}
