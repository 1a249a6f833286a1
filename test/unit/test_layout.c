/* Unit test of layouts: what they simplify to, refuse, cost and cut to, case by case.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "layout_model.h"
#include "unit_random.h"

static void test_empty_and_contiguous(void **state)
{
    ompi_osc_ucp_layout_t      layout, other;
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   len;
    int64_t                    disp;

    (void) state;
    assert_true(ompi_osc_ucp_layout_make(NULL, 0, &layout));
    assert_int_equal(layout.size, 0);
    assert_int_equal(layout.nnodes, 0);
    assert_int_equal(ompi_osc_ucp_layout_encoded_size(&layout), 0);
    assert_true(ompi_osc_ucp_layout_decode(NULL, 0, &other));
    assert_int_equal(other.size, 0);
    ompi_osc_ucp_layout_iter_init(&iter, &layout, 0);
    assert_false(ompi_osc_ucp_layout_iter_next(&iter, 1, &disp, &len));
    len = 1;
    assert_false(ompi_osc_ucp_layout_slice(&layout, 0, 1, 1, &len, &other));
    ompi_osc_ucp_layout_copy(&layout, NULL, &layout, NULL);
    ompi_osc_ucp_layout_fini(&layout);

    ompi_osc_ucp_layout_contiguous(&layout, -8, 24);
    assert_true(ompi_osc_ucp_layout_is_contiguous(&layout));
    assert_int_equal(layout.lb, -8);
    assert_int_equal(layout.ub, 16);
    ompi_osc_ucp_layout_iter_init(&iter, &layout, 5);
    assert_true(ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len));
    assert_int_equal(disp, -3);
    assert_int_equal(len, 19);
    len = 21;
    assert_true(ompi_osc_ucp_layout_slice(&layout, 8, 4, 1, &len, &other));
    assert_int_equal(len, 16);
    assert_int_equal(other.lb, 0);
    ompi_osc_ucp_layout_fini(&other);
    ompi_osc_ucp_layout_fini(&layout);
    ompi_osc_ucp_layout_fini(&layout);
}

static void assert_simplified(const node_t *nodes, uint64_t n, uint64_t expected_nodes)
{
    ompi_osc_ucp_layout_t layout;

    model.size = 0;
    model_add(&model, nodes, 0, n, 0);
    assert_true(ompi_osc_ucp_layout_make(nodes, n, &layout));
    assert_int_equal(layout.nnodes, expected_nodes);
    assert_bounds(&layout, &model);
    assert_walk(&layout, &model, 0, UINT64_MAX);
    ompi_osc_ucp_layout_fini(&layout);
}

static void test_simplify(void **state)
{
    const node_t adjacent_iterations[] = {{4, 8, 10, 1}, {2, 0, 8, 0}};
    const node_t one_iteration[] = {{4, 100, 1, 2}, {0, 0, 4, 0}, {8, 0, 4, 0}};
    const node_t adjacent_blocks[] = {{4, 0, 4, 0}, {8, 0, 8, 0}, {20, 0, 4, 0}, {16, 0, 4, 0}};
    const node_t all_folds[] = {{0, 1, 1, 3}, {0, 64, 4, 2}, {0, 16, 4, 1}, {0, 0, 16, 0}, {256, 0, 16, 0}};
    const node_t nested_vector[] = {{8, 40, 3, 2}, {4, 10, 4, 1}, {0, 0, 2, 0}};
    const node_t reversed[] = {{8, -4, 3, 1}, {0, 0, 4, 0}};
    const node_t vector[] = {{0, 16, 1000, 1}, {0, 0, 8, 0}};

    (void) state;
    assert_simplified(adjacent_iterations, COUNT_OF(adjacent_iterations), 1);
    assert_simplified(one_iteration, COUNT_OF(one_iteration), 2);
    assert_simplified(adjacent_blocks, COUNT_OF(adjacent_blocks), 3);
    assert_simplified(all_folds, COUNT_OF(all_folds), 1);
    assert_simplified(nested_vector, COUNT_OF(nested_vector), 2);
    assert_simplified(reversed, COUNT_OF(reversed), 2);
    assert_simplified(vector, COUNT_OF(vector), 2);
}

/** `depth` nested loops of two iterations, none of which can be folded. */
static uint64_t deep_nodes(node_t *nodes, int depth)
{
    int64_t stride = 3;
    int     i;

    for (i = depth - 1; i >= 0; i--, stride = 2 * stride + 1) {
        nodes[i] = (node_t) {.disp = 1, .stride = stride, .count = 2, .items = (uint64_t) (depth - i)};
    }
    nodes[depth] = (node_t) {.count = 1};
    return (uint64_t) depth + 1;
}

