/* Operations and types that do not go together give MPI_ERR_OP or MPI_ERR_TYPE and touch nothing, by every call.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library may know more than the standard asks for: what its own reductions take is not looked at.
 */
#include "types.h"
#include "windows.h"

enum { ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, RACCUMULATE, RGET_ACCUMULATE, CALLS };

static int call(int which, const struct basic_type *type, MPI_Op op, int target, MPI_Aint disp, MPI_Win win)
{
    static _Alignas(16) char origin[32], result[32];
    MPI_Request request;
    int rc;

    memset(origin, 0x11, sizeof(origin));
    switch (which) {
    case ACCUMULATE: return MPI_Accumulate(origin, 1, type->type, target, disp, 1, type->type, op, win);
    case GET_ACCUMULATE:
        return MPI_Get_accumulate(origin, 1, type->type, result, 1, type->type, target, disp, 1, type->type, op, win);
    case FETCH_AND_OP: return MPI_Fetch_and_op(origin, result, type->type, target, disp, op, win);
    case RACCUMULATE:
        rc = MPI_Raccumulate(origin, 1, type->type, target, disp, 1, type->type, op, win, &request);
        break;
    default:
        rc = MPI_Rget_accumulate(origin, 1, type->type, result, 1, type->type, target, disp, 1, type->type, op, win,
                                 &request);
    }
    if (MPI_SUCCESS == rc) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return rc;
}

static void check(struct test_window *window, const struct basic_type *type, const struct test_op *op)
{
    int target = test_neighbour(1), class;

    for (int which = 0; which < CALLS; which++) {
        class = test_class(call(which, type, op->op, target, test_at(window, target, 0), window->win));
        CHECK(MPI_ERR_OP == class || MPI_ERR_TYPE == class, "%s: call %d: %s on %s gives error class %d",
              test_flavor_name[window->flavor], which, op->name, type->name, class);
    }
}

int main(int argc, char **argv)
{
    const struct basic_type *types;
    const struct test_op *ops;
    struct test_window window;
    int type_count, op_count;

    test_init(&argc, &argv);
    types = basic_types(&type_count);
    ops = test_ops(&op_count);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, 32, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        MPI_Win_lock_all(0, window.win);
        for (int pair = 0; pair < type_count * op_count; pair++) {
            const struct basic_type *type = &types[pair / op_count];
            const struct test_op *op = &ops[pair % op_count];

            if (!op_allowed(op, type) && !library_reduces(op, type)) {
                check(&window, type, op);
            }
        }
        MPI_OK(MPI_Win_unlock_all(window.win));
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = 0; i < 32; i++) {
            CHECK(0 == window.base[i], "%s: the memory was written", test_flavor_name[flavor]);
        }
        test_window_close(&window);
    }
    return test_finish();
}
