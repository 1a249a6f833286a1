/* Layouts: how they are made, checked and encoded.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

#include "opal/mca/common/ucp/common_ucp.h"

typedef ompi_osc_ucp_layout_node_t node_t;
typedef ompi_osc_ucp_layout_mark_t mark_t;

#define NONE OMPI_OSC_UCP_LAYOUT_NO_NODE

/** Most nested loops of a caller's nodes, before simplification: bounds the recursion. */
#define INPUT_DEPTH_MAX 256

/** Most nodes of a layout whose innermost loops were unrolled. */
#define UNROLLED_NODES_MAX 65536

_Static_assert(32 == sizeof(node_t), "nodes travel as they are");

/** The malloc'd memory of a layout's nodes; their marks follow. */
typedef struct shape_t {
    uint64_t holders; /**< layouts that share it; atomic */
    node_t   nodes[];
} shape_t;

/* ---- Checking: size and bounds of nodes ---- */

typedef struct span_t {
    uint64_t size; /**< packed bytes; 0: empty, and the bounds are not valid */
    int64_t  lb;
    int64_t  ub;
} span_t;

static bool span_add(span_t *span, const span_t *more)
{
    if (0 == span->size) {
        *span = *more;
        return true;
    }
    span->lb = more->lb < span->lb ? more->lb : span->lb;
    span->ub = more->ub > span->ub ? more->ub : span->ub;
    return !__builtin_add_overflow(span->size, more->size, &span->size);
}

static bool span_of_block(const node_t *block, span_t *span)
{
    *span = (span_t) {.size = block->count, .lb = block->disp};
    return 0 < block->count && 0 == block->stride && !__builtin_add_overflow(block->disp, block->count, &span->ub);
}

static bool span_of_loop(const node_t *loop, const span_t *body, span_t *span)
{
    int64_t last, lowest, highest;

    if (0 == loop->count || __builtin_mul_overflow(loop->stride, loop->count - 1, &last)) {
        return false;
    }
    lowest = last < 0 ? last : 0;
    highest = last > 0 ? last : 0;
    return !__builtin_mul_overflow(body->size, loop->count, &span->size)
           && !__builtin_add_overflow(loop->disp, lowest, &span->lb)
           && !__builtin_add_overflow(span->lb, body->lb, &span->lb)
           && !__builtin_add_overflow(loop->disp, highest, &span->ub)
           && !__builtin_add_overflow(span->ub, body->ub, &span->ub);
}

/**
 * Check the siblings nodes[first, last) and all below them, and set their marks. `start` may overflow. Then the size of
 * an enclosing loop overflows too, which span_of_loop finds.
 */
static bool measure_nodes(const node_t *nodes, mark_t *marks, uint64_t first, uint64_t last, uint64_t parent,
                          uint64_t start, int depth, span_t *span)
{
    uint64_t i;

    *span = (span_t) {.size = 0};
    for (i = first; i < last; i += 1 + nodes[i].items) {
        span_t body, whole;

        marks[i] = (mark_t) {.start = start + span->size, .body = nodes[i].count, .parent = parent};
        if (0 == nodes[i].items) {
            if (!span_of_block(&nodes[i], &whole)) {
                return false;
            }
        } else {
            if (OMPI_OSC_UCP_LAYOUT_MAX_DEPTH == depth || nodes[i].items >= last - i
                || !measure_nodes(nodes, marks, i + 1, i + 1 + nodes[i].items, i, marks[i].start, depth + 1, &body)
                || !span_of_loop(&nodes[i], &body, &whole)) {
                return false;
            }
            marks[i].body = body.size;
        }
        if (!span_add(span, &whole)) {
            return false;
        }
    }
    return true;
}

/** Make a layout of exactly these nodes, copied; `nodes` may be misaligned. False if they are invalid or memory is
 *  short. */
static bool layout_adopt(const void *nodes, uint64_t nnodes, ompi_osc_ucp_layout_t *layout)
{
    shape_t *shape;
    node_t  *copy;
    mark_t  *marks;
    span_t   span;

    if (0 == nnodes) {
        ompi_osc_ucp_layout_contiguous(layout, 0, 0);
        return true;
    }
    if (nnodes > (SIZE_MAX - sizeof(*shape)) / (sizeof(node_t) + sizeof(mark_t))) {
        return false;
    }
    shape = opal_common_ucp_malloc(sizeof(*shape) + nnodes * (sizeof(node_t) + sizeof(mark_t)));
    if (NULL == shape) {
        return false;
    }
    shape->holders = 1;
    copy  = shape->nodes;
    marks = (mark_t *) (copy + nnodes);
    memcpy(copy, nodes, nnodes * sizeof(node_t));
    if (!measure_nodes(copy, marks, 0, nnodes, NONE, 0, 0, &span)) {
        free(shape);
        return false;
    }
    if (1 == nnodes) {
        ompi_osc_ucp_layout_contiguous(layout, copy->disp, copy->count);
        free(shape);
        return true;
    }
    *layout = (ompi_osc_ucp_layout_t) {
        .size = span.size, .lb = span.lb, .ub = span.ub, .nnodes = nnodes, .nodes = copy, .marks = marks};
    return true;
}

