/* Unit test of layouts made from MPI datatypes: against the type maps of MPI's chapter 4, and against MPI_Pack.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's headers come first in all that include them.
 */

#include "ompi_config.h"

#include "op/layout_type.h"
#include "type_maps.h"

#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MEMORY (1 << 20)

static unsigned char        memory[MEMORY], packed[MAP_BYTES * 4], cells[MAP_BYTES * 8], wanted[MAP_BYTES * 4];
static unsigned char *const origin = memory + MEMORY / 2;

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

/* ---- The tests ---- */

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

/** Does Open MPI pack two elements of `size` bytes at this distance? That of 5.0.7 is wrong for complex numbers, if the
 *  distance is no multiple of their size. Under valgrind it loses bits of a long double, which it copies as a
 *  number. */
static bool packs(MPI_Datatype leaf, size_t size, MPI_Aint distance)
{
    MPI_Datatype type;
    int          position = 0;
    bool         right;

    MPI_Type_create_hvector(2, 1, distance, leaf, &type);
    MPI_Type_commit(&type);
    MPI_Pack(origin, 1, type, wanted, sizeof(wanted), &position, MPI_COMM_SELF);
    right = 0 == memcmp(wanted, origin, size) && 0 == memcmp(wanted + size, origin + distance, size);
    MPI_Type_free(&type);
    return right;
}

static void test_random(void **state)
{
    MPI_Datatype leaves[11] = {MPI_INT, MPI_CHAR, MPI_DOUBLE, MPI_2INT, MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
                               MPI_SHORT_INT};
    int          n = 8, i;

    (void) state;
    if (packs(MPI_LONG_DOUBLE, sizeof(long double), 48)) {
        leaves[n++] = MPI_LONG_DOUBLE;
        leaves[n++] = MPI_LONG_DOUBLE_INT;
    }
    if (packs(MPI_C_FLOAT_COMPLEX, 8, 12)) {
        leaves[n++] = MPI_C_FLOAT_COMPLEX;
    }
    for (i = 0; i < 4000; i++) {
        check_random_types(leaves[random_in(0, n - 1)]);
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
