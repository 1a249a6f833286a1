/* Unit test of layouts made from MPI datatypes: against the type maps of MPI's chapter 4, and against MPI_Pack.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's headers come first in all that include them.
 */

#include "ompi_config.h"

#include "op/layout_type.h"
#include "unit_random.h"

#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#define MAP_BYTES 20000
#define MEMORY    (1 << 20)

/** A datatype and its type map: the displacement of each byte of data, in order. */
typedef struct map_t {
    MPI_Datatype type;
    bool         known; /**< the map is filled in; else only MPI_Pack can tell */
    uint64_t     size;
    int64_t      disp[MAP_BYTES];
} map_t;

static unsigned char        memory[MEMORY], packed[MAP_BYTES * 4], cells[MAP_BYTES * 8], wanted[MAP_BYTES * 4];
static unsigned char *const origin = memory + MEMORY / 2;

static MPI_Aint extent_of(MPI_Datatype type)
{
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type, &lb, &extent);
    return extent;
}

static int size_of(MPI_Datatype type)
{
    int size;

    MPI_Type_size(type, &size);
    return size;
}

static void map_begin(map_t *map)
{
    map->known = true;
    map->size = 0;
}

/** Append `n` copies of `part`, one extent apart. */
static void map_append(map_t *map, const map_t *part, int64_t disp, int n)
{
    int64_t  extent = extent_of(part->type);
    uint64_t i;
    int      k;

    map->known = map->known && part->known;
    for (k = 0; map->known && k < n; k++) {
        for (i = 0; i < part->size; i++) {
            if (MAP_BYTES == map->size) {
                map->known = false;
                return;
            }
            map->disp[map->size++] = disp + k * extent + part->disp[i];
        }
    }
}

/** The type map of a predefined type; pair types have a value and an int. */
static void map_predefined(map_t *map, MPI_Datatype type)
{
    int      size = size_of(type), i;
    MPI_Aint lb, true_extent;
    bool     gap;

    map_begin(map);
    map->type = type;
    MPI_Type_get_true_extent(type, &lb, &true_extent);
    gap = true_extent != size;
    for (i = 0; i < size; i++) {
        map->disp[map->size++] = gap && i >= size - (int) sizeof(int) ? i + true_extent - size : i;
    }
}

/* ---- The checks ---- */

static void fill_memory(void)
{
    size_t i;

    for (i = 0; i < MEMORY; i += sizeof(uint64_t)) {
        uint64_t word = random_u64();

        memcpy(memory + i, &word, sizeof(word));
    }
}

/** The layout's bytes and bounds are those of `count` copies of the type map. */
static void assert_map(const map_t *map, int count, const ompi_osc_ucp_layout_t *layout)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp, lb = INT64_MAX, ub = INT64_MIN, extent = extent_of(map->type);
    uint64_t                   len, pos = 0, i;

    assert_int_equal(layout->size, map->size * (uint64_t) count);
    ompi_osc_ucp_layout_iter_init(&iter, layout, 0);
    while (ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len)) {
        for (i = 0; i < len; i++, pos++) {
            assert_int_equal(disp + (int64_t) i, map->disp[pos % map->size] + (int64_t) (pos / map->size) * extent);
        }
        lb = disp < lb ? disp : lb;
        ub = disp + (int64_t) len > ub ? disp + (int64_t) len : ub;
    }
    assert_int_equal(pos, layout->size);
    if (0 < pos) {
        assert_int_equal(lb, layout->lb);
        assert_int_equal(ub, layout->ub);
    }
}

/** MPI_Pack gives the same bytes, but for those that it leaves: Open MPI 5.0 does not copy the padding of a long
 *  double. */
static void assert_pack(MPI_Datatype type, int count, const void *base, const ompi_osc_ucp_layout_t *layout)
{
    ompi_osc_ucp_layout_iter_t iter;
    int                        position = 0;

    assert_true(layout->size <= sizeof(packed));
    ompi_osc_ucp_layout_iter_init(&iter, layout, 0);
    ompi_osc_ucp_layout_pack(&iter, base, packed, layout->size);
    memcpy(wanted, packed, layout->size);
    assert_int_equal(MPI_SUCCESS, MPI_Pack(base, count, type, wanted, sizeof(wanted), &position, MPI_COMM_SELF));
    assert_int_equal(position, layout->size);
    assert_memory_equal(packed, wanted, layout->size);
}

