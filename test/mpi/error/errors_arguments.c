/* Wrong arguments: lock type, rank, flavour, operations and types that a call does not allow, detach of nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

static void user_op(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void) in;
    (void) inout;
    (void) count;
    (void) type;
}

static void check_lock_arguments(MPI_Win win)
{
    MPI_FAILS(MPI_ERR_LOCKTYPE, MPI_Win_lock(12345, 0, 0, win));
    MPI_FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, test_size, 0, win));
    MPI_FAILS(MPI_ERR_RANK, MPI_Win_lock(MPI_LOCK_SHARED, -77, 0, win));
    MPI_OK(MPI_Win_lock_all(0, win));
    MPI_FAILS(MPI_ERR_RANK, MPI_Win_flush(test_size, win));
    MPI_FAILS(MPI_ERR_RANK, MPI_Win_flush_local(-77, win));
    MPI_OK(MPI_Win_unlock_all(win));
}

/* Operations of the user's, MPI_NO_OP where there is no result, bit operations on floating point. */
static void check_operations(struct test_window *window)
{
    double value = 1, result = 0;
    MPI_Aint disp = test_at(window, 0, 0);
    MPI_Win win = window->win;
    MPI_Datatype pair;
    MPI_Op mine;
    int rc;

    MPI_Op_create(user_op, 1, &mine);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_DOUBLE, 0, disp, 1, MPI_DOUBLE, mine, win));
    MPI_FAILS(MPI_ERR_OP, MPI_Fetch_and_op(&value, &result, MPI_DOUBLE, 0, disp, mine, win));
    MPI_FAILS(MPI_ERR_OP, MPI_Accumulate(&value, 1, MPI_DOUBLE, 0, disp, 1, MPI_DOUBLE, MPI_NO_OP, win));
    rc = MPI_Fetch_and_op(&value, &result, MPI_DOUBLE, 0, disp, MPI_BXOR, win);
    CHECK(MPI_ERR_OP == test_class(rc) || MPI_ERR_TYPE == test_class(rc), "bxor of doubles: class %d", test_class(rc));
    MPI_FAILS(MPI_ERR_TYPE, MPI_Fetch_and_op(&value, &result, pair, 0, disp, MPI_SUM, win));
    MPI_FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&value, &value, &result, MPI_DOUBLE, 0, disp, win));
    MPI_FAILS(MPI_ERR_TYPE, MPI_Compare_and_swap(&value, &value, &result, pair, 0, disp, win));
    MPI_OK(MPI_Win_unlock(0, win));
    MPI_Type_free(&pair);
    MPI_Op_free(&mine);
}

/* MPI 4.1 lets shared_query work on windows of MPI_Win_allocate and MPI_Win_create; on a dynamic one it cannot. */
static void check_flavor(struct test_window *window)
{
    const char *name = test_flavor_name[window->flavor];
    int unit, rc;
    MPI_Aint size;
    void *base;

    rc = test_class(MPI_Win_shared_query(window->win, test_rank, &size, &unit, &base));
    CHECK(MPI_ERR_RMA_FLAVOR == rc || (MPI_SUCCESS == rc && TEST_DYNAMIC != window->flavor),
          "%s: shared_query gives %d", name, rc);
    if (TEST_DYNAMIC != window->flavor) {
        rc = test_class(MPI_Win_attach(window->win, &unit, sizeof(unit)));
        CHECK(MPI_ERR_RMA_FLAVOR == rc || MPI_ERR_WIN == rc, "%s: attach gives %d", name, rc);
        rc = test_class(MPI_Win_detach(window->win, &unit));
        CHECK(MPI_ERR_RMA_FLAVOR == rc || MPI_ERR_WIN == rc, "%s: detach gives %d", name, rc);
    } else {
        CHECK(MPI_SUCCESS != MPI_Win_detach(window->win, &unit), "detach of memory that is not attached succeeds");
    }
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        check_lock_arguments(window.win);
        check_operations(&window);
        if (TEST_SHARED != flavor) {
            check_flavor(&window);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK(0 == *(double *) window.base, "%s: the memory was written", test_flavor_name[flavor]);
        test_window_close(&window);
    }
    return test_finish();
}
