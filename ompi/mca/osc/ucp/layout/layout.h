/* Layouts: the shape of a buffer as nested loops over byte ranges.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A layout describes which bytes, relative to a base address, one communication call touches, and in which order they
 * stand in the packed stream. The origin makes it from a datatype and a count (op/layout_type.c). It travels in
 * messages, and both sides walk it: one walker serves local copies, packing and unpacking. This folder knows no MPI.
 */

#ifndef OSC_UCP_LAYOUT_H
#define OSC_UCP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most nested loops of a layout. The innermost loops of a deeper type become lists of blocks. */
#define OMPI_OSC_UCP_LAYOUT_MAX_DEPTH 16

/** Most nodes of a decoded layout: bounds the memory that a message can make the target allocate. */
#define OMPI_OSC_UCP_LAYOUT_MAX_NODES 4096

/** A node of a layout, in preorder: a block of bytes (items == 0), or a loop over the `items` nodes that follow it,
 *  nested ones included. */
typedef struct ompi_osc_ucp_layout_node_t {
    int64_t  disp;   /**< first byte, relative to the base of the enclosing iteration */
    int64_t  stride; /**< loop: bytes from one iteration's base to the next; block: 0 */
    uint64_t count;  /**< loop: iterations; block: bytes; never 0 */
    uint64_t items;  /**< loop: nodes in its body; block: 0 */
} ompi_osc_ucp_layout_node_t;

/** Where a node stands in the packed stream. Marks do not travel in messages. They rise in preorder, so that seeking is
 * a binary search per level of nesting. Otherwise cutting a long list of blocks into fragments would take quadratic
 * time.
 */
typedef struct ompi_osc_ucp_layout_mark_t {
    uint64_t start;  /**< packed position of the node in the first iteration of all loops around it */
    uint64_t body;   /**< packed bytes of the block, or of one iteration of the loop */
    uint64_t parent; /**< index of the enclosing loop, or OMPI_OSC_UCP_LAYOUT_NO_NODE */
} ompi_osc_ucp_layout_mark_t;

#define OMPI_OSC_UCP_LAYOUT_NO_NODE UINT64_MAX

/**
 * A layout; ompi_osc_ucp_layout_fini frees it. `nodes` points at `inline_node`, or at malloc'd memory that layouts may
 * share (ompi_osc_ucp_layout_share). Immutable, so that any number of walkers may use it. Do not copy the struct: use
 * share or move.
 */
typedef struct ompi_osc_ucp_layout_t {
    uint64_t                    size;  /**< bytes in the packed stream */
    int64_t                     lb;    /**< lowest byte touched, relative to the base; 0 if size is 0 */
    int64_t                     ub;    /**< one past the highest byte touched; 0 if size is 0 */
    uint64_t                    nnodes;
    ompi_osc_ucp_layout_node_t *nodes;
    ompi_osc_ucp_layout_node_t  inline_node;
    ompi_osc_ucp_layout_mark_t *marks; /**< one per node, in the memory of `nodes`; NULL if there is one node or none */
} ompi_osc_ucp_layout_t;

/** A position in a layout's packed stream. Owns no memory. */
typedef struct ompi_osc_ucp_layout_iter_t {
    const ompi_osc_ucp_layout_t *layout;
    uint64_t                     pos;      /**< packed bytes passed */
    uint64_t                     in_block; /**< bytes of the current block passed */
    uint64_t                     node;     /**< index of the current node */
    int                          depth;    /**< loops entered */
    struct {
        uint64_t node;      /**< index of the loop */
        uint64_t iteration; /**< the current one */
        int64_t  base;      /**< base of the current iteration */
    } loop[OMPI_OSC_UCP_LAYOUT_MAX_DEPTH];
} ompi_osc_ucp_layout_iter_t;

/** One block of `len` bytes at `disp`; len 0 gives the empty layout. Allocates nothing. */
void ompi_osc_ucp_layout_contiguous(ompi_osc_ucp_layout_t *layout, int64_t disp, uint64_t len);

/**
 * Make a layout of `nnodes` nodes, which are copied and simplified: a loop of adjacent blocks becomes one block. False,
 * and *layout untouched, if memory is short or the nodes are invalid: a count of 0, bodies that do not nest, too deep
 * nesting, or overflow of size, lb or ub.
 */
bool ompi_osc_ucp_layout_make(const ompi_osc_ucp_layout_node_t *nodes, uint64_t nnodes,
                              ompi_osc_ucp_layout_t *layout);

/** Free a layout; it is empty afterwards. Any thread, if layouts share its memory. */
void ompi_osc_ucp_layout_fini(ompi_osc_ucp_layout_t *layout);

/** Make `to` a second holder of a layout; both must be freed. Allocates nothing. Any thread. */
void ompi_osc_ucp_layout_share(ompi_osc_ucp_layout_t *to, const ompi_osc_ucp_layout_t *from);

/** Move a layout: `from` is empty afterwards. Allocates nothing. */
static inline void ompi_osc_ucp_layout_move(ompi_osc_ucp_layout_t *to, ompi_osc_ucp_layout_t *from)
{
    *to = *from;
    if (from->nodes == &from->inline_node) {
        to->nodes = &to->inline_node;
    }
    ompi_osc_ucp_layout_contiguous(from, 0, 0);
}

