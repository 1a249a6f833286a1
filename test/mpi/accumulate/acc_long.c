/* Short and long accumulates of types with gaps, and of others, while the target waits in MPI: as MPI_Reduce_local does
 * it, and the gaps stay untouched.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "types.h"
#include "windows.h"

enum { MOST = 40000, BEHIND = 64, ROOM = MOST * 32 + BEHIND };

static const int counts[] = {1, 37, 700, MOST};

static MPI_Aint used; /* bytes of elements, and some behind them */
static char origin[ROOM], before[ROOM], wanted[ROOM], result[ROOM], after[ROOM];

/* The bytes that are neither value nor index. */
static void check_gaps(const struct basic_type *type, const char *memory, int fill, int count, const char *name)
{
    MPI_Aint lb, extent, last = type->second_at + type->second_size;

    MPI_Type_get_extent(type->type, &lb, &extent);
    for (MPI_Aint i = 0; i < used; i++) {
        MPI_Aint at = i % extent;

        if (i >= count * extent || (PAIR == type->group && ((at >= type->first_size && at < type->second_at) ||
                                                            at >= last))) {
            CHECK(fill == memory[i], "%s of %d %s: byte %ld is not data and was written", name, count, type->name,
                  (long) i);
        }
    }
}

static void fill(const struct basic_type *type, int count)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type->type, &lb, &extent);
    used = count * extent + BEHIND;
    memset(origin, 0x55, (size_t) used);
    memset(before, 0x2a, (size_t) used);
    memset(result, 0x33, (size_t) used);
    for (int i = 0; i < count; i++) {
        set_element(type, origin, i, 1 + i % 4);
        set_element(type, before, i, 1 + i * 3 % 5);
    }
}

/* The neighbour waits in the barrier meanwhile. */
static void check(const struct basic_type *type, const struct test_op *op, int count, int fetches,
                  const struct test_window *window)
{
    int target = test_neighbour(1), wrong;
    MPI_Aint disp = test_at(window, target, 0);

    MPI_Put(before, (int) used, MPI_BYTE, target, disp, (int) used, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    if (fetches) {
        MPI_OK(MPI_Get_accumulate(origin, count, type->type, result, count, type->type, target, disp, count,
                                  type->type, op->op, window->win));
    } else {
        MPI_OK(MPI_Accumulate(origin, count, type->type, target, disp, count, type->type, op->op, window->win));
    }
    MPI_Win_flush(target, window->win);
    MPI_Get(after, (int) used, MPI_BYTE, target, disp, (int) used, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    wrong = elements_differ(type, after, wanted, count);
    CHECK(wrong < 0, "%s: %d %s with %s: element %d is wrong", test_flavor_name[window->flavor], count, type->name,
          op->name, wrong);
    check_gaps(type, after, 0x2a, count, op->name);
    if (fetches) {
        wrong = elements_differ(type, result, before, count);
        CHECK(wrong < 0, "%s: %d %s with %s: result %d is wrong", test_flavor_name[window->flavor], count, type->name,
              op->name, wrong);
        check_gaps(type, result, 0x33, count, "result");
    }
}

/* Of the types without gaps a few are enough. */
static int wanted_type(const struct basic_type *type)
{
    return PAIR == type->group || MPI_DOUBLE == type->type || MPI_SHORT == type->type ||
           MPI_C_DOUBLE_COMPLEX == type->type;
}

static int wanted_op(const struct test_op *op, const struct basic_type *type)
{
    return op_allowed(op, type) && library_reduces(op, type) &&
           (PAIR == type->group || MPI_SUM == op->op || MPI_REPLACE == op->op);
}

/* One after the other; the others wait in MPI. */
static void check_in_turn(const struct basic_type *type, const struct test_op *op, const struct test_window *window)
{
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        for (int fetches = MPI_NO_OP == op->op; fetches < 2; fetches++) {
            for (int rank = 0; rank < test_size; rank++) {
                fill(type, counts[i]);
                memcpy(wanted, before, (size_t) used);
                apply_op(op, type, origin, wanted, counts[i]);
                MPI_Barrier(MPI_COMM_WORLD);
                if (rank == test_rank) {
                    check(type, op, counts[i], fetches, window);
                }
                MPI_Barrier(MPI_COMM_WORLD);
            }
        }
    }
}

int main(int argc, char **argv)
{
    const enum test_flavor flavors[] = {TEST_CREATE, TEST_DYNAMIC};
    const struct basic_type *types;
    const struct test_op *ops;
    struct test_window window;
    int type_count, op_count;

    test_init(&argc, &argv);
    types = basic_types(&type_count);
    ops = test_ops(&op_count);
    for (int i = 0; i < 2; i++) {
        test_window_open(&window, flavors[i], ROOM, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int t = 0; t < type_count; t++) {
            for (int o = 0; o < op_count; o++) {
                if (wanted_type(&types[t]) && wanted_op(&ops[o], &types[t])) {
                    check_in_turn(&types[t], &ops[o], &window);
                }
            }
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    return test_finish();
}
