/* Random operations with random datatypes on all sides, against a serial model of every target's memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "random_types.h"
#include "windows.h"

enum { AREA = 60000, OPERATIONS = 300, MOST = 48 };

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, CALLS };

/* One side of an operation: `count` of a random type somewhere in an area of memory. */
struct side {
    MPI_Datatype type;
    int count;
    MPI_Aint offset; /* of the buffer argument from the start of the area; never negative */
};

/* Returns 0 if the type came out too large for the area. */
static int make_side(uint64_t *random, MPI_Datatype base, int unit, int elements, struct side *side)
{
    MPI_Aint first, length, lowest;

    side->count = random_divisor(random, elements);
    side->type = random_type(random, base, elements / side->count);
    length = type_span(side->type, side->count, &first);
    lowest = first < 0 ? -first : 0;
    side->offset = (lowest + unit - 1) / unit * unit;
    if (side->offset + first + length + unit > AREA) {
        MPI_Type_free(&side->type);
        return 0;
    }
    side->offset += unit * (MPI_Aint) test_random(random, (AREA - side->offset - first - length) / unit);
    return 1;
}

/* The bytes of one side in the order of its type. */
static void pack(const char *area, const struct side *side, char *packed, int bytes)
{
    int position = 0;

    MPI_Pack(area + side->offset, side->count, side->type, packed, bytes, &position, MPI_COMM_SELF);
}

static void unpack(const char *packed, int bytes, char *area, const struct side *side)
{
    int position = 0;

    MPI_Unpack(packed, bytes, &position, area + side->offset, side->count, side->type, MPI_COMM_SELF);
}

/* One random operation on the memory at `target` that is this origin's own; `model` is what should be there. */
static void operate(uint64_t *random, struct test_window *window, int target, char *model, char *local,
                    char *local_model, int number)
{
    const MPI_Datatype bases[] = {MPI_INT, MPI_INT64_T, MPI_SHORT, MPI_UINT8_T}, base = bases[test_random(random, 4)];
    int which = (int) test_random(random, CALLS), elements = 1 + (int) test_random(random, MOST), unit;
    char data[MOST * 8], old[MOST * 8];
    struct side origin, result, there;
    MPI_Win win = window->win;
    MPI_Aint disp;

    MPI_Type_size(base, &unit);
    while (!make_side(random, base, unit, elements, &origin)) {
    }
    while (!make_side(random, base, unit, elements, &result)) {
    }
    while (!make_side(random, base, unit, elements, &there)) {
    }
    disp = test_at(window, target, (MPI_Aint) AREA * test_rank + there.offset);
    pack(local_model, &origin, data, sizeof(data));
    pack(model, &there, old, sizeof(old));
    if (PUT == which) {
        MPI_Put(local + origin.offset, origin.count, origin.type, target, disp, there.count, there.type, win);
        unpack(data, elements * unit, model, &there);
    } else if (GET == which) {
        MPI_Get(local + AREA + result.offset, result.count, result.type, target, disp, there.count, there.type, win);
        unpack(old, elements * unit, local_model + AREA, &result);
    } else {
        if (ACCUMULATE == which) {
            MPI_Accumulate(local + origin.offset, origin.count, origin.type, target, disp, there.count, there.type,
                           MPI_BXOR, win);
        } else {
            MPI_Get_accumulate(local + origin.offset, origin.count, origin.type, local + AREA + result.offset,
                               result.count, result.type, target, disp, there.count, there.type, MPI_BXOR, win);
            unpack(old, elements * unit, local_model + AREA, &result);
        }
        MPI_Reduce_local(data, old, elements, base, MPI_BXOR); /* exact, whatever the bytes are */
        unpack(old, elements * unit, model, &there);
    }
    MPI_Type_free(&origin.type);
    MPI_Type_free(&result.type);
    MPI_Type_free(&there.type);
    MPI_Win_flush(target, win);
    CHECK(0 == memcmp(local, local_model, 2 * AREA), "operation %d (kind %d, %d elements of %d bytes): result", number,
          which, elements, unit);
}

int main(int argc, char **argv)
{
    char *models, *local = malloc(2 * AREA), *local_model = malloc(2 * AREA), *got = malloc(AREA);
    struct test_window window;
    uint64_t random;

    test_init(&argc, &argv);
    random = test_seed() + test_rank;
    models = malloc((size_t) test_size * AREA);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, (MPI_Aint) test_size * AREA, MPI_INFO_NULL, MPI_COMM_WORLD);
        memset(models, 0, (size_t) test_size * AREA);
        for (int i = 0; i < 2 * AREA; i++) {
            local[i] = local_model[i] = i < AREA ? (char) test_random(&random, 4) : 0;
        }
        MPI_Win_lock_all(0, window.win);
        for (int number = 0; number < OPERATIONS; number++) {
            int target = (int) test_random(&random, test_size);

            operate(&random, &window, target, models + (size_t) target * AREA, local, local_model, number);
        }
        for (int target = 0; target < test_size; target++) {
            MPI_Get(got, AREA, MPI_BYTE, target, test_at(&window, target, (MPI_Aint) AREA * test_rank), AREA, MPI_BYTE,
                    window.win);
            MPI_Win_flush(target, window.win);
            CHECK(0 == memcmp(got, models + (size_t) target * AREA, AREA), "%s: the memory of %d is wrong",
                  test_flavor_name[flavor], target);
        }
        MPI_Win_unlock_all(window.win);
        test_window_close(&window);
    }
    free(models);
    free(local);
    free(local_model);
    free(got);
    return test_finish();
}
