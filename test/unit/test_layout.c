/* Unit test of layouts: make, walk, seek, cut, encode and decode, against a naive list of bytes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp_layout.h"
#include "unit_random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef ompi_osc_ucp_layout_node_t node_t;

/** The model: for each packed byte, its displacement. */
typedef struct model_t {
    uint64_t size;
    int64_t  disp[1 << 16];
} model_t;

static model_t model, model2;

#define MEMORY (1 << 20)

/** Nodes of a random layout. */
#define MAX_NODES 40

static unsigned char memory[MEMORY], expected[MEMORY], source[MEMORY], packed[1 << 16];

/** Displacement 0 stands in the middle of a buffer, which is wide enough for whatever random_nodes makes. */
static unsigned char *const origin = memory + MEMORY / 2, *const source_origin = source + MEMORY / 2;

static void model_add(model_t *m, const node_t *nodes, uint64_t first, uint64_t last, int64_t base)
{
    uint64_t i, k;

    for (i = first; i < last; i += 1 + nodes[i].items) {
        for (k = 0; k < nodes[i].count; k++) {
            if (0 < nodes[i].items) {
                model_add(m, nodes, i + 1, i + 1 + nodes[i].items,
                          base + nodes[i].disp + (int64_t) k * nodes[i].stride);
            } else if (m->size < COUNT_OF(m->disp)) {
                m->disp[m->size++] = base + nodes[i].disp + (int64_t) k;
            }
        }
    }
}

static void model_of(model_t *m, const ompi_osc_ucp_layout_t *layout)
{
    m->size = 0;
    model_add(m, layout->nodes, 0, layout->nnodes, 0);
}

static void assert_bounds(const ompi_osc_ucp_layout_t *layout, const model_t *m)
{
    int64_t  lb = 0, ub = 0;
    uint64_t i;

    for (i = 0; i < m->size; i++) {
        lb = 0 == i || m->disp[i] < lb ? m->disp[i] : lb;
        ub = 0 == i || m->disp[i] + 1 > ub ? m->disp[i] + 1 : ub;
    }
    assert_int_equal(layout->size, m->size);
    assert_int_equal(layout->lb, lb);
    assert_int_equal(layout->ub, ub);
}

/** Walk [pos, end) with runs of at most `max`. */
static void assert_walk(const ompi_osc_ucp_layout_t *layout, const model_t *m, uint64_t pos, uint64_t max)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   len, i;

    ompi_osc_ucp_layout_iter_init(&iter, layout, pos);
    while (ompi_osc_ucp_layout_iter_next(&iter, max, &disp, &len)) {
        assert_in_range(len, 1, max);
        assert_true(pos + len <= m->size);
        for (i = 0; i < len; i++) {
            assert_int_equal(disp + (int64_t) i, m->disp[pos + i]);
        }
        pos += len;
        assert_int_equal(iter.pos, pos);
    }
    assert_int_equal(pos, m->size);
    assert_false(ompi_osc_ucp_layout_iter_next(&iter, max, &disp, &len));
}

/** Random siblings, whose numbers are all multiples of `unit`; `iterations` of the loops around them. */
static uint64_t random_nodes(node_t *nodes, uint64_t max_nodes, int depth, int64_t unit, int64_t iterations)
{
    uint64_t n = 0, siblings = (uint64_t) random_in(1, 4);

    while (0 < siblings-- && n < max_nodes) {
        int64_t count = random_in(1, 5);
        node_t *node = &nodes[n++];

        if (0 == depth || n == max_nodes || iterations * count > 300 || 0 == random_in(0, 2)) {
            *node = (node_t) {.disp = random_in(-20, 20) * unit, .count = (uint64_t) (random_in(1, 5) * unit)};
            continue;
        }
        node->disp = random_in(-50, 50) * unit;
        node->stride = random_in(-30, 30) * unit;
        node->count = (uint64_t) count;
        node->items = random_nodes(node + 1, max_nodes - n, depth - 1, unit, iterations * count);
        n += node->items;
        if (1 == node->items && 0 == random_in(0, 1)) {
            node->stride = (int64_t) (nodes[n - 1].count * (0 == nodes[n - 1].items ? 1 : 2));
        }
    }
    return n;
}