/** Is it one block, or empty? */
static inline bool ompi_osc_ucp_layout_is_contiguous(const ompi_osc_ucp_layout_t *layout)
{
    return layout->nnodes <= 1;
}

/** Number of runs of contiguous bytes; saturates. Adjacent runs may count as several. */
uint64_t ompi_osc_ucp_layout_runs(const ompi_osc_ucp_layout_t *layout);

/* Wire form: the nodes as they are, in host byte order (one architecture per job). */

/** Bytes that ompi_osc_ucp_layout_encode writes. */
uint64_t ompi_osc_ucp_layout_encoded_size(const ompi_osc_ucp_layout_t *layout);
void ompi_osc_ucp_layout_encode(const ompi_osc_ucp_layout_t *layout, void *buffer);

/** Check an encoded layout from a message and copy it. `buffer` may be misaligned and its contents hostile. */
bool ompi_osc_ucp_layout_decode(const void *buffer, uint64_t len, ompi_osc_ucp_layout_t *layout);

/**
 * Make a layout of packed bytes [pos, pos + *len_p), with at most `max_nodes` nodes, for a fragment. *len_p is lowered
 * to the bytes that these nodes cover, a multiple of `unit` (which divides pos). Loops stay loops. The caller frees
 * `piece`. False if memory is short, or not even one unit fits.
 */
bool ompi_osc_ucp_layout_slice(const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t unit,
                               uint64_t max_nodes, uint64_t *len_p, ompi_osc_ucp_layout_t *piece);

/** Set the iterator to packed byte `pos` <= layout->size. A binary search per level of nesting. */
void ompi_osc_ucp_layout_iter_init(ompi_osc_ucp_layout_iter_t *iter, const ompi_osc_ucp_layout_t *layout,
                                   uint64_t pos);

/**
 * Of the siblings [first, last) below the loop `parent`, find the one that holds packed position `pos`, which counts
 * as if all loops around were in their first iteration. For this folder only. The layout must have marks.
 */
uint64_t ompi_osc_ucp_layout_find(const ompi_osc_ucp_layout_t *layout, uint64_t first, uint64_t last,
                                  uint64_t parent, uint64_t pos);

/** The next run of at most `max` > 0 contiguous bytes, in packed order. False at the end. */
bool ompi_osc_ucp_layout_iter_next(ompi_osc_ucp_layout_iter_t *iter, uint64_t max, int64_t *disp_p,
                                   uint64_t *len_p);

/** The nodes that follow one another in a list, from the iterator's position on: *n_p of them, with displacements from
 *  *base_p. The first is a block. *n_p is 0 inside of a block, and at the end. */
const ompi_osc_ucp_layout_node_t *ompi_osc_ucp_layout_iter_list(const ompi_osc_ucp_layout_iter_t *iter, uint64_t *n_p,
                                                                int64_t *base_p);

/** Pass over the first `n` > 0 of these nodes, all of them blocks, of so many bytes. */
void ompi_osc_ucp_layout_iter_pass(ompi_osc_ucp_layout_iter_t *iter, uint64_t n, uint64_t bytes);

/**
 * How many of the next `max` packed bytes lie at displacements in [first, end) and at rising addresses, up to the first
 * that does not. So no byte of memory is among them twice. `iter` does not move.
 */
uint64_t ompi_osc_ucp_layout_iter_within(const ompi_osc_ucp_layout_iter_t *iter, int64_t first, int64_t end,
                                         uint64_t max);

/** Pack the next `len` bytes from memory at `base`, and advance `iter`. */
void ompi_osc_ucp_layout_pack(ompi_osc_ucp_layout_iter_t *iter, const void *base, void *packed, uint64_t len);

/** Unpack the next `len` bytes to memory at `base`, and advance `iter`. */
void ompi_osc_ucp_layout_unpack(ompi_osc_ucp_layout_iter_t *iter, void *base, const void *packed, uint64_t len);

/** Copy all of `from` at `from_base` to `to` at `to_base`; sizes must be equal. Overlap is allowed only within a pair
 *  of runs. */
void ompi_osc_ucp_layout_copy(const ompi_osc_ucp_layout_t *to, void *to_base, const ompi_osc_ucp_layout_t *from,
                              const void *from_base);

/** Do bytes [disp + lb, disp + ub) lie in a window of `size` bytes? */
static inline bool ompi_osc_ucp_in_range(int64_t size, int64_t disp, int64_t lb, int64_t ub)
{
    int64_t first, end;

    return !__builtin_add_overflow(disp, lb, &first) && !__builtin_add_overflow(disp, ub, &end) && first >= 0 &&
           end <= size;
}

/** The same for one block of `bytes` > 0, at `disp` in units. Returns its beginning in bytes, or a negative number. */
static inline int64_t ompi_osc_ucp_block_at(int64_t disp, int64_t disp_unit, int64_t size, uint64_t bytes)
{
    int64_t at;

    if (__builtin_mul_overflow(disp, disp_unit, &at)) {
        return -1;
    }
    /* As an unsigned number, a negative displacement is larger than any window. */
    return (uint64_t) at <= (uint64_t) size && bytes <= (uint64_t) (size - at) ? at : -1;
}

#endif /* OSC_UCP_LAYOUT_H */