/** The bytes of cells without their gaps. */
static void cells_close(const ompi_osc_ucp_prim_t *prim, uint64_t n, unsigned char *elements)
{
    uint64_t i;

    for (i = 0; i < n; i++) {
        const unsigned char *cell = cells + i * prim->extent;

        memcpy(elements, cell, prim->value_size);
        if (prim->size != prim->extent) {
            memcpy(elements + prim->value_size, cell + prim->index_offset, sizeof(int));
        }
        elements += prim->size;
    }
}

/** Cells, less their gaps, hold what MPI_Pack gives; as assert_pack. */
static void assert_cells(MPI_Datatype type, int count, const ompi_osc_ucp_prim_t *prim,
                         const ompi_osc_ucp_layout_t *layout)
{
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   n = layout->size / prim->extent;
    int                        position = 0;

    assert_int_equal(layout->size % prim->extent, 0);
    assert_int_equal(n * prim->size, (uint64_t) size_of(type) * (uint64_t) count);
    assert_true(layout->size <= sizeof(cells));
    ompi_osc_ucp_layout_iter_init(&iter, layout, 0);
    ompi_osc_ucp_layout_pack(&iter, origin, cells, layout->size);
    cells_close(prim, n, packed);
    memcpy(wanted, packed, n * prim->size);
    assert_int_equal(MPI_SUCCESS, MPI_Pack(origin, count, type, wanted, sizeof(wanted), &position, MPI_COMM_SELF));
    assert_memory_equal(packed, wanted, n * prim->size);
}

static bool fits_memory(MPI_Datatype type, int count)
{
    MPI_Aint lb, extent, true_lb, true_extent;

    if (0 == size_of(type)) {
        return true; /* the bounds may be anything */
    }
    MPI_Type_get_extent(type, &lb, &extent);
    MPI_Type_get_true_extent(type, &true_lb, &true_extent);
    return llabs(true_lb) + llabs(true_extent) + count * llabs(extent) < MEMORY / 2 - 64
           && (int64_t) size_of(type) * count <= MAP_BYTES * 3;
}

static void check_type(map_t *map, int count)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(map->type);
    ompi_osc_ucp_layout_t      layout;

    MPI_Type_commit(&map->type);
    if (!fits_memory(map->type, count)) {
        return;
    }
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(map->type, (size_t) count, &layout));
    if (map->known) {
        assert_map(map, count, &layout);
    }
    assert_pack(map->type, count, origin, &layout);
    ompi_osc_ucp_layout_fini(&layout);
    if (NULL != prim) {
        assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_elements(map->type, (size_t) count, prim, &layout));
        assert_cells(map->type, count, prim, &layout);
        ompi_osc_ucp_layout_fini(&layout);
    }
}

/* ---- One constructor each, with random arguments, and its type map ---- */

#define BLOCKS_MAX 5

static void make_contiguous(map_t *map, const map_t *part)
{
    int n = (int) random_in(0, 4);

    MPI_Type_contiguous(n, part->type, &map->type);
    map_append(map, part, 0, n);
}

/** Open MPI 4.1 takes a stride of -1 byte for "as wide as the type": there we can only do as it does. */
static bool stride_is_known(MPI_Aint stride)
{
    return -1 != stride;
}

static void make_vector(map_t *map, const map_t *part)
{
    int n = (int) random_in(1, 4), len = (int) random_in(1, 3), stride = (int) random_in(-5, 5), i;

    map->known = stride_is_known(stride * extent_of(part->type));
    MPI_Type_vector(n, len, stride, part->type, &map->type);
    for (i = 0; i < n; i++) {
        map_append(map, part, (int64_t) i * stride * extent_of(part->type), len);
    }
}

static void make_hvector(map_t *map, const map_t *part)
{
    int      n = (int) random_in(1, 4), len = (int) random_in(1, 3), i;
    MPI_Aint stride = random_in(-60, 60);

    map->known = stride_is_known(stride);
    MPI_Type_create_hvector(n, len, stride, part->type, &map->type);
    for (i = 0; i < n; i++) {
        map_append(map, part, i * stride, len);
    }
}

static void make_indexed(map_t *map, const map_t *part)
{
    int len[BLOCKS_MAX], disp[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), i;

    for (i = 0; i < n; i++) {
        len[i] = (int) random_in(0, 3);
        disp[i] = (int) random_in(-8, 8);
        map_append(map, part, disp[i] * extent_of(part->type), len[i]);
    }
    MPI_Type_indexed(n, len, disp, part->type, &map->type);
}

