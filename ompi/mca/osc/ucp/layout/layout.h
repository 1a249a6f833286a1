/* Layouts: the shape of a buffer as nested loops over byte ranges.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A layout describes which bytes, relative to a base address, one communication call touches, and
 * in which order they stand in the packed stream. It is made from a datatype and a count at the
 * origin (osc_ucp_layout_type.c), travels in messages, and is walked at either side: the same walker
 * serves local copies, packing and unpacking. Nothing here knows MPI or Open MPI.
 */

#ifndef OSC_UCP_LAYOUT_H
#define OSC_UCP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Loops may be nested this deep; a deeper type becomes a list of blocks. */
#define OMPI_OSC_UCP_LAYOUT_MAX_DEPTH 16

/** A decoded layout may have at most so many nodes: what bounds the memory that a message can claim. */
#define OMPI_OSC_UCP_LAYOUT_MAX_NODES 4096

/**
 * One node of a layout, in preorder: a block of bytes (items == 0), or a loop over the `items` nodes
 * that follow it (nested ones included).
 */
typedef struct ompi_osc_ucp_layout_node_t {
    int64_t  disp;   /**< first byte, relative to the enclosing iteration's base */
    int64_t  stride; /**< loop: bytes from one iteration's base to the next; block: 0 */
    uint64_t count;  /**< loop: iterations; block: bytes; never 0 */
    uint64_t items;  /**< loop: nodes in its body; block: 0 */
} ompi_osc_ucp_layout_node_t;

/**
 * Where a node stands in the packed stream. The wire does not carry marks. They rise in preorder, so that seeking is
 * a binary search per level of nesting: cutting a list of a million blocks must not cost the square of its length.
 */
typedef struct ompi_osc_ucp_layout_mark_t {
    uint64_t start;  /**< packed position where the node is first reached */
    uint64_t body;   /**< packed bytes of the block, or of one iteration of the loop */
    uint64_t parent; /**< index of the enclosing loop, or OMPI_OSC_UCP_LAYOUT_NO_NODE */
} ompi_osc_ucp_layout_mark_t;

#define OMPI_OSC_UCP_LAYOUT_NO_NODE UINT64_MAX

/**
 * A layout. `nodes` is owned (malloc), with others (ompi_osc_ucp_layout_share), unless it points at `inline_node`; free
 * with ompi_osc_ucp_layout_fini. Immutable once made, so that any number of walkers may share it. Do not copy the struct.
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

/** A position in a layout's packed stream. Holds no memory. */
typedef struct ompi_osc_ucp_layout_iter_t {
    const ompi_osc_ucp_layout_t *layout;
    uint64_t                     pos;      /**< packed bytes delivered so far */
    uint64_t                     in_block; /**< bytes of the current block delivered */
    uint64_t                     node;     /**< index of the current node */
    int                          depth;    /**< loops entered */
    struct {
        uint64_t node;      /**< index of the loop */
        uint64_t iteration; /**< the current one */
        int64_t  base;      /**< base of the current iteration */
    } loop[OMPI_OSC_UCP_LAYOUT_MAX_DEPTH];
} ompi_osc_ucp_layout_iter_t;

/** One block of `len` bytes at `disp`; len 0 gives the empty layout. Allocates nothing, cannot fail. */
void ompi_osc_ucp_layout_contiguous(ompi_osc_ucp_layout_t *layout, int64_t disp, uint64_t len);

/**
 * Make a layout of `nnodes` nodes (copied). Validates: body sizes that nest, depth, no zero counts,
 * no overflow of size, lb or ub in 64 bits. Simplifies what is free to simplify (a loop of adjacent
 * blocks is one block). Returns false, `*layout` untouched, if the nodes are invalid or memory is short.
 */
bool ompi_osc_ucp_layout_make(const ompi_osc_ucp_layout_node_t *nodes, uint64_t nnodes,
                              ompi_osc_ucp_layout_t *layout);

void ompi_osc_ucp_layout_fini(ompi_osc_ucp_layout_t *layout);

/** The same layout once more, to be freed as well. Allocates nothing. Any thread. */
void ompi_osc_ucp_layout_share(ompi_osc_ucp_layout_t *to, const ompi_osc_ucp_layout_t *from);

/** Hand a layout over: `from` is empty afterwards. Allocates nothing. */
static inline void ompi_osc_ucp_layout_move(ompi_osc_ucp_layout_t *to, ompi_osc_ucp_layout_t *from)
{
    *to = *from;
    if (from->nodes == &from->inline_node) {
        to->nodes = &to->inline_node;
    }
    ompi_osc_ucp_layout_contiguous(from, 0, 0);
}

