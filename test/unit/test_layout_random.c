/* Unit test of layouts at random: make, walk, seek, pack, cut, copy, encode and decode.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "layout_model.h"
#include "unit_random.h"

static model_t model2;

#define MEMORY (1 << 20)

/** Nodes of a random layout. */
#define MAX_NODES 40

static unsigned char memory[MEMORY], expected[MEMORY], source[MEMORY], packed[1 << 16];

/** Displacement 0 stands in the middle of a buffer, which is wide enough for whatever random_nodes makes. */
static unsigned char *const origin = memory + MEMORY / 2, *const source_origin = source + MEMORY / 2;

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
            assert_true(len >= unit && len <= wanted);
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
        while (n < max && pos + n < layout.size && model.disp[pos + n] >= first && model.disp[pos + n] < end &&
               (0 == n || model.disp[pos + n] > model.disp[pos + n - 1])) {
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
        cmocka_unit_test(test_random_walk),   cmocka_unit_test(test_random_pack),
        cmocka_unit_test(test_random_slice),  cmocka_unit_test(test_random_copy),
        cmocka_unit_test(test_random_within), cmocka_unit_test(test_random_decode),
    };

    random_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
