/* Random sequences of accumulates: any call, any allowed operation, any type, derived on all sides; a serial model.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A sequence is not waited for in between: the order of one origin's accumulates decides the results.
 */
#include "random_types.h"
#include "types.h"
#include "windows.h"

enum { AREA = 24000, SEQUENCE = 8, MOST = 24, ROUNDS = 3 };

enum { ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, RGET_ACCUMULATE, CALLS };

/* `count` of a derived type somewhere in an area of memory. */
struct side {
    MPI_Datatype type;
    int count;
    MPI_Aint offset;
};

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type, &lb, &extent);
    return extent;
}

static void make_side(uint64_t *random, const struct basic_type *basic, int elements, struct side *side)
{
    MPI_Aint unit = extent_of(basic->type), first, length, lowest;

    for (;;) {
        side->count = random_divisor(random, elements);
        side->type = random_tree(random, basic->type, unit, elements / side->count, (int) test_random(random, 4));
        length = type_span(side->type, side->count, &first);
        lowest = first < 0 ? (-first + unit - 1) / unit * unit : 0;
        if (lowest + first + length + unit <= AREA) {
            break;
        }
        MPI_Type_free(&side->type);
    }
    MPI_Type_commit(&side->type);
    side->offset = lowest + unit * (MPI_Aint) test_random(random, (AREA - lowest - first - length) / unit);
}

static void make_element(const struct basic_type *basic, struct side *side)
{
    MPI_Type_contiguous(1, basic->type, &side->type);
    MPI_Type_commit(&side->type);
    side->count = 1;
    side->offset = 0;
}