/* ---- Making: nodes are simplified while they are copied to a builder ---- */

typedef struct builder_t {
    node_t  *nodes;
    uint64_t used;
    uint64_t room;
    uint64_t limit; /**< `used` never exceeds it */
} builder_t;

static bool builder_push(builder_t *builder, int64_t disp, int64_t stride, uint64_t count, uint64_t items)
{
    if (builder->used == builder->room) {
        uint64_t room = builder->room + builder->room / 2 + 16;
        node_t  *nodes;

        room = room < builder->limit ? room : builder->limit;
        if (room == builder->used || room > SIZE_MAX / sizeof(node_t)) {
            return false;
        }
        nodes = realloc(builder->nodes, room * sizeof(node_t));
        if (NULL == nodes) {
            return false;
        }
        builder->nodes = nodes;
        builder->room = room;
    }
    builder->nodes[builder->used++] = (node_t) {.disp = disp, .stride = stride, .count = count, .items = items};
    return true;
}

/** Add a block, or extend the sibling before it, whose index is *prev, if the two are adjacent. */
static bool builder_block(builder_t *builder, uint64_t *prev, int64_t disp, uint64_t bytes)
{
    if (NONE != *prev && 0 == builder->nodes[*prev].items) {
        node_t *block = &builder->nodes[*prev];
        int64_t end;

        if (!__builtin_add_overflow(block->disp, block->count, &end) && end == disp) {
            return !__builtin_add_overflow(block->count, bytes, &block->count);
        }
    }
    *prev = builder->used;
    return builder_push(builder, disp, 0, bytes, 0);
}

/** The loop at index `loop_at` has its whole body. A loop of adjacent blocks becomes one block, two loops that continue
 *  each other become one. */
static bool builder_fold(builder_t *builder, uint64_t *prev, uint64_t loop_at)
{
    node_t *loop = &builder->nodes[loop_at], *child = loop + 1;
    int64_t disp, whole;

    loop->items = builder->used - loop_at - 1;
    if (loop->items != 1 + child->items || __builtin_add_overflow(loop->disp, child->disp, &disp)) {
        *prev = loop_at;
        return true;
    }
    if (0 == child->items && loop->stride >= 0 && (uint64_t) loop->stride == child->count) {
        uint64_t bytes;

        builder->used = loop_at;
        return !__builtin_mul_overflow(loop->count, child->count, &bytes)
               && builder_block(builder, prev, disp, bytes);
    }
    *prev = loop_at;
    if (0 < child->items && !__builtin_mul_overflow(child->stride, child->count, &whole) && whole == loop->stride) {
        if (__builtin_mul_overflow(child->count, loop->count, &child->count)) {
            return false;
        }
        child->disp = disp;
        memmove(loop, child, (size_t) (--builder->used - loop_at) * sizeof(node_t));
    }
    return true;
}

typedef struct copy_t {
    builder_t    *builder;
    const node_t *nodes;
    int           depth_max;
    bool          unroll; /**< loops below depth_max: unroll them (true), or fail */
} copy_t;

static bool copy_nodes(const copy_t *copy, uint64_t first, uint64_t last, int64_t shift, int depth, uint64_t *prev);

static bool copy_unrolled(const copy_t *copy, uint64_t at_loop, int64_t disp, int depth, uint64_t *prev)
{
    const node_t *loop = &copy->nodes[at_loop];
    uint64_t      k;
    int64_t       shift = disp;

    for (k = 0; k < loop->count; k++) {
        if (0 < k && __builtin_add_overflow(shift, loop->stride, &shift)) {
            return false;
        }
        if (!copy_nodes(copy, at_loop + 1, at_loop + 1 + loop->items, shift, depth, prev)) {
            return false;
        }
    }
    return true;
}

static bool copy_loop(const copy_t *copy, uint64_t at_loop, int64_t disp, int depth, uint64_t *prev)
{
    const node_t *loop = &copy->nodes[at_loop];
    uint64_t      begin = at_loop + 1, end = begin + loop->items, to = copy->builder->used, inner = NONE;

    if (depth == copy->depth_max) {
        return copy->unroll && copy_unrolled(copy, at_loop, disp, depth, prev);
    }
    if (1 == loop->count) {
        return copy_nodes(copy, begin, end, disp, depth + 1, prev);
    }
    return builder_push(copy->builder, disp, loop->stride, loop->count, 0)
           && copy_nodes(copy, begin, end, 0, depth + 1, &inner) && builder_fold(copy->builder, prev, to);
}

