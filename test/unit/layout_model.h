/* The model that unit tests of layouts compare with: a naive list of the bytes, in order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef LAYOUT_MODEL_H
#define LAYOUT_MODEL_H

#include "layout/layout.h"

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

static model_t model;

static inline void model_add(model_t *m, const node_t *nodes, uint64_t first, uint64_t last, int64_t base)
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

static inline void model_of(model_t *m, const ompi_osc_ucp_layout_t *layout)
{
    m->size = 0;
    model_add(m, layout->nodes, 0, layout->nnodes, 0);
}

static inline void assert_bounds(const ompi_osc_ucp_layout_t *layout, const model_t *m)
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
static inline void assert_walk(const ompi_osc_ucp_layout_t *layout, const model_t *m, uint64_t pos, uint64_t max)
{
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    uint64_t                   len, i;

    ompi_osc_ucp_layout_iter_init(&iter, layout, pos);
    while (ompi_osc_ucp_layout_iter_next(&iter, max, &disp, &len)) {
        assert_true(len >= 1 && len <= max);
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

#endif /* LAYOUT_MODEL_H */
