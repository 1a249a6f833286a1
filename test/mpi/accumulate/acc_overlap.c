/* Target types that name an element more than once: it is combined each time, in the order of the type. The standard
 * forbids such types; libraries use them, and other implementations combine one element after the other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 works at every process, itself too. The expected memory comes from MPI_Reduce_local, element by element. What
 * a fetching call tells of an element is its value before the call, or, the second time, after the first combination.
 */
#include "windows.h"

enum { SPAN_MAX = 40100, MARGIN = 8, FEW = 12, LONG = 20000 /**< elements of 4 bytes: over 60 KiB */ };

enum shape { REPEATED, NEIGHBOURS, BLOCKS, HVECTOR, SAME_PLACE, EXTENT, SHAPES };
static const char *const shape_name[SHAPES] = {
    "indexed with repeats", "each element twice in a row", "overlapping blocks", "hvector with a short stride",
    "vector with stride 0", "an extent smaller than the size"
};

enum call { ACCUMULATE, GET_ACCUMULATE, RACCUMULATE, RGET_ACCUMULATE, CALLS };
static const char *const call_name[CALLS] = {"accumulate", "get_accumulate", "raccumulate", "rget_accumulate"};

/** A target type, how many of it, and the elements that they name, in order. */
struct target {
    MPI_Datatype type;
    int count, elements;
    int span;      /**< elements of memory that are looked at: a few more than it reaches */
    int at[LONG];
};

/** Room for elements of up to 8 bytes. */
union memory {
    char bytes[8 * SPAN_MAX];
    long align;
};

static union memory origin, expected, first, second, before, after, result;
static struct target target;
static MPI_Win win;
static void *mine;

/** Blocks of `block` elements at the given places. */
static void make_indexed(int n, int block, const int *places, MPI_Datatype basic)
{
    MPI_OK(MPI_Type_create_indexed_block(n, block, places, basic, &target.type));
    for (int i = 0; i < n * block; i++) {
        target.at[i] = places[i / block] + i % block;
    }
}

/** `n` times blocks of `block` elements, the beginnings `stride` elements apart. */
static void note_blocks(int n, int block, int stride)
{
    for (int i = 0; i < n * block; i++) {
        target.at[i] = i / block * stride + i % block;
    }
}

static void make_resized(int n, int block, int extent, MPI_Datatype basic, int size)
{
    MPI_Datatype whole;

    MPI_OK(MPI_Type_contiguous(block, basic, &whole));
    MPI_OK(MPI_Type_create_resized(whole, 0, (MPI_Aint) extent * size, &target.type));
    MPI_OK(MPI_Type_free(&whole));
    target.count = n;
    note_blocks(n, block, extent);
}

static void make_target(enum shape shape, int elements, MPI_Datatype basic)
{
    static int places[LONG];
    int size;

    MPI_Type_size(basic, &size);
    target.count = 1;
    target.elements = elements;
    for (int i = 0; i < elements; i++) {
        places[i] = REPEATED == shape ? i % (elements / 2) * 2 + 1 : NEIGHBOURS == shape ? i / 2 * 3 : 2 * i;
    }
    switch (shape) {
    case REPEATED:
    case NEIGHBOURS: make_indexed(elements, 1, places, basic); break;
    case BLOCKS: make_indexed(elements / 4, 4, places, basic); break;
    case HVECTOR:
        MPI_OK(MPI_Type_create_hvector(elements / 4, 4, size, basic, &target.type));
        note_blocks(elements / 4, 4, 1);
        break;
    case SAME_PLACE:
        MPI_OK(MPI_Type_vector(4, elements / 4, 0, basic, &target.type));
        note_blocks(4, elements / 4, 0);
        break;
    default: make_resized(elements / 4, 4, 2, basic, size);
    }
    MPI_OK(MPI_Type_commit(&target.type));
    target.span = 0;
    for (int i = 0; i < elements; i++) {
        target.span = target.at[i] >= target.span ? target.at[i] + 1 : target.span;
    }
    target.span += MARGIN;
}

/** Fill the memories, and find out what is to come. `first` and `second` are what a fetching call may tell. */
static void expect(MPI_Datatype basic, MPI_Op op)
{
    int size;

    MPI_Type_size(basic, &size);
    for (size_t i = 0; i < (size_t) (target.span * size); i++) {
        before.bytes[i] = (char) (i % (size_t) size ? 0 : 1 + i / (size_t) size % 5);
        origin.bytes[i] = (char) (i % (size_t) size ? 0 : 1 + i / (size_t) size % 3);
    }
    memcpy(&expected, &before, (size_t) (target.span * size));
    for (int i = 0; i < target.elements; i++) {
        char *element = expected.bytes + (size_t) target.at[i] * size, *from = origin.bytes + (size_t) i * size;

        memcpy(first.bytes + (size_t) i * size, before.bytes + (size_t) target.at[i] * size, size);
        memcpy(second.bytes + (size_t) i * size, element, size);
        if (MPI_REPLACE == op) {
            memcpy(element, from, size);
        } else if (MPI_NO_OP != op) {
            MPI_OK(MPI_Reduce_local(from, element, 1, basic, op));
        }
    }
}