static inline bool ompi_osc_ucp_layout_is_contiguous(const ompi_osc_ucp_layout_t *layout)
{
    return layout->nnodes <= 1;
}

/* Wire form: the nodes as they are, in host byte order (one architecture per job). */

/** Bytes that ompi_osc_ucp_layout_encode writes. */
uint64_t ompi_osc_ucp_layout_encoded_size(const ompi_osc_ucp_layout_t *layout);
void ompi_osc_ucp_layout_encode(const ompi_osc_ucp_layout_t *layout, void *buffer);

/** Check and take over an encoded layout from a message; `buffer` may be misaligned and hostile. */
bool ompi_osc_ucp_layout_decode(const void *buffer, uint64_t len, ompi_osc_ucp_layout_t *layout);

/**
 * Packed bytes [pos, pos + *len_p) as a layout of its own, of at most `max_nodes` nodes; *len_p is lowered to what
 * they cover, to a multiple of `unit` (which divides pos). For layouts that are too long to travel whole; what is
 * regular stays a loop. The caller frees `piece`. False if memory is short, or not even one unit fits.
 */
bool ompi_osc_ucp_layout_slice(const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t unit,
                               uint64_t max_nodes, uint64_t *len_p, ompi_osc_ucp_layout_t *piece);

/** Stand at packed byte `pos` <= layout->size. Cost: O(nodes), whatever the counts. */
void ompi_osc_ucp_layout_iter_init(ompi_osc_ucp_layout_iter_t *iter, const ompi_osc_ucp_layout_t *layout,
                                   uint64_t pos);

/**
 * Among the siblings [first, last) below the loop `parent`, the one that holds packed position `pos`, counted as if
 * every loop around were in its first iteration. For the layout's own files; not for layouts without marks.
 */
uint64_t ompi_osc_ucp_layout_find(const ompi_osc_ucp_layout_t *layout, uint64_t first, uint64_t last,
                                  uint64_t parent, uint64_t pos);

/** The next run of at most `max` > 0 bytes: false at the end. Runs come in packed order. */
bool ompi_osc_ucp_layout_iter_next(ompi_osc_ucp_layout_iter_t *iter, uint64_t max, int64_t *disp_p,
                                   uint64_t *len_p);

/**
 * How many of the next `max` packed bytes lie at displacements in [first, end), without a break: up to the first that does
 * not. 0 if the next one does not. `iter` stays where it is.
 */
uint64_t ompi_osc_ucp_layout_iter_within(const ompi_osc_ucp_layout_iter_t *iter, int64_t first, int64_t end,
                                         uint64_t max);

/** Gather `len` packed bytes from memory at `base`, advancing `iter`. */
void ompi_osc_ucp_layout_pack(ompi_osc_ucp_layout_iter_t *iter, const void *base, void *packed, uint64_t len);

/** Scatter `len` packed bytes to memory at `base`, advancing `iter`. */
void ompi_osc_ucp_layout_unpack(ompi_osc_ucp_layout_iter_t *iter, void *base, const void *packed, uint64_t len);

/** Copy all of `from` at `from_base` to `to` at `to_base`, in one pass; sizes must be equal. Memory may overlap
 *  only as memmove allows for each pair of runs. */
void ompi_osc_ucp_layout_copy(const ompi_osc_ucp_layout_t *to, void *to_base, const ompi_osc_ucp_layout_t *from,
                              const void *from_base);

/** Do the bytes [disp + lb, disp + ub) lie within a window of `size` bytes? */
static inline bool ompi_osc_ucp_in_range(int64_t size, int64_t disp, int64_t lb, int64_t ub)
{
    int64_t first, end;

    return !__builtin_add_overflow(disp, lb, &first) && !__builtin_add_overflow(disp, ub, &end) && first >= 0 &&
           end <= size;
}

/** The same for one block of `bytes` > 0 at a displacement in units: where it begins, in bytes; negative if not. */
static inline int64_t ompi_osc_ucp_block_at(int64_t disp, int64_t disp_unit, int64_t size, uint64_t bytes)
{
    int64_t at;

    if (__builtin_mul_overflow(disp, disp_unit, &at)) {
        return -1;
    }
    /* As unsigned numbers, negative displacements are larger than any window. */
    return (uint64_t) at <= (uint64_t) size && bytes <= (uint64_t) (size - at) ? at : -1;
}

#endif /* OSC_UCP_LAYOUT_H */
