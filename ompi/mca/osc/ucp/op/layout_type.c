/* How layouts are made from Open MPI's descriptions of datatypes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI describes a type as a list of entries: `count` blocks of `blocklen` basic elements, or a loop over the
 * entries up to its end marker. Displacements in a loop are those of its first iteration, relative to the type. The
 * optimized list is shorter, but it does not distinguish a pair's value and index.
 */

#include "ompi_config.h"

#include "op/layout_type.h"

#include "ompi/constants.h"
#include "opal/datatype/opal_datatype_internal.h"

#include <stdlib.h>

typedef ompi_osc_ucp_layout_node_t node_t;

typedef struct walk_t {
    const dt_elem_desc_t      *desc;
    const ompi_osc_ucp_prim_t *pair; /**< make cells of this pair type; NULL: all bytes */
    node_t                    *nodes;
    uint64_t                   used;
} walk_t;

static void walk_push(walk_t *walk, int64_t disp, int64_t stride, uint64_t count)
{
    walk->nodes[walk->used++] = (node_t) {.disp = disp, .stride = stride, .count = count};
}

static void walk_blocks(walk_t *walk, const ddt_elem_desc_t *entry, uint64_t bytes)
{
    if (0 == entry->count || 0 == bytes) {
        return;
    }
    if (1 == entry->count) {
        walk_push(walk, entry->disp, 0, bytes);
        return;
    }
    walk_push(walk, entry->disp, entry->extent, entry->count);
    walk->nodes[walk->used - 1].items = 1;
    walk_push(walk, 0, 0, bytes);
}

/** Two entries of a pair type, its value and its index, are one cell. Returns the entries consumed, 0 if they are no
 *  pair. */
static size_t walk_pair(walk_t *walk, size_t at, size_t last)
{
    const dt_elem_desc_t  *pair = walk->pair->datatype->super.desc.desc;
    const ddt_elem_desc_t *value = &walk->desc[at].elem, *index = value + 1;

    if (at + 1 >= last || value->common.type != pair[0].elem.common.type
        || index->common.type != pair[1].elem.common.type || index->disp - value->disp != walk->pair->index_offset
        || 1 != value->count || 1 != value->blocklen || 1 != index->count || 1 != index->blocklen) {
        return 0;
    }
    walk_blocks(walk, value, walk->pair->extent);
    return 2;
}

static bool walk_entries(walk_t *walk, size_t first, size_t last);

/** A loop, up to its end marker. Returns the entries consumed, 0 if they are invalid. */
static size_t walk_loop(walk_t *walk, size_t at, size_t last)
{
    const ddt_loop_desc_t *loop = &walk->desc[at].loop;
    uint64_t               node = walk->used;
    size_t                 end = at + loop->items;

    if (end <= at || end >= last) {
        return 0;
    }
    walk_push(walk, 0, loop->extent, loop->loops);
    if (!walk_entries(walk, at + 1, end)) {
        return 0;
    }
    walk->nodes[node].items = walk->used - node - 1;
    if (0 == walk->nodes[node].items || 0 == loop->loops) {
        walk->used = node;
    }
    return end + 1 - at;
}

/** Blocks of basic elements. Returns the entries consumed: 1. */
static size_t walk_basic(walk_t *walk, size_t at)
{
    const ddt_elem_desc_t *entry = &walk->desc[at].elem;

    walk_blocks(walk, entry, entry->blocklen * opal_datatype_basicDatatypes[entry->common.type]->size);
    return 1;
}

/** Entries [first, last): a loop's body, or all. False if they are not in the expected format. */
static bool walk_entries(walk_t *walk, size_t first, size_t last)
{
    size_t i, taken;

    for (i = first; i < last; i += taken) {
        uint16_t type = walk->desc[i].elem.common.type;

        if (OPAL_DATATYPE_LOOP == type) {
            taken = walk_loop(walk, i, last);
        } else if (type < OPAL_DATATYPE_FIRST_TYPE || OPAL_DATATYPE_MAX_PREDEFINED <= type) {
            return false;
        } else {
            taken = NULL != walk->pair ? walk_pair(walk, i, last) : walk_basic(walk, i);
        }
        if (0 == taken) {
            return false;
        }
    }
    return true;
}

