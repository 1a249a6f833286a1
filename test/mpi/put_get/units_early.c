/* The first operation on a process whose displacement unit this one does not know, where no service thread answers: the
 * target multiplies the displacement. Each kind of call with each shape of its buffers, short and in many fragments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { ORIGIN = 0, TARGET = 3 }; /* rank 0 sends notices of fences to the ranks 1, 2 and 4, and so knows them */

enum { LONG = 40000, ROOM = 2 * LONG, FIRST = 3 /* element of the target that displacements name */, BLOCK = 5 };

enum kind { PUT, GET, ACCUMULATE, GET_ACCUMULATE, KINDS };

static const char *const kind_name[KINDS] = {"put", "get", "accumulate", "get_accumulate"};

enum shape { CONTIGUOUS, STRIDED, SHIFTED, BLOCKS, SHAPES, ORIGIN_SHAPES = SHIFTED };

static const char *const shape_name[SHAPES] = {"contiguous", "strided", "shifted", "in blocks"};

struct operation {
    enum kind kind;
    enum shape origin, target;
    int elements;
};

static long values[ROOM], got[ROOM];

/** The place of element number i. */
static int place(enum shape shape, int i)
{
    switch (shape) {
    case STRIDED:
        return 2 * i;
    case SHIFTED:
        return i + 1;
    case BLOCKS:
        return i / BLOCK * 7 + i / BLOCK % 3 + i % BLOCK;
    default:
        return i;
    }
}

static MPI_Datatype type_of(enum shape shape, int elements)
{
    const MPI_Aint gap = sizeof(long);
    MPI_Datatype type;
    int *begins;

    switch (shape) {
    case STRIDED:
        MPI_OK(MPI_Type_vector(elements, 1, 2, MPI_LONG, &type));
        break;
    case SHIFTED:
        MPI_OK(MPI_Type_create_hindexed(1, &elements, &gap, MPI_LONG, &type));
        break;
    case BLOCKS:
        begins = malloc((size_t) elements / BLOCK * sizeof(*begins));
        for (int i = 0; i < elements / BLOCK; i++) {
            begins[i] = place(shape, i * BLOCK);
        }
        MPI_OK(MPI_Type_create_indexed_block(elements / BLOCK, BLOCK, begins, MPI_LONG, &type));
        free(begins);
        break;
    default:
        MPI_OK(MPI_Type_contiguous(elements, MPI_LONG, &type));
    }
    MPI_OK(MPI_Type_commit(&type));
    return type;
}

static void run(const struct operation *operation, const struct test_window *window)
{
    const MPI_Aint disp = test_at(window, TARGET, FIRST); /* in the target's units */
    MPI_Datatype mine = type_of(operation->origin, operation->elements);
    MPI_Datatype theirs = type_of(operation->target, operation->elements);

    switch (operation->kind) {
    case PUT:
        MPI_OK(MPI_Put(values, 1, mine, TARGET, disp, 1, theirs, window->win));
        break;
    case GET:
        MPI_OK(MPI_Get(got, 1, mine, TARGET, disp, 1, theirs, window->win));
        break;
    case ACCUMULATE:
        MPI_OK(MPI_Accumulate(values, 1, mine, TARGET, disp, 1, theirs, MPI_SUM, window->win));
        break;
    default:
        MPI_OK(MPI_Get_accumulate(values, 1, mine, got, 1, mine, TARGET, disp, 1, theirs, MPI_SUM, window->win));
    }
    MPI_OK(MPI_Type_free(&theirs));
    MPI_OK(MPI_Type_free(&mine));
}

/** What the target's memory holds before. */
static long old_value(int at)
{
    return 3 * (long) at + 1;
}

static void check_result(const struct operation *operation, const char *text)
{
    for (int i = 0; i < operation->elements; i++) {
        const long found = got[place(operation->origin, i)];

        if (old_value(FIRST + place(operation->target, i)) != found) {
            CHECK(0, "%s: element %d of the result is %ld", text, i, found);
            break;
        }
    }
}

static void check_memory(const struct operation *operation, const char *text, const long *memory)
{
    static long wanted[ROOM];

    for (int i = 0; i < ROOM; i++) {
        wanted[i] = old_value(i);
    }
    for (int i = 0; GET != operation->kind && i < operation->elements; i++) {
        const int at = FIRST + place(operation->target, i);

        wanted[at] = values[place(operation->origin, i)] + (PUT == operation->kind ? 0 : wanted[at]);
    }
    for (int i = 0; i < ROOM; i++) {
        if (wanted[i] != memory[i]) {
            CHECK(0, "%s: word %d is %ld, not %ld", text, i, memory[i], wanted[i]);
            break;
        }
    }
}

/** In a window of its own: operations after the first one may know the target. */
static void check(enum test_flavor flavor, MPI_Info info, const struct operation *operation)
{
    struct test_window window;
    char text[100];

    snprintf(text, sizeof(text), "%s: %s of %d elements, %s, to %s", test_flavor_name[flavor],
             kind_name[operation->kind], operation->elements, shape_name[operation->origin],
             shape_name[operation->target]);
    test_window_open_unit(&window, flavor, ROOM * (MPI_Aint) sizeof(long), TARGET == test_rank ? sizeof(long) : 1,
                          info, MPI_COMM_WORLD);
    for (int i = 0; i < ROOM; i++) {
        ((long *) (void *) window.base)[i] = old_value(i);
        got[i] = 0;
    }
    MPI_OK(MPI_Win_fence(0, window.win));
    if (ORIGIN == test_rank) {
        run(operation, &window);
    }
    MPI_OK(MPI_Win_fence(0, window.win));
    if (ORIGIN == test_rank && (GET == operation->kind || GET_ACCUMULATE == operation->kind)) {
        check_result(operation, text);
    }
    if (TARGET == test_rank) {
        check_memory(operation, text, (const long *) (void *) window.base);
    }
    test_window_close(&window);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {BLOCK, 20 * BLOCK, LONG - 4 * BLOCK};
    const int all = (int) (sizeof(lengths) / sizeof(*lengths)) * KINDS * SHAPES * ORIGIN_SHAPES;
    MPI_Info info;

    test_init(&argc, &argv);
    test_needs(TARGET + 2);
    for (int i = 0; i < ROOM; i++) {
        values[i] = 1000003 * (long) i;
    }
    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    for (enum test_flavor flavor = TEST_CREATE; flavor < TEST_SHARED; flavor++) {
        for (int i = 0; i < all && test_has_flavor(MPI_COMM_WORLD, flavor); i++) {
            const struct operation operation = {i % KINDS, i / KINDS % ORIGIN_SHAPES,
                                                i / KINDS / ORIGIN_SHAPES % SHAPES,
                                                lengths[i / KINDS / ORIGIN_SHAPES / SHAPES]};

            check(flavor, info, &operation);
        }
    }
    MPI_Info_free(&info);
    return test_finish();
}