static void test_depth(void **state)
{
    node_t                nodes[300];
    ompi_osc_ucp_layout_t layout = {.size = 77};
    uint64_t              n, i;

    (void) state;
    n = deep_nodes(nodes, OMPI_OSC_UCP_LAYOUT_MAX_DEPTH);
    assert_true(ompi_osc_ucp_layout_decode(nodes, n * sizeof(node_t), &layout));
    assert_int_equal(layout.size, 1 << OMPI_OSC_UCP_LAYOUT_MAX_DEPTH);
    ompi_osc_ucp_layout_fini(&layout);

    /* A hundred levels with one iteration each around ten: inlined. */
    n = deep_nodes(nodes + 100, 10);
    for (i = 0; i < 100; i++) {
        nodes[i] = (node_t) {.disp = 1, .stride = 5, .count = 1, .items = 99 - i + n};
    }
    assert_true(ompi_osc_ucp_layout_make(nodes, 100 + n, &layout));
    assert_int_equal(layout.nnodes, n);
    assert_int_equal(layout.nodes[0].disp, 101);
    ompi_osc_ucp_layout_fini(&layout);

    /* Too deep for the wire: the innermost loops are unrolled, and nothing else changes. */
    n = deep_nodes(nodes, OMPI_OSC_UCP_LAYOUT_MAX_DEPTH + 4);
    layout = (ompi_osc_ucp_layout_t) {.size = 77};
    assert_false(ompi_osc_ucp_layout_decode(nodes, n * sizeof(node_t), &layout));
    assert_int_equal(layout.size, 77);
    assert_true(ompi_osc_ucp_layout_make(nodes, n, &layout));
    assert_int_equal(layout.size, 1 << (OMPI_OSC_UCP_LAYOUT_MAX_DEPTH + 4));
    assert_int_equal(layout.nnodes, OMPI_OSC_UCP_LAYOUT_MAX_DEPTH + 16);
    for (i = 0; i < layout.size; i += 997) {
        ompi_osc_ucp_layout_iter_t iter;
        int64_t                    disp, wanted = 0;
        uint64_t                   len, bit;

        for (bit = 0; bit + 1 < n; bit++) {
            wanted += 1 + ((i >> (n - 2 - bit)) & 1 ? nodes[bit].stride : 0);
        }
        ompi_osc_ucp_layout_iter_init(&iter, &layout, i);
        assert_true(ompi_osc_ucp_layout_iter_next(&iter, 1, &disp, &len));
        assert_int_equal(disp, wanted);
    }
    ompi_osc_ucp_layout_fini(&layout);

    /* Unrolling 2^40 iterations is not reasonable, nor is recursion without end. */
    nodes[n - 2].count = (uint64_t) 1 << 40;
    assert_false(ompi_osc_ucp_layout_make(nodes, n, &layout));
    assert_false(ompi_osc_ucp_layout_make(nodes, deep_nodes(nodes, 50), &layout));
    for (i = 0; i < 299; i++) {
        nodes[i] = (node_t) {.stride = 5, .count = 1, .items = 299 - i};
    }
    nodes[299] = (node_t) {.count = 1};
    assert_false(ompi_osc_ucp_layout_make(nodes, 300, &layout));
}

static void assert_refused(const node_t *nodes, uint64_t n)
{
    ompi_osc_ucp_layout_t layout = {.size = 77};

    assert_false(ompi_osc_ucp_layout_decode(nodes, n * sizeof(node_t), &layout));
    assert_false(ompi_osc_ucp_layout_make(nodes, n, &layout));
    assert_int_equal(layout.size, 77);
}

