/* Layouts: pieces of them, for fragments and for layouts that are too long for one message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A piece of a loop is the end of one iteration, a loop over whole iterations, and the beginning of another. So a piece
 * of a vector is as short as the vector. Positions are those of marks: as if all loops around were in their first
 * iteration.
 */

#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

typedef ompi_osc_ucp_layout_node_t node_t;
typedef ompi_osc_ucp_layout_mark_t mark_t;

/** Cutting both ends off repeats a node at most twice for each level of nesting. */
#define PIECE_NODES_PER_NODE (2 * OMPI_OSC_UCP_LAYOUT_MAX_DEPTH + 2)

typedef struct slicer_t {
    const ompi_osc_ucp_layout_t *layout;
    node_t                      *nodes; /**< max_nodes of them */
    uint64_t                     used;
    uint64_t                     max_nodes;
    uint64_t                     unit;
    uint64_t                     covered;   /**< packed bytes of the nodes so far */
    uint64_t                     good_len;  /**< `covered` when it was last a multiple of `unit` */
    uint64_t                     good_used; /**< `used` at that time */
    uint64_t                     good_tail; /**< length of the last node then, if it is a block; 0: it is a loop */
} slicer_t;

/** Add a block. False if there is no room: the piece is complete. */
static bool slice_block(slicer_t *slicer, int64_t disp, uint64_t bytes)
{
    uint64_t covered = slicer->covered + bytes, beyond = covered % slicer->unit;

    if (slicer->used == slicer->max_nodes) {
        return false;
    }
    slicer->nodes[slicer->used++] = (node_t) {.disp = disp, .count = bytes};
    slicer->covered = covered;
    if (beyond < bytes) {
        slicer->good_len = covered - beyond;
        slicer->good_used = slicer->used;
        slicer->good_tail = bytes - beyond;
    }
    return true;
}

static bool slice_has_room_for(const slicer_t *slicer, const node_t *loop)
{
    return loop->items < slicer->max_nodes - slicer->used;
}

/** Add a loop over `count` whole iterations. There must be room. */
static void slice_whole_iterations(slicer_t *slicer, uint64_t node, int64_t disp, uint64_t count)
{
    const node_t *loop = &slicer->layout->nodes[node];

    memcpy(&slicer->nodes[slicer->used], loop, (1 + loop->items) * sizeof(node_t));
    slicer->nodes[slicer->used].disp = disp;
    slicer->nodes[slicer->used].count = count;
    slicer->used += 1 + loop->items;
    slicer->covered += count * slicer->layout->marks[node].body;
    if (0 == slicer->covered % slicer->unit) {
        slicer->good_len = slicer->covered;
        slicer->good_used = slicer->used;
        slicer->good_tail = 0;
    }
}

static bool slice_siblings(slicer_t *slicer, uint64_t first, uint64_t last, uint64_t parent, int64_t base,
                           uint64_t from, uint64_t to);

/** Add bytes [from, to) of a loop's packed stream. */
static bool slice_loop(slicer_t *slicer, uint64_t node, int64_t base, uint64_t from, uint64_t to)
{
    const node_t *loop = &slicer->layout->nodes[node];
    const mark_t *mark = &slicer->layout->marks[node];

    while (from < to) {
        uint64_t iteration = from / mark->body, skip = from % mark->body, whole = (to - from) / mark->body;
        int64_t  disp = (int64_t) ((uint64_t) base + (uint64_t) loop->disp + (uint64_t) loop->stride * iteration);

        if (0 == skip && 1 < whole && slice_has_room_for(slicer, loop)) {
            slice_whole_iterations(slicer, node, disp, whole);
            from += whole * mark->body;
        } else {
            uint64_t len = mark->body - skip < to - from ? mark->body - skip : to - from;
            uint64_t start = mark->start + skip;

            if (!slice_siblings(slicer, node + 1, node + 1 + loop->items, node, disp, start, start + len)) {
                return false;
            }
            from += len;
        }
    }
    return true;
}

/** Add the siblings [first, last) below `parent` as far as they lie at positions [from, to). */
static bool slice_siblings(slicer_t *slicer, uint64_t first, uint64_t last, uint64_t parent, int64_t base,
                           uint64_t from, uint64_t to)
{
    const ompi_osc_ucp_layout_t *layout = slicer->layout;
    uint64_t                     i = ompi_osc_ucp_layout_find(layout, first, last, parent, from);

    while (from < to) {
        const node_t *node = &layout->nodes[i];
        const mark_t *mark = &layout->marks[i];
        uint64_t      skip = from - mark->start, all = 0 == node->items ? node->count : node->count * mark->body;
        uint64_t      len = all - skip < to - from ? all - skip : to - from;
        bool          whole;

        if (0 == node->items) {
            int64_t disp = (int64_t) ((uint64_t) base + (uint64_t) node->disp + skip);

            whole = slice_block(slicer, disp, len);
        } else {
            whole = slice_loop(slicer, i, base, skip, skip + len);
        }
        if (!whole) {
            return false;
        }
        from += len;
        i += 1 + node->items;
    }
    return true;
}

static void slice_cut(slicer_t *slicer, uint64_t pos, uint64_t len)
{
    const ompi_osc_ucp_layout_t *layout = slicer->layout;

    if (ompi_osc_ucp_layout_is_contiguous(layout)) {
        slice_block(slicer, (int64_t) ((uint64_t) layout->lb + pos), len);
    } else {
        slice_siblings(slicer, 0, layout->nnodes, OMPI_OSC_UCP_LAYOUT_NO_NODE, 0, pos, pos + len);
    }
    if (0 < slicer->good_tail) {
        slicer->nodes[slicer->good_used - 1].count = slicer->good_tail;
    }
}

bool ompi_osc_ucp_layout_slice(const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t unit,
                               uint64_t max_nodes, uint64_t *len_p, ompi_osc_ucp_layout_t *piece)
{
    slicer_t slicer = {.layout = layout, .unit = unit};
    uint64_t nodes_max = layout->nnodes * PIECE_NODES_PER_NODE, len = *len_p;
    bool     made;

    if (pos >= layout->size || 0 == unit || 0 == max_nodes) {
        return false;
    }
    len = len < layout->size - pos ? len : layout->size - pos;
    len -= len % unit;
    if (0 == len) {
        return false;
    }
    slicer.max_nodes = max_nodes < nodes_max ? max_nodes : nodes_max;
    slicer.nodes = malloc(slicer.max_nodes * sizeof(node_t));
    if (NULL == slicer.nodes) {
        return false;
    }
    slice_cut(&slicer, pos, len);
    made = 0 < slicer.good_len && ompi_osc_ucp_layout_make(slicer.nodes, slicer.good_used, piece);
    free(slicer.nodes);
    if (made) {
        *len_p = slicer.good_len;
    }
    return made;
}