static void random_layout(ompi_osc_ucp_layout_t *layout, model_t *m, int64_t unit)
{
    node_t   nodes[MAX_NODES];
    uint64_t n;

    do {
        n = random_nodes(nodes, (uint64_t) random_in(1, MAX_NODES), (int) random_in(0, 6), unit, 1);
        m->size = 0;
        model_add(m, nodes, 0, n, 0);
    } while (COUNT_OF(m->disp) == m->size);
    assert_true(ompi_osc_ucp_layout_make(nodes, n, layout));
    assert_true(layout->nnodes <= n);
    assert_bounds(layout, m);
}

static void fill(unsigned char *buffer, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++) {
        buffer[i] = (unsigned char) random_u64();
    }
}

/* ---- Directed tests ---- */

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

/* ---- Randomized tests ---- */

static void test_random_walk(void **state)
{
    int i;

    (void) state;
    for (i = 0; i < 600; i++) {
        ompi_osc_ucp_layout_t layout;
        uint64_t              pos;

        random_layout(&layout, &model, random_in(1, 8));
        assert_walk(&layout, &model, 0, UINT64_MAX);
        assert_walk(&layout, &model, 0, (uint64_t) random_in(1, 9));
        for (pos = 0; pos <= layout.size; pos += 1 + layout.size / 200) {
            assert_walk(&layout, &model, pos, UINT64_MAX);
        }
        ompi_osc_ucp_layout_fini(&layout);
    }
}

static void test_random_pack(void **state)
{
    int i;

    (void) state;
    for (i = 0; i < 600; i++) {
        ompi_osc_ucp_layout_t      layout;
        ompi_osc_ucp_layout_iter_t iter;
        uint64_t                   pos, len, start;

        random_layout(&layout, &model, random_in(1, 8));
        start = random_u64() % (layout.size + 1);
        fill(origin + layout.lb, (size_t) (layout.ub - layout.lb));
        ompi_osc_ucp_layout_iter_init(&iter, &layout, start);
        for (pos = start; pos < layout.size; pos += len) {
            len = (uint64_t) random_in(1, 200);
            len = len < layout.size - pos ? len : layout.size - pos;
            ompi_osc_ucp_layout_pack(&iter, origin, packed + pos, len);
        }
        for (pos = start; pos < layout.size; pos++) {
            assert_int_equal(packed[pos], origin[model.disp[pos]]);
        }

        memcpy(expected, memory, MEMORY);
        fill(packed, layout.size);
        for (pos = start; pos < layout.size; pos++) {
            expected[MEMORY / 2 + model.disp[pos]] = packed[pos];
        }
        ompi_osc_ucp_layout_iter_init(&iter, &layout, start);
        for (pos = start; pos < layout.size; pos += len) {
            len = (uint64_t) random_in(1, 200);
            len = len < layout.size - pos ? len : layout.size - pos;
            ompi_osc_ucp_layout_unpack(&iter, origin, packed + pos, len);
        }
        assert_memory_equal(memory, expected, MEMORY);
        ompi_osc_ucp_layout_fini(&layout);
    }
}