/** The product; false if it overflows. */
static bool total_of(size_t each, size_t count, uint64_t *total_p)
{
    return !__builtin_mul_overflow((uint64_t) each, (uint64_t) count, total_p);
}

/** Make a layout of the nodes. Its size must be `size`, which the type says. */
static int layout_of_nodes(const walk_t *walk, uint64_t size, ompi_osc_ucp_layout_t *layout)
{
    ompi_osc_ucp_layout_t made;

    if (!ompi_osc_ucp_layout_make(walk->nodes, walk->used, &made)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (size != made.size) {
        /* The 32-bit counts of descriptions overflow for some very large types. */
        ompi_osc_ucp_layout_fini(&made);
        return OMPI_ERR_NOT_SUPPORTED;
    }
    ompi_osc_ucp_layout_move(layout, &made);
    return OMPI_SUCCESS;
}

/** Make the layout of `count` elements, `size` bytes: one more loop around the description. From the cache, if it is
 *  there. */
static int layout_of_desc(struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                          uint64_t size, ompi_osc_ucp_layout_t *layout)
{
    const opal_datatype_t *type = &datatype->super;
    walk_t                 walk = {.desc = type->desc.desc, .pair = pair};
    int                    rc   = OMPI_ERR_NOT_SUPPORTED;

    if (ompi_osc_ucp_layout_recall(datatype, count, pair, layout)) {
        return OMPI_SUCCESS;
    }
    if (NULL == walk.desc || 0 == type->desc.used) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    walk.nodes = calloc(1 + 2 * type->desc.used, sizeof(node_t));
    if (NULL == walk.nodes) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    walk_push(&walk, 0, type->ub - type->lb, count);
    if (walk_entries(&walk, 0, type->desc.used) && 1 < walk.used) {
        walk.nodes[0].items = walk.used - 1;
        rc = layout_of_nodes(&walk, size, layout);
    }
    free(walk.nodes);
    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_layout_keep(datatype, count, pair, layout);
    }
    return rc;
}

/** Are `count` elements one block of memory, in order? Gaps between elements matter only if there are several. */
static bool is_one_block(const opal_datatype_t *type, size_t count)
{
    return opal_datatype_is_contiguous_memory_layout(type, 1 == count ? 1 : 2)
           && (size_t) (type->true_ub - type->true_lb) == type->size;
}

int ompi_osc_ucp_layout_of_bytes(struct ompi_datatype_t *datatype, size_t count, ompi_osc_ucp_layout_t *layout)
{
    const opal_datatype_t *type = &datatype->super;
    uint64_t               bytes;
    int64_t                end;

    if (!total_of(type->size, count, &bytes) || INT64_MAX < bytes) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (0 == bytes || is_one_block(type, count)) {
        if (__builtin_add_overflow(type->true_lb, bytes, &end)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        ompi_osc_ucp_layout_contiguous(layout, 0 == bytes ? 0 : type->true_lb, bytes);
        return OMPI_SUCCESS;
    }
    return layout_of_desc(datatype, count, NULL, bytes, layout);
}

int ompi_osc_ucp_layout_of_elements(struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *prim,
                                    ompi_osc_ucp_layout_t *layout)
{
    const opal_datatype_t *type = &datatype->super;
    uint64_t               cells;

    if (0 != type->size % prim->size) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    if (prim->size == prim->extent) {
        return ompi_osc_ucp_layout_of_bytes(datatype, count, layout);
    }
    if (!total_of(type->size / prim->size, count, &cells) || INT64_MAX / prim->extent < cells) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (0 == cells || datatype == prim->datatype) {
        ompi_osc_ucp_layout_contiguous(layout, 0, cells * prim->extent);
        return OMPI_SUCCESS;
    }
    return layout_of_desc(datatype, count, prim, cells * prim->extent, layout);
}
