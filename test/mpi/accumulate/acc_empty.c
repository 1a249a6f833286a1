/* Accumulates of types without elements, whatever these were made of: nothing happens, and it is no error. Data for a
 * target without elements do not fit.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { KINDS = 3 };

static void make_types(MPI_Datatype types[KINDS])
{
    int lengths[2] = {0, 1};
    MPI_Aint displacements[2] = {0, 8};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_DATATYPE_NULL};

    MPI_Type_contiguous(0, MPI_LONG, &types[0]);
    MPI_Type_create_struct(0, lengths, displacements, parts, &types[1]);
    parts[1] = types[0];
    MPI_Type_create_struct(2, lengths, displacements, parts, &types[2]);
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Type_commit(&types[kind]);
    }
}

static void check(struct test_window *window, MPI_Datatype type)
{
    int right = test_neighbour(1);
    MPI_Aint disp = test_at(window, right, 0);
    MPI_Win win = window->win;
    MPI_Request request;
    long value = 1, result = 2;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win));
    MPI_OK(MPI_Accumulate(&value, 3, type, right, disp, 2, type, MPI_REPLACE, win));
    MPI_OK(MPI_Accumulate(&value, 0, MPI_LONG, right, disp, 2, type, MPI_REPLACE, win));
    MPI_OK(MPI_Raccumulate(&value, 1, type, right, disp, 0, MPI_LONG, MPI_REPLACE, win, &request));
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Get_accumulate(&value, 1, type, &result, 0, MPI_LONG, right, disp, 1, type, MPI_REPLACE, win));
    MPI_OK(MPI_Get_accumulate(NULL, 1, MPI_LONG, &result, 1, type, right, disp, 1, type, MPI_NO_OP, win));
    MPI_FAILS(MPI_ERR_TRUNCATE, MPI_Accumulate(&value, 1, MPI_LONG, right, disp, 1, type, MPI_REPLACE, win));
    MPI_FAILS(MPI_ERR_TRUNCATE, MPI_Get_accumulate(NULL, 0, MPI_LONG, &result, 1, MPI_LONG, right, disp, 0, MPI_LONG,
                                                   MPI_NO_OP, win));
    MPI_OK(MPI_Win_unlock(right, win));
    CHECK(2 == result, "%s: a result of no elements is %ld", test_flavor_name[window->flavor], result);
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Datatype types[KINDS];

    test_init(&argc, &argv);
    make_types(types);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        for (int kind = 0; kind < KINDS; kind++) {
            check(&window, types[kind]);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(0 == *(long *) window.base, "%s: %ld", test_flavor_name[flavor], *(long *) window.base);
        test_window_close(&window);
    }
    for (int kind = 0; kind < KINDS; kind++) {
        MPI_Type_free(&types[kind]);
    }
    return test_finish();
}