static void make_hindexed(map_t *map, const map_t *part)
{
    MPI_Aint disp[BLOCKS_MAX];
    int      len[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), i;

    for (i = 0; i < n; i++) {
        len[i] = (int) random_in(0, 3);
        disp[i] = random_in(-100, 100);
        map_append(map, part, disp[i], len[i]);
    }
    MPI_Type_create_hindexed(n, len, disp, part->type, &map->type);
}

static void make_indexed_block(map_t *map, const map_t *part)
{
    int disp[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), len = (int) random_in(1, 3), i;

    for (i = 0; i < n; i++) {
        disp[i] = (int) random_in(-8, 8);
        map_append(map, part, disp[i] * extent_of(part->type), len);
    }
    MPI_Type_create_indexed_block(n, len, disp, part->type, &map->type);
}

static void make_hindexed_block(map_t *map, const map_t *part)
{
    MPI_Aint disp[BLOCKS_MAX];
    int      n = (int) random_in(1, BLOCKS_MAX), len = (int) random_in(1, 3), i;

    for (i = 0; i < n; i++) {
        disp[i] = random_in(-100, 100);
        map_append(map, part, disp[i], len);
    }
    MPI_Type_create_hindexed_block(n, len, disp, part->type, &map->type);
}

/** The same part several times: make_mixed_struct has different ones. */
static void make_struct(map_t *map, const map_t *part)
{
    MPI_Datatype types[BLOCKS_MAX];
    MPI_Aint     disp[BLOCKS_MAX];
    int          len[BLOCKS_MAX], n = (int) random_in(1, BLOCKS_MAX), i;

    for (i = 0; i < n; i++) {
        types[i] = part->type;
        len[i] = (int) random_in(0, 3);
        disp[i] = random_in(-200, 200);
        map_append(map, part, disp[i], len[i]);
    }
    MPI_Type_create_struct(n, len, disp, types, &map->type);
}

static void make_mixed_struct(map_t *map, const map_t *part)
{
    static map_t others[2];
    MPI_Datatype types[3];
    MPI_Aint     disp[3];
    int          len[3], i;

    map_predefined(&others[0], MPI_CHAR);
    map_predefined(&others[1], MPI_SHORT_INT);
    for (i = 0; i < 3; i++) {
        const map_t *one = 0 == i ? part : &others[i - 1];

        types[i] = one->type;
        len[i] = (int) random_in(0, 3);
        disp[i] = random_in(-100, 100);
        map_append(map, one, disp[i], len[i]);
    }
    MPI_Type_create_struct(3, len, disp, types, &map->type);
}

static void make_resized(map_t *map, const map_t *part)
{
    MPI_Type_create_resized(part->type, random_in(-50, 50), random_in(-100, 100), &map->type);
    map_append(map, part, 0, 1);
}

static void make_dup(map_t *map, const map_t *part)
{
    MPI_Type_dup(part->type, &map->type);
    map_append(map, part, 0, 1);
}

