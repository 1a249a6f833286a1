/* Unit test of layouts made from MPI datatypes: what must be compact, and what is extreme.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI's headers come first in all that include them.
 */

#include "ompi_config.h"

#include "op/layout_type.h"

#include "ompi/constants.h"
#include "ompi/datatype/ompi_datatype.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void assert_nodes(MPI_Datatype type, size_t count, uint64_t nodes)
{
    ompi_osc_ucp_layout_t layout;

    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(type, count, &layout));
    assert_int_equal(layout.nnodes, nodes);
    ompi_osc_ucp_layout_fini(&layout);
    MPI_Type_free(&type);
}

static void test_regular_types_are_short(void **state)
{
    const int    sizes[] = {100, 100, 100}, subsizes[] = {50, 50, 50}, starts[] = {1, 2, 3};
    MPI_Datatype type, inner;

    (void) state;
    MPI_Type_vector(1000000, 1, 2, MPI_DOUBLE, &type);
    assert_nodes(type, 1, 2);
    MPI_Type_vector(1000000, 1, 1, MPI_DOUBLE, &type);
    assert_nodes(type, 1000, 1);
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    assert_nodes(type, 1, 3);
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE, &type);
    assert_nodes(type, 10, 4);
    MPI_Type_create_resized(MPI_INT, 0, 64, &type);
    assert_nodes(type, 1000000, 2);
    MPI_Type_vector(10, 1, 2, MPI_INT, &inner);
    MPI_Type_create_resized(inner, 0, 80, &type);
    MPI_Type_free(&inner);
    assert_nodes(type, 1000000, 2);
    MPI_Type_vector(100, 1, 2, MPI_DOUBLE_INT, &type);
    assert_nodes(type, 1, 2);
}

static void test_cells_of_vector(void **state)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(MPI_DOUBLE_INT);
    ompi_osc_ucp_layout_t      layout;
    MPI_Datatype               type, small;

    (void) state;
    MPI_Type_vector(100, 3, 5, MPI_DOUBLE_INT, &type);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_elements(type, 1, prim, &layout));
    assert_int_equal(layout.nnodes, 2);
    assert_int_equal(layout.nodes[1].count, 48);
    assert_int_equal(layout.nodes[0].stride, 80);
    ompi_osc_ucp_layout_fini(&layout);

    /* An element type that is not the type's own is refused, not misread. */
    assert_int_equal(OMPI_ERR_NOT_SUPPORTED,
                     ompi_osc_ucp_layout_of_elements(type, 1, ompi_osc_ucp_prim_of(MPI_LONG_INT), &layout));
    assert_int_equal(OMPI_ERR_NOT_SUPPORTED,
                     ompi_osc_ucp_layout_of_elements(MPI_INT, 1, ompi_osc_ucp_prim_of(MPI_DOUBLE), &layout));
    MPI_Type_free(&type);

    /* Elements closer together than a cell: the next one lies in the gap. */
    MPI_Type_create_resized(MPI_DOUBLE_INT, 0, 12, &small);
    MPI_Type_contiguous(4, small, &type);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_elements(type, 2, prim, &layout));
    assert_int_equal(layout.size, 8 * 16);
    assert_int_equal(layout.ub, 7 * 12 + 16);
    ompi_osc_ucp_layout_fini(&layout);
    MPI_Type_free(&small);
    MPI_Type_free(&type);
}

static void test_huge(void **state)
{
    ompi_osc_ucp_layout_t layout = {.size = 77};
    MPI_Datatype          chunk, type;

    (void) state;
    /* 1 EiB is fine, 16 EiB is not. */
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(MPI_DOUBLE, (size_t) 1 << 57, &layout));
    assert_int_equal(layout.size, (uint64_t) 1 << 60);
    assert_int_not_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(MPI_DOUBLE, (size_t) 1 << 61, &layout));
    assert_int_not_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(MPI_DOUBLE, (size_t) 1 << 60, &layout));
    assert_int_equal(layout.size, (uint64_t) 1 << 60);

    MPI_Type_contiguous(2000000000, MPI_DOUBLE, &chunk);
    MPI_Type_vector(2000000000, 1, 2, chunk, &type);
    assert_int_not_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(type, 2, &layout));
    MPI_Type_free(&type);
    MPI_Type_vector(1000, 1, 2, chunk, &type);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(type, 1, &layout));
    assert_int_equal(layout.size, (uint64_t) 16000000000000);
    assert_int_equal(layout.nnodes, 2);
    ompi_osc_ucp_layout_fini(&layout);
    MPI_Type_free(&type);
    MPI_Type_free(&chunk);

    MPI_Type_vector(2000000000, 1, 2, MPI_CHAR, &chunk);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(chunk, (size_t) 1 << 31, &layout));
    assert_int_equal(layout.size, (uint64_t) 2000000000 << 31);
    ompi_osc_ucp_layout_fini(&layout);
    /* Either Open MPI describes eight billion blocks properly, or the type is refused. */
    MPI_Type_create_hvector(4, 1, 4000000000, chunk, &type);
    if (OMPI_SUCCESS == ompi_osc_ucp_layout_of_bytes(type, 1, &layout)) {
        assert_int_equal(layout.size, 8000000000);
        ompi_osc_ucp_layout_fini(&layout);
    }
    MPI_Type_free(&type);
    MPI_Type_free(&chunk);
}

static void test_empty(void **state)
{
    ompi_osc_ucp_layout_t layout;
    MPI_Datatype          type;

    (void) state;
    MPI_Type_contiguous(0, MPI_INT, &type);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(type, 5, &layout));
    assert_int_equal(layout.size, 0);
    assert_int_equal(OMPI_SUCCESS,
                     ompi_osc_ucp_layout_of_elements(type, 5, ompi_osc_ucp_prim_of(MPI_DOUBLE_INT), &layout));
    assert_int_equal(layout.nnodes, 0);
    MPI_Type_free(&type);
    assert_int_equal(OMPI_SUCCESS, ompi_osc_ucp_layout_of_bytes(MPI_DOUBLE, 0, &layout));
    assert_int_equal(layout.nnodes, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular_types_are_short),
        cmocka_unit_test(test_cells_of_vector),
        cmocka_unit_test(test_huge),
        cmocka_unit_test(test_empty),
    };
    int failed;

    MPI_Init(&argc, &argv);
    ompi_osc_ucp_op_init();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
