/* Every predefined operation on every predefined type that allows it: accumulate, get_accumulate, fetch_and_op.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "types.h"
#include "windows.h"

enum { COUNT = 7, ROOM = (COUNT + 1) * 32 };

enum { ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, CALLS };

static const char *const call_name[CALLS] = {"accumulate", "get_accumulate", "fetch_and_op"};

static void call(int which, const struct basic_type *type, MPI_Op op, void *origin, void *result, int target,
                 MPI_Aint disp, MPI_Win win)
{
    if (ACCUMULATE == which) {
        MPI_OK(MPI_Accumulate(origin, COUNT, type->type, target, disp, COUNT, type->type, op, win));
    } else if (GET_ACCUMULATE == which) {
        MPI_OK(MPI_Get_accumulate(origin, COUNT, type->type, result, COUNT, type->type, target, disp, COUNT,
                                  type->type, op, win));
    } else {
        MPI_OK(MPI_Fetch_and_op(origin, result, type->type, target, disp, op, win));
    }
}

/* This process has a place of its own at the target: write it, operate on it, read it back. */
static void check(int which, const struct basic_type *type, const struct test_op *op, struct test_window *window)
{
    int target = test_neighbour(1), count = FETCH_AND_OP == which ? 1 : COUNT, wrong;
    MPI_Aint disp = test_at(window, target, test_rank * ROOM);
    char origin[ROOM], before[ROOM], wanted[ROOM], result[ROOM], after[ROOM];

    memset(origin, 0x55, ROOM);
    memset(before, 0x2a, ROOM);
    memset(result, 0x33, ROOM);
    for (int i = 0; i < COUNT; i++) {
        set_element(type, origin, i, 1 + i % 4);
        set_element(type, before, i, 1 + i * 3 % 5);
    }
    memcpy(wanted, before, ROOM);
    apply_op(op, type, origin, wanted, count);

    MPI_Put(before, ROOM, MPI_BYTE, target, disp, ROOM, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    call(which, type, op->op, origin, result, target, disp, window->win);
    MPI_Win_flush(target, window->win);
    MPI_Get(after, ROOM, MPI_BYTE, target, disp, ROOM, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);

    wrong = elements_differ(type, after, wanted, COUNT);
    CHECK(wrong < 0, "%s: %s of %s with %s: element %d is wrong", test_flavor_name[window->flavor], call_name[which],
          type->name, op->name, wrong);
    if (ACCUMULATE != which) {
        wrong = elements_differ(type, result, before, count);
        CHECK(wrong < 0, "%s: %s of %s with %s: result %d is wrong", test_flavor_name[window->flavor],
              call_name[which], type->name, op->name, wrong);
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
        test_window_open(&window, flavor, test_size * ROOM, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int t = 0; t < type_count; t++) {
            for (int o = 0; o < op_count; o++) {
                for (int which = 0; op_allowed(&ops[o], &types[t]) && which < CALLS; which++) {
                    if (ACCUMULATE != which || MPI_NO_OP != ops[o].op) {
                        check(which, &types[t], &ops[o], &window);
                    }
                }
            }
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