static void test_random_slice(void **state)
{
    int i;

    (void) state;
    for (i = 0; i < 1500; i++) {
        ompi_osc_ucp_layout_t layout, piece;
        uint64_t              unit = (uint64_t) random_in(1, 8), max_nodes = (uint64_t) random_in(1, 20);
        uint64_t              pos = 0, len, j;
        bool                  whole_units = 0 != random_in(0, 2);

        random_layout(&layout, &model, whole_units ? (int64_t) unit : 1);
        while (layout.size - pos >= unit) {
            uint64_t wanted = (uint64_t) random_in((int64_t) unit, 400);

            len = wanted;
            if (!ompi_osc_ucp_layout_slice(&layout, pos, unit, max_nodes, &len, &piece)) {
                assert_false(whole_units);
                assert_int_equal(len, wanted);
                break;
            }
            assert_in_range(len, unit, wanted);
            assert_int_equal(len % unit, 0);
            assert_int_equal(piece.size, len);
            assert_true(piece.nnodes <= max_nodes);
            model_of(&model2, &piece);
            assert_bounds(&piece, &model2);
            for (j = 0; j < len; j++) {
                assert_int_equal(model2.disp[j], model.disp[pos + j]);
            }
            ompi_osc_ucp_layout_fini(&piece);
            pos += len;
        }
        assert_true(!whole_units || pos == layout.size);
        ompi_osc_ucp_layout_fini(&layout);
    }
}

static void test_random_copy(void **state)
{
    int i;

    (void) state;
    for (i = 0; i < 600; i++) {
        ompi_osc_ucp_layout_t one, two, from, to;
        int64_t               unit = random_in(1, 8);
        uint64_t              len, pos;

        /* Two shapes of one size: cut both to the shorter. */
        random_layout(&one, &model, unit);
        random_layout(&two, &model2, unit);
        len = one.size < two.size ? one.size : two.size;
        assert_true(ompi_osc_ucp_layout_slice(&one, 0, 1, UINT64_MAX, &len, &from));
        if (0 == i % 4) {
            ompi_osc_ucp_layout_contiguous(&to, random_in(-50, 50), len);
            model_of(&model2, &to);
        } else {
            assert_true(ompi_osc_ucp_layout_slice(&two, 0, 1, UINT64_MAX, &len, &to));
        }
        if (1 == i % 4) {
            ompi_osc_ucp_layout_fini(&from);
            ompi_osc_ucp_layout_contiguous(&from, random_in(-50, 50), len);
            model_of(&model, &from);
        }
        if (2 == i % 4) {
            ompi_osc_ucp_layout_fini(&to); /* the same at both ends, in one memory */
            ompi_osc_ucp_layout_share(&to, &from);
            model_of(&model2, &to);
        }
        assert_int_equal(from.size, to.size);
        memcpy(expected, memory, MEMORY);
        fill(source_origin + from.lb, (size_t) (from.ub - from.lb));
        for (pos = 0; pos < len; pos++) {
            expected[MEMORY / 2 + model2.disp[pos]] = source_origin[model.disp[pos]];
        }
        ompi_osc_ucp_layout_copy(&to, origin, &from, source_origin);
        assert_memory_equal(memory, expected, MEMORY);
        ompi_osc_ucp_layout_fini(&from);
        ompi_osc_ucp_layout_fini(&to);
        ompi_osc_ucp_layout_fini(&one);
        ompi_osc_ucp_layout_fini(&two);
    }
}

static void test_random_within(void **state)
{
    int i;

    (void) state;
    for (i = 0; i < 3000; i++) {
        ompi_osc_ucp_layout_t      layout;
        ompi_osc_ucp_layout_iter_t iter;
        uint64_t                   pos, max = 1 + random_u64() % 3000, n = 0;
        int64_t                    first, end;

        random_layout(&layout, &model, random_in(1, 8));
        pos = random_u64() % layout.size;
        first = model.disp[pos] - random_in(-1, 500);
        end = first + random_in(1, 1000);
        while (n < max && pos + n < layout.size && model.disp[pos + n] >= first && model.disp[pos + n] < end) {
            n++;
        }
        ompi_osc_ucp_layout_iter_init(&iter, &layout, pos);
        assert_int_equal(ompi_osc_ucp_layout_iter_within(&iter, first, end, max), n);
        assert_int_equal(iter.pos, pos);
        ompi_osc_ucp_layout_fini(&layout);
    }
}