/** Copy the siblings nodes[first, last), displaced by `shift`; *prev is the sibling before them in the builder. */
static bool copy_nodes(const copy_t *copy, uint64_t first, uint64_t last, int64_t shift, int depth, uint64_t *prev)
{
    uint64_t i;

    for (i = first; i < last; i += 1 + copy->nodes[i].items) {
        const node_t *node = &copy->nodes[i];
        int64_t       disp;
        bool          copied;

        if (0 == node->count || node->items >= last - i || __builtin_add_overflow(node->disp, shift, &disp)) {
            return false;
        }
        copied = 0 == node->items ? builder_block(copy->builder, prev, disp, node->count)
                                  : copy_loop(copy, i, disp, depth, prev);
        if (!copied) {
            return false;
        }
    }
    return true;
}

static int nodes_depth(const node_t *nodes, uint64_t first, uint64_t last)
{
    uint64_t i;
    int      deepest = 0;

    for (i = first; i < last; i += 1 + nodes[i].items) {
        int depth = 0 == nodes[i].items ? 0 : 1 + nodes_depth(nodes, i + 1, i + 1 + nodes[i].items);

        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}

bool ompi_osc_ucp_layout_make(const ompi_osc_ucp_layout_node_t *nodes, uint64_t nnodes,
                              ompi_osc_ucp_layout_t *layout)
{
    builder_t simple = {.limit = nnodes}, flat = {.limit = UNROLLED_NODES_MAX}, *made = &simple;
    copy_t    simplify = {.builder = &simple, .nodes = nodes, .depth_max = INPUT_DEPTH_MAX};
    uint64_t  prev = NONE;
    bool      ok = copy_nodes(&simplify, 0, nnodes, 0, 0, &prev);

    if (ok && nodes_depth(simple.nodes, 0, simple.used) > OMPI_OSC_UCP_LAYOUT_MAX_DEPTH) {
        copy_t unroll = {
            .builder = &flat, .nodes = simple.nodes, .depth_max = OMPI_OSC_UCP_LAYOUT_MAX_DEPTH, .unroll = true};

        prev = NONE;
        ok = copy_nodes(&unroll, 0, simple.used, 0, 0, &prev);
        made = &flat;
    }
    ok = ok && layout_adopt(made->nodes, made->used, layout);
    free(flat.nodes);
    free(simple.nodes);
    return ok;
}

void ompi_osc_ucp_layout_contiguous(ompi_osc_ucp_layout_t *layout, int64_t disp, uint64_t len)
{
    *layout = (ompi_osc_ucp_layout_t) {.size = len, .inline_node = {.disp = disp, .count = len}};
    layout->nodes = &layout->inline_node;
    if (0 < len) {
        layout->nnodes = 1;
        layout->lb = disp;
        layout->ub = (int64_t) ((uint64_t) disp + len);
    }
}

static shape_t *shape_of(const ompi_osc_ucp_layout_t *layout)
{
    return (shape_t *) (void *) ((char *) layout->nodes - offsetof(shape_t, nodes));
}

void ompi_osc_ucp_layout_share(ompi_osc_ucp_layout_t *to, const ompi_osc_ucp_layout_t *from)
{
    *to = *from;
    if (from->nodes == &from->inline_node) {
        to->nodes = &to->inline_node;
    } else {
        __atomic_fetch_add(&shape_of(from)->holders, 1, __ATOMIC_RELAXED);
    }
}

void ompi_osc_ucp_layout_fini(ompi_osc_ucp_layout_t *layout)
{
    if (layout->nodes != &layout->inline_node &&
        1 == __atomic_fetch_sub(&shape_of(layout)->holders, 1, __ATOMIC_ACQ_REL)) {
        free(shape_of(layout));
    }
    ompi_osc_ucp_layout_contiguous(layout, 0, 0);
}

uint64_t ompi_osc_ucp_layout_encoded_size(const ompi_osc_ucp_layout_t *layout)
{
    return layout->nnodes * sizeof(node_t);
}

void ompi_osc_ucp_layout_encode(const ompi_osc_ucp_layout_t *layout, void *buffer)
{
    memcpy(buffer, layout->nodes, layout->nnodes * sizeof(node_t));
}

bool ompi_osc_ucp_layout_decode(const void *buffer, uint64_t len, ompi_osc_ucp_layout_t *layout)
{
    return 0 == len % sizeof(node_t) && len / sizeof(node_t) <= OMPI_OSC_UCP_LAYOUT_MAX_NODES
           && layout_adopt(buffer, len / sizeof(node_t), layout);
}

/** Number of contiguous runs below `n` nodes; saturates. */
static uint64_t runs_of(const node_t *nodes, uint64_t n)
{
    uint64_t runs = 0, i, below;

    for (i = 0; i < n; i += 1 + nodes[i].items) {
        below = 1;
        if (nodes[i].items > 0 &&
            __builtin_mul_overflow(runs_of(&nodes[i + 1], nodes[i].items), nodes[i].count, &below)) {
            return UINT64_MAX;
        }
        if (__builtin_add_overflow(runs, below, &runs)) {
            return UINT64_MAX;
        }
    }
    return runs;
}

uint64_t ompi_osc_ucp_layout_runs(const ompi_osc_ucp_layout_t *layout)
{
    return runs_of(layout->nodes, layout->nnodes);
}