static void test_invalid(void **state)
{
    static node_t         many[OMPI_OSC_UCP_LAYOUT_MAX_NODES + 1];
    const node_t          zero_block[] = {{0, 0, 0, 0}};
    const node_t          zero_loop[] = {{0, 4, 0, 1}, {0, 0, 4, 0}};
    const node_t          no_body[] = {{0, 4, 2, 1}};
    const node_t          long_body[] = {{0, 4, 2, 2}, {0, 0, 1, 0}};
    const node_t          huge_body[] = {{0, 4, 2, UINT64_MAX}, {0, 0, 1, 0}};
    const node_t          inner_too_long[] = {{0, 4, 2, 2}, {0, 4, 2, 2}, {0, 0, 1, 0}, {0, 0, 1, 0}};
    const node_t          huge_block[] = {{0, 0, (uint64_t) INT64_MAX + 1, 0}};
    const node_t          block_ub[] = {{INT64_MAX - 3, 0, 4, 0}};
    const node_t          loop_ub[] = {{0, INT64_MAX / 2, 4, 1}, {0, 0, 4, 0}};
    const node_t          loop_lb[] = {{0, INT64_MIN, 3, 1}, {0, 0, 4, 0}};
    const node_t          loop_disp[] = {{INT64_MIN, -1, 2, 1}, {0, 0, 4, 0}};
    const node_t          loop_size[] = {{0, 0, INT64_MAX, 1}, {0, 0, 4, 0}};
    const node_t          loop_count[] = {{0, 1, UINT64_MAX, 1}, {0, 0, 4, 0}};
    const node_t          sum[] = {{0, 0, INT64_MAX, 0}, {0, 0, INT64_MAX, 0}, {0, 0, INT64_MAX, 0}};
    const node_t          block_stride[] = {{0, 8, 4, 0}};
    ompi_osc_ucp_layout_t layout;
    uint64_t              i;

    (void) state;
    assert_refused(zero_block, COUNT_OF(zero_block));
    assert_refused(zero_loop, COUNT_OF(zero_loop));
    assert_refused(no_body, COUNT_OF(no_body));
    assert_refused(long_body, COUNT_OF(long_body));
    assert_refused(huge_body, COUNT_OF(huge_body));
    assert_refused(inner_too_long, COUNT_OF(inner_too_long));
    assert_refused(huge_block, COUNT_OF(huge_block));
    assert_refused(block_ub, COUNT_OF(block_ub));
    assert_refused(loop_ub, COUNT_OF(loop_ub));
    assert_refused(loop_lb, COUNT_OF(loop_lb));
    assert_refused(loop_disp, COUNT_OF(loop_disp));
    assert_refused(loop_size, COUNT_OF(loop_size));
    assert_refused(loop_count, COUNT_OF(loop_count));
    assert_refused(sum, COUNT_OF(sum));
    assert_false(ompi_osc_ucp_layout_decode(block_stride, sizeof(block_stride), &layout));
    assert_false(ompi_osc_ucp_layout_decode(zero_loop, 31, &layout));
    assert_false(ompi_osc_ucp_layout_decode(zero_loop, UINT64_MAX - 31, &layout));

    for (i = 0; i < COUNT_OF(many); i++) {
        many[i] = (node_t) {.disp = 2 * (int64_t) i, .count = 1};
    }
    assert_false(ompi_osc_ucp_layout_decode(many, sizeof(many), &layout));
    assert_true(ompi_osc_ucp_layout_decode(many, sizeof(many) - sizeof(many[0]), &layout));
    ompi_osc_ucp_layout_fini(&layout);
}

static void test_seek_huge(void **state)
{
    const node_t               nodes[] = {
        {5, 1 << 20, (uint64_t) 1 << 30, 3}, {3, -24, 1 << 10, 1}, {0, 0, 8, 0}, {9, 0, 7, 0}};
    const uint64_t             body = ((uint64_t) 8 << 10) + 7;
    ompi_osc_ucp_layout_t      layout;
    ompi_osc_ucp_layout_iter_t iter;
    int                        i;

    (void) state;
    assert_true(ompi_osc_ucp_layout_make(nodes, COUNT_OF(nodes), &layout));
    assert_int_equal(layout.size, body << 30);
    for (i = 0; i < 1000; i++) {
        uint64_t pos = random_u64() % layout.size, in = pos % body, len, wanted_len;
        int64_t  disp, wanted = 5 + ((int64_t) (pos / body) << 20);

        if (in < body - 7) {
            wanted += 3 - 24 * (int64_t) (in / 8) + (int64_t) (in % 8);
            wanted_len = 8 - in % 8;
        } else {
            wanted += 9 + (int64_t) (in - (body - 7));
            wanted_len = body - in;
        }
        ompi_osc_ucp_layout_iter_init(&iter, &layout, pos);
        assert_true(ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len));
        assert_int_equal(disp, wanted);
        assert_int_equal(len, wanted_len);
    }
    ompi_osc_ucp_layout_fini(&layout);
}