/* The elements of a side as an array of the basic type, and back. */
static void gather(const char *area, const struct side *side, char *array, const struct basic_type *basic, int n)
{
    char packed[MOST * 32];
    int position = 0;

    MPI_Pack(area + side->offset, side->count, side->type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    position = 0;
    MPI_Unpack(packed, sizeof(packed), &position, array, n, basic->type, MPI_COMM_SELF);
}

static void scatter(const char *array, char *area, const struct side *side, const struct basic_type *basic, int n)
{
    char packed[MOST * 32];
    int position = 0;

    MPI_Pack(array, n, basic->type, packed, sizeof(packed), &position, MPI_COMM_SELF);
    position = 0;
    MPI_Unpack(packed, sizeof(packed), &position, area + side->offset, side->count, side->type, MPI_COMM_SELF);
}

/* What the operation leaves in the target's model; the old values in `old`. One element at a time: some reductions of
 * whole arrays do not wrap around. */
static void model_apply(const struct basic_type *basic, const struct test_op *op, const char *data, char *model,
                        const struct side *there, char *old, int n)
{
    _Alignas(16) char updated[MOST * 32];
    MPI_Aint extent = extent_of(basic->type);

    gather(model, there, old, basic, n);
    memcpy(updated, old, n * extent);
    for (int i = 0; i < n; i++) {
        apply_op(op, basic, data + i * extent, updated + i * extent, 1);
    }
    scatter(updated, model, there, basic, n);
}

/* A long double has 10 bytes that mean something, and 6 that may be anything. */
static void clean(const struct basic_type *basic, char *area, size_t bytes)
{
    if (REAL_NUMBER == basic->first_kind && 16 == basic->first_size) {
        for (size_t at = 0; at + extent_of(basic->type) <= bytes; at += extent_of(basic->type)) {
            memset(area + at + 10, 0, 6);
            memset(area + at + (16 == basic->second_size ? basic->second_at : 0) + 10, 0, 6);
        }
    }
}

/* Small values everywhere, the same in an area and in its model. */
static void fill(uint64_t *random, const struct basic_type *basic, char *area)
{
    memset(area, 0, AREA);
    for (int i = 0; i < AREA / extent_of(basic->type); i++) {
        set_element(basic, area, i, 1 + (int) test_random(random, 3));
    }
}

struct areas {
    char *origin, *result, *result_model, *model, *got;
};

static void one_call(uint64_t *random, struct test_window *window, const struct basic_type *basic,
                     const struct test_op *op, int target, struct areas *areas, MPI_Request *request)
{
    int which = (int) test_random(random, CALLS), n = 1 + (int) test_random(random, MOST);
    int single = FETCH_AND_OP == which;
    MPI_Aint base = test_at(window, target, (MPI_Aint) AREA * test_rank);
    _Alignas(16) char data[MOST * 32], old[MOST * 32];
    struct side origin, result, there;

    if (ACCUMULATE == which && MPI_NO_OP == op->op) {
        which = GET_ACCUMULATE;
    }
    n = single ? 1 : n;
    make_side(random, basic, n, &origin);
    make_side(random, basic, n, &result);
    make_side(random, basic, n, &there);
    if (single) {
        MPI_Type_free(&there.type);
        make_element(basic, &there);
        there.offset = extent_of(basic->type) * (MPI_Aint) test_random(random, AREA / extent_of(basic->type) - 1);
    }
    gather(areas->origin, &origin, data, basic, n);
    model_apply(basic, op, data, areas->model, &there, old, n);
    *request = MPI_REQUEST_NULL;
    if (ACCUMULATE == which) {
        MPI_Accumulate(areas->origin + origin.offset, origin.count, origin.type, target, base + there.offset,
                       there.count, there.type, op->op, window->win);
    } else if (GET_ACCUMULATE == which) {
        MPI_Get_accumulate(areas->origin + origin.offset, origin.count, origin.type, areas->result + result.offset,
                           result.count, result.type, target, base + there.offset, there.count, there.type, op->op,
                           window->win);
    } else if (RGET_ACCUMULATE == which) {
        MPI_Rget_accumulate(areas->origin + origin.offset, origin.count, origin.type, areas->result + result.offset,
                            result.count, result.type, target, base + there.offset, there.count, there.type, op->op,
                            window->win, request);
    } else {
        MPI_Type_free(&result.type);
        make_element(basic, &result);
        MPI_Fetch_and_op(data, areas->result, basic->type, target, base + there.offset, op->op, window->win);
        MPI_Win_flush(target, window->win); /* `data` is gone after this call */
    }
    if (ACCUMULATE != which) {
        scatter(old, areas->result_model, &result, basic, n);
    }
    MPI_Type_free(&origin.type);
    MPI_Type_free(&there.type);
    MPI_Type_free(&result.type);
}

/* Calls to one target that are all in flight at once; each has an area of its own for its result. */
static void sequence(uint64_t *random, struct test_window *window, const struct basic_type *basic, struct areas *areas)
{
    int target = (int) test_random(random, test_size), op_count;
    const struct test_op *ops = test_ops(&op_count), *op;
    MPI_Aint disp = test_at(window, target, (MPI_Aint) AREA * test_rank);
    MPI_Request requests[SEQUENCE];
    struct areas mine[SEQUENCE];

    fill(random, basic, areas->model);
    fill(random, basic, areas->origin);
    MPI_Put(areas->model, AREA, MPI_BYTE, target, disp, AREA, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    memset(areas->result, 0, SEQUENCE * AREA);
    memset(areas->result_model, 0, SEQUENCE * AREA);
    for (int i = 0; i < SEQUENCE; i++) {
        do {
            op = &ops[test_random(random, op_count)];
        } while (!op_allowed(op, basic) || !library_reduces(op, basic));
        mine[i] = *areas;
        mine[i].result += i * AREA;
        mine[i].result_model += i * AREA;
        one_call(random, window, basic, op, target, &mine[i], &requests[i]);
    }
    MPI_Waitall(SEQUENCE, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(target, window->win);
    for (int i = 0; i < SEQUENCE; i++) {
        clean(basic, areas->result + i * AREA, AREA);
        clean(basic, areas->result_model + i * AREA, AREA);
    }
    CHECK(0 == memcmp(areas->result, areas->result_model, SEQUENCE * AREA), "%s: %s: a wrong result",
          test_flavor_name[window->flavor], basic->name);
    MPI_Get(areas->got, AREA, MPI_BYTE, target, disp, AREA, MPI_BYTE, window->win);
    MPI_Win_flush(target, window->win);
    clean(basic, areas->got, AREA);
    clean(basic, areas->model, AREA);
    CHECK(0 == memcmp(areas->got, areas->model, AREA), "%s: %s: wrong at the target", test_flavor_name[window->flavor],
          basic->name);
}

int main(int argc, char **argv)
{
    const struct basic_type *types;
    struct test_window window;
    struct areas areas;
    uint64_t random;
    int count;

    test_init(&argc, &argv);
    random = test_seed() + test_rank;
    types = basic_types(&count);
    areas = (struct areas) {malloc(AREA), malloc(SEQUENCE * AREA), malloc(SEQUENCE * AREA), malloc(AREA), malloc(AREA)};
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (MPI_Aint) test_size * AREA, MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock_all(0, window.win);
        for (int i = 0; i < ROUNDS * count; i++) {
            sequence(&random, &window, &types[i % count], &areas);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    free(areas.origin);
    free(areas.result);
    free(areas.result_model);
    free(areas.model);
    free(areas.got);
    return test_finish();
}