static void make_subarray(map_t *map, const map_t *part)
{
    int sizes[3], subsizes[3], starts[3], index[3], i;
    int order = 0 == random_in(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    int slow = MPI_ORDER_C == order ? 0 : 2, fast = 2 - slow;

    for (i = 0; i < 3; i++) {
        sizes[i] = (int) random_in(1, 4);
        subsizes[i] = (int) random_in(1, sizes[i]);
        starts[i] = (int) random_in(0, sizes[i] - subsizes[i]);
    }
    MPI_Type_create_subarray(3, sizes, subsizes, starts, order, part->type, &map->type);
    for (index[slow] = 0; index[slow] < subsizes[slow]; index[slow]++) {
        for (index[1] = 0; index[1] < subsizes[1]; index[1]++) {
            for (index[fast] = 0; index[fast] < subsizes[fast]; index[fast]++) {
                int64_t at = starts[slow] + index[slow];

                at = at * sizes[1] + starts[1] + index[1];
                at = at * sizes[fast] + starts[fast] + index[fast];
                map_append(map, part, at * extent_of(part->type), 1);
            }
        }
    }
}

static void make_darray(map_t *map, const map_t *part)
{
    int gsizes[2] = {(int) random_in(4, 9), (int) random_in(4, 9)}, psizes[2] = {2, 2};
    int distribs[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
    int dargs[2] = {(int) random_in(1, 3), MPI_DISTRIBUTE_DFLT_DARG};

    if (0 == size_of(part->type)) {
        make_dup(map, part); /* Open MPI 4.1 makes no array of nothing */
        return;
    }
    MPI_Type_create_darray(4, (int) random_in(0, 3), 2, gsizes, distribs, dargs, psizes,
                           0 == random_in(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN, part->type, &map->type);
    map->known = false;
}

static void (*const makers[])(map_t *, const map_t *) = {
    make_contiguous, make_vector, make_hvector, make_indexed, make_hindexed, make_indexed_block,
    make_hindexed_block, make_struct, make_resized, make_dup, make_subarray, make_mixed_struct, make_darray};

/** What test_random is at, for whoever has to find out why it failed. */
static MPI_Datatype random_type = MPI_DATATYPE_NULL;

static int teardown_random(void **state)
{
    (void) state;
    if (MPI_DATATYPE_NULL != random_type) {
        ompi_datatype_dump(random_type);
    }
    return 0;
}

/** Build types upon types from `leaf`, and check each of them. */
static void check_random_types(MPI_Datatype leaf)
{
    static map_t maps[5];
    int          depth = (int) random_in(1, (int) COUNT_OF(maps) - 1), i;

    map_predefined(&maps[0], leaf);
    for (i = 1; i <= depth; i++) {
        map_begin(&maps[i]);
        makers[random_in(0, COUNT_OF(makers) - 1)](&maps[i], &maps[i - 1]);
        random_type = maps[i].type;
        check_type(&maps[i], (int) random_in(1, 3));
        random_type = MPI_DATATYPE_NULL;
    }
    for (i = 1; i <= depth; i++) {
        MPI_Type_free(&maps[i].type);
    }
}

static void test_predefined(void **state)
{
    MPI_Datatype types[] = {MPI_BYTE, MPI_INT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_2INT,
                            MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT};
    static map_t map;
    size_t       i;
    int          count;

    (void) state;
    for (i = 0; i < COUNT_OF(types); i++) {
        for (count = 0; count < 4; count++) {
            map_predefined(&map, types[i]);
            check_type(&map, count);
        }
    }
}

/** Open MPI 5.0.7 packs complex numbers wrongly, if their distance is not a multiple of their size. */
static bool packs_complex(void)
{
    MPI_Datatype type;
    int          position = 0;
    bool         right;

    MPI_Type_create_hvector(2, 1, 12, MPI_C_FLOAT_COMPLEX, &type);
    MPI_Type_commit(&type);
    MPI_Pack(origin, 1, type, wanted, sizeof(wanted), &position, MPI_COMM_SELF);
    right = 0 == memcmp(wanted, origin, 8) && 0 == memcmp(wanted + 8, origin + 12, 8);
    MPI_Type_free(&type);
    return right;
}

static void test_random(void **state)
{
    MPI_Datatype leaves[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_2INT, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
                             MPI_SHORT_INT, MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_C_FLOAT_COMPLEX};
    int          last = (int) COUNT_OF(leaves) - (packs_complex() ? 1 : 2), i;

    (void) state;
    for (i = 0; i < 4000; i++) {
        check_random_types(leaves[random_in(0, last)]);
    }
}

static void test_absolute(void **state)
{
    static int            ints[4] = {1, 2, 3, 4};
    static double         doubles[3] = {5, 6, 7};
    const int             lens[] = {4, 3};
    MPI_Aint              disps[2];
    MPI_Datatype          types[] = {MPI_INT, MPI_DOUBLE}, type;
    ompi_osc_ucp_layout_t layout;

    (void) state;
    MPI_Get_address(ints, &disps[0]);
    MPI_Get_address(doubles, &disps[1]);
    MPI_Type_create_struct(2, lens, disps, types, &type);
    MPI_Type_commit(&type);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(type, 1, &layout));
    assert_int_equal(layout.size, 4 * sizeof(int) + 3 * sizeof(double));
    assert_pack(type, 1, MPI_BOTTOM, &layout);
    ompi_osc_ucp_layout_fini(&layout);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predefined),
        cmocka_unit_test(test_absolute),
        cmocka_unit_test_teardown(test_random, teardown_random),
    };
    int failed;

    MPI_Init(&argc, &argv);
    ompi_osc_ucp_op_init();
    random_init();
    fill_memory();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