static void issue(enum call call, int rank, MPI_Datatype basic, MPI_Op op)
{
    int n = target.elements;
    MPI_Request request = MPI_REQUEST_NULL;

    switch (call) {
    case ACCUMULATE: MPI_OK(MPI_Accumulate(&origin, n, basic, rank, 0, target.count, target.type, op, win)); break;
    case GET_ACCUMULATE:
        MPI_OK(MPI_Get_accumulate(&origin, n, basic, &result, n, basic, rank, 0, target.count, target.type, op, win));
        break;
    case RACCUMULATE:
        MPI_OK(MPI_Raccumulate(&origin, n, basic, rank, 0, target.count, target.type, op, win, &request));
        break;
    default:
        MPI_OK(MPI_Rget_accumulate(&origin, n, basic, &result, n, basic, rank, 0, target.count, target.type, op, win,
                                   &request));
    }
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void compare(enum call call, int rank, int size, const char *what)
{
    for (size_t i = 0; i < (size_t) (size * target.span); i += (size_t) size) {
        if (0 != memcmp(after.bytes + i, expected.bytes + i, size)) {
            CHECK(0, "%s, %s, %d elements, to rank %d: element %zu is %d, not %d", call_name[call], what,
                  target.elements, rank, i / (size_t) size, after.bytes[i], expected.bytes[i]);
            return;
        }
    }
    for (size_t i = 0; (GET_ACCUMULATE == call || RGET_ACCUMULATE == call) && i < (size_t) (size * target.elements);
         i += (size_t) size) {
        if (0 != memcmp(result.bytes + i, first.bytes + i, size) &&
            0 != memcmp(result.bytes + i, second.bytes + i, size)) {
            CHECK(0, "%s, %s, %d elements, to rank %d: result %zu is %d, not %d or %d", call_name[call], what,
                  target.elements, rank, i / (size_t) size, result.bytes[i], first.bytes[i], second.bytes[i]);
            return;
        }
    }
}

/** One call, on memory that is set before and fetched after. */
static void check(enum call call, int rank, MPI_Datatype basic, MPI_Op op, const char *what)
{
    int size, bytes;

    MPI_Type_size(basic, &size);
    bytes = target.span * size;
    memset(&result, 0, (size_t) bytes);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win));
    MPI_OK(MPI_Put(&before, bytes, MPI_BYTE, rank, 0, bytes, MPI_BYTE, win));
    MPI_OK(MPI_Win_flush(rank, win));
    issue(call, rank, basic, op);
    MPI_OK(MPI_Win_flush(rank, win));
    MPI_OK(MPI_Get(&after, bytes, MPI_BYTE, rank, 0, bytes, MPI_BYTE, win));
    MPI_OK(MPI_Win_unlock(rank, win));
    compare(call, rank, size, what);
}

/** All calls, for one operation on one basic type. */
static void check_calls(enum shape shape, int elements, int rank, MPI_Datatype basic, MPI_Op op, const char *name)
{
    char what[128];

    snprintf(what, sizeof(what), "%s, %s", name, shape_name[shape]);
    make_target(shape, elements, basic);
    expect(basic, op);
    for (enum call call = 0; call < CALLS; call++) {
        if (MPI_NO_OP != op || GET_ACCUMULATE == call || RGET_ACCUMULATE == call) {
            check(call, rank, basic, op, what);
        }
    }
    MPI_OK(MPI_Type_free(&target.type));
}

static void check_operations(enum shape shape, int elements, int rank)
{
    const struct {
        MPI_Op op;
        MPI_Datatype basic;
        const char *name;
    } all[] = {
        {MPI_SUM, MPI_INT, "sum of int"}, {MPI_PROD, MPI_INT, "product of int"}, {MPI_MIN, MPI_INT, "minimum of int"},
        {MPI_MAX, MPI_INT, "maximum of int"}, {MPI_BAND, MPI_INT, "and of int"}, {MPI_BOR, MPI_INT, "or of int"},
        {MPI_BXOR, MPI_INT, "exclusive or of int"}, {MPI_LAND, MPI_INT, "logical and of int"},
        {MPI_LOR, MPI_INT, "logical or of int"}, {MPI_LXOR, MPI_INT, "logical exclusive or of int"},
        {MPI_REPLACE, MPI_INT, "replace of int"}, {MPI_NO_OP, MPI_INT, "no_op of int"},
        {MPI_SUM, MPI_INT8_T, "sum of int8_t"}, {MPI_SUM, MPI_INT16_T, "sum of int16_t"},
        {MPI_SUM, MPI_INT64_T, "sum of int64_t"}, {MPI_BXOR, MPI_INT64_T, "exclusive or of int64_t"},
        {MPI_SUM, MPI_FLOAT, "sum of float"}, {MPI_SUM, MPI_DOUBLE, "sum of double"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        check_calls(shape, elements, rank, all[i].basic, all[i].op, all[i].name);
    }
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    for (int allocate = 0; allocate < 2; allocate++) {
        if (allocate) {
            MPI_OK(MPI_Win_allocate(sizeof(before), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
        } else {
            mine = malloc(sizeof(before));
            MPI_OK(MPI_Win_create(mine, sizeof(before), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
        }
        for (int rank = 0; 0 == test_rank && rank < test_size; rank++) {
            for (enum shape shape = 0; shape < SHAPES; shape++) {
                check_operations(shape, FEW, rank);
                check_operations(shape, LONG, rank);
            }
        }
        MPI_OK(MPI_Win_free(&win));
        free(allocate ? NULL : mine);
    }
    return test_finish();
}