/** Whatever decode accepts can be walked and cut, and stays within its bounds. */
static void assert_harmless(const void *wire, uint64_t len)
{
    ompi_osc_ucp_layout_t      layout, piece;
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   run, cut = 1 + random_u64() % 1000, i;

    if (!ompi_osc_ucp_layout_decode(wire, len, &layout)) {
        return;
    }
    assert_true(0 == layout.nnodes || layout.lb < layout.ub);
    ompi_osc_ucp_layout_iter_init(&iter, &layout, 0 == layout.size ? 0 : random_u64() % layout.size);
    for (i = 0; i < 200 && ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &run); i++) {
        assert_true(disp >= layout.lb && run <= (uint64_t) layout.ub - (uint64_t) disp && disp < layout.ub);
    }
    if (0 < layout.size
        && ompi_osc_ucp_layout_slice(&layout, random_u64() % layout.size, 1, 20, &cut, &piece)) {
        assert_true(piece.lb >= layout.lb && piece.ub <= layout.ub);
        ompi_osc_ucp_layout_fini(&piece);
    }
    ompi_osc_ucp_layout_fini(&layout);
}

static void test_random_decode(void **state)
{
    static char wire[MAX_NODES * sizeof(node_t) + 1];
    int         i;

    (void) state;
    for (i = 0; i < 20000; i++) {
        ompi_osc_ucp_layout_t layout, decoded;
        char                 *at = wire + i % 2; /* also misaligned */
        uint64_t              len, flips, cut;

        if (0 == i % 4) {
            /* Fresh garbage: mostly small numbers, so that some of it is nearly right. */
            node_t   garbage[8];
            uint64_t n = (uint64_t) random_in(1, 8), j;

            for (j = 0; j < n; j++) {
                garbage[j] = (node_t) {
                    random_in(-9, 9), random_in(-9, 9), (uint64_t) random_in(0, 9), (uint64_t) random_in(0, 3)};
                if (0 == garbage[j].items) {
                    garbage[j].stride = 0;
                }
            }
            memcpy(at, garbage, sizeof(garbage));
            assert_harmless(at, n * sizeof(node_t));
            continue;
        }
        random_layout(&layout, &model, 1);
        len = ompi_osc_ucp_layout_encoded_size(&layout);
        assert_true(len <= sizeof(wire) - 1);
        ompi_osc_ucp_layout_encode(&layout, at);
        assert_true(ompi_osc_ucp_layout_decode(at, len, &decoded));
        assert_int_equal(decoded.size, layout.size);
        assert_int_equal(decoded.nnodes, layout.nnodes);
        assert_memory_equal(decoded.nodes, layout.nodes, len);
        assert_bounds(&decoded, &model);
        ompi_osc_ucp_layout_fini(&decoded);
        ompi_osc_ucp_layout_fini(&layout);

        cut = random_u64() % (len + 1);
        assert_harmless(at, cut);
        assert_harmless(at, cut - cut % sizeof(node_t));
        for (flips = (uint64_t) random_in(1, 4); 0 < flips; flips--) {
            at[random_u64() % len] ^= (char) (1 << random_in(0, 7));
            assert_harmless(at, len);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_and_contiguous), cmocka_unit_test(test_simplify),
        cmocka_unit_test(test_depth),                cmocka_unit_test(test_invalid),
        cmocka_unit_test(test_seek_huge),            cmocka_unit_test(test_partial_sums_wrap),
        cmocka_unit_test(test_slice_stays_regular),  cmocka_unit_test(test_slice_long_list),
        cmocka_unit_test(test_random_walk),          cmocka_unit_test(test_random_pack),
        cmocka_unit_test(test_random_slice),         cmocka_unit_test(test_random_copy),
        cmocka_unit_test(test_random_within),        cmocka_unit_test(test_random_decode),
    };

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
