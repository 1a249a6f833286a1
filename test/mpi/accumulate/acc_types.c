/* Every predefined operation on every predefined type that allows it, by every call; the gaps of pairs stay untouched.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "types.h"
#include "windows.h"

enum { COUNT = 7, ROOM = (COUNT + 1) * 32 };

enum { ACCUMULATE, RACCUMULATE, GET_ACCUMULATE, RGET_ACCUMULATE, FETCH_AND_OP, CALLS };

static const char *const call_name[CALLS] = {"accumulate", "raccumulate", "get_accumulate", "rget_accumulate",
                                             "fetch_and_op"};

static void call(int which, const struct basic_type *type, MPI_Op op, void *origin, void *result, int target,
                 MPI_Aint disp, MPI_Win win)
{
    MPI_Request request;

    if (ACCUMULATE == which) {
        MPI_OK(MPI_Accumulate(origin, COUNT, type->type, target, disp, COUNT, type->type, op, win));
    } else if (RACCUMULATE == which) {
        MPI_OK(MPI_Raccumulate(origin, COUNT, type->type, target, disp, COUNT, type->type, op, win, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else if (RGET_ACCUMULATE == which) {
        MPI_OK(MPI_Rget_accumulate(origin, COUNT, type->type, result, COUNT, type->type, target, disp, COUNT,
                                   type->type, op, win, &request));
        MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else if (GET_ACCUMULATE == which) {
        MPI_OK(MPI_Get_accumulate(origin, COUNT, type->type, result, COUNT, type->type, target, disp, COUNT,
                                  type->type, op, win));
    } else {
        MPI_OK(MPI_Fetch_and_op(origin, result, type->type, target, disp, op, win));
    }
}

/* The bytes of a pair that are neither value nor index, and those behind the last element. */
static void check_gaps(const struct basic_type *type, const char *memory, int fill, int count, const char *name)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type->type, &lb, &extent);
    for (MPI_Aint i = 0; i < ROOM; i++) {
        MPI_Aint at = i % extent, last = type->second_at + type->second_size;

        if (i >= count * extent || (PAIR == type->group && at >= type->first_size &&
                                    (at < type->second_at || at >= last))) {
            CHECK(fill == memory[i], "%s of %s: byte %ld is not data and was written", name, type->name, (long) i);
        }
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
    check_gaps(type, after, 0x2a, COUNT, call_name[which]);
    if (which > RACCUMULATE) {
        wrong = elements_differ(type, result, before, count);
        CHECK(wrong < 0, "%s: %s of %s with %s: result %d is wrong", test_flavor_name[window->flavor],
              call_name[which], type->name, op->name, wrong);
        check_gaps(type, result, 0x33, count, call_name[which]);
    }
}

/* What the library's own reductions lack, there is nothing to compare with. */
static int usable(const struct test_op *op, const struct basic_type *type)
{
    return op_allowed(op, type) && library_reduces(op, type);
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
                for (int which = 0; usable(&ops[o], &types[t]) && which < CALLS; which++) {
                    if (which > RACCUMULATE || MPI_NO_OP != ops[o].op) {
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