/** Bases on the way to a block may exceed 64 bits as long as the block does not. */
static void test_partial_sums_wrap(void **state)
{
    const node_t          nodes[] = {{INT64_MAX - 10, 64, 2, 2}, {-INT64_MAX, 0, 4, 0}, {-INT64_MAX + 8, 0, 4, 0}};
    ompi_osc_ucp_layout_t layout;
    uint64_t              i;

    (void) state;
    if (!ompi_osc_ucp_layout_decode(nodes, sizeof(nodes), &layout)) {
        return; /* refusing it is fine; walking it wrongly is not */
    }
    model.size = 0;
    for (i = 0; i < 16; i++) {
        model.disp[model.size++] = -10 + 64 * (int64_t) (i / 8) + 8 * (int64_t) (i % 8 / 4) + (int64_t) (i % 4);
    }
    assert_bounds(&layout, &model);
    assert_walk(&layout, &model, 0, UINT64_MAX);
    ompi_osc_ucp_layout_fini(&layout);
}

/** A piece of a long vector is as short as the vector. */
static void test_slice_stays_regular(void **state)
{
    const node_t          vector[] = {{0, 16, 1000000, 1}, {0, 0, 8, 0}};
    ompi_osc_ucp_layout_t layout, piece;
    uint64_t              len = 80003, pos = 1003;

    (void) state;
    assert_true(ompi_osc_ucp_layout_make(vector, COUNT_OF(vector), &layout));
    assert_true(ompi_osc_ucp_layout_slice(&layout, pos, 1, 16, &len, &piece));
    assert_int_equal(len, 80003);
    assert_int_equal(piece.size, len);
    assert_int_equal(piece.nnodes, 4);
    assert_int_equal(piece.lb, 125 * 16 + 3);
    ompi_osc_ucp_layout_fini(&piece);

    pos = 8000;
    len = UINT64_MAX;
    assert_true(ompi_osc_ucp_layout_slice(&layout, pos, 8, UINT64_MAX, &len, &piece));
    assert_int_equal(len, 8000000 - 8000);
    assert_int_equal(piece.nnodes, 2);
    ompi_osc_ucp_layout_fini(&piece);

    len = 7;
    assert_false(ompi_osc_ucp_layout_slice(&layout, pos, 8, 16, &len, &piece));
    assert_int_equal(len, 7);
    len = 800;
    assert_true(ompi_osc_ucp_layout_slice(&layout, pos, 8, 1, &len, &piece));
    assert_int_equal(len, 8);
    ompi_osc_ucp_layout_fini(&piece);
    len = 800;
    assert_true(ompi_osc_ucp_layout_slice(&layout, pos, 32, 3, &len, &piece));
    assert_int_equal(len, 800);
    ompi_osc_ucp_layout_fini(&piece);
    len = 800;
    assert_false(ompi_osc_ucp_layout_slice(&layout, pos, 32, 1, &len, &piece));
    ompi_osc_ucp_layout_fini(&layout);
}

/** Cutting a long list into pieces must not cost the square of its length. */
static void test_slice_long_list(void **state)
{
    const uint64_t        n = 1000000;
    node_t               *nodes = malloc(n * sizeof(node_t));
    ompi_osc_ucp_layout_t layout, piece;
    uint64_t              i, pos = 0, len;

    (void) state;
    assert_non_null(nodes);
    for (i = 0; i < n; i++) {
        nodes[i] = (node_t) {.disp = (int64_t) (i * 20 + i % 3), .count = 8};
    }
    assert_true(ompi_osc_ucp_layout_make(nodes, n, &layout));
    free(nodes);
    while (pos < layout.size) {
        len = UINT64_MAX;
        assert_true(ompi_osc_ucp_layout_slice(&layout, pos, 8, 200, &len, &piece));
        assert_int_equal(len, 1600);
        assert_int_equal(piece.lb, pos / 8 * 20 + pos / 8 % 3);
        ompi_osc_ucp_layout_fini(&piece);
        pos += len;
    }
    ompi_osc_ucp_layout_fini(&layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_and_contiguous), cmocka_unit_test(test_simplify),
        cmocka_unit_test(test_depth),                cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_seek_huge),            cmocka_unit_test(test_partial_sums_wrap),
        cmocka_unit_test(test_slice_stays_regular),  cmocka_unit_test(test_slice_long_list),
    };

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
