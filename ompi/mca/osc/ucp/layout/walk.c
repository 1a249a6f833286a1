/* Layouts: iterators, packing, unpacking and copying.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Displacements are added as unsigned numbers. layout_make has checked that the sum over all levels of nesting does not
 * overflow; a partial sum may.
 */

#include "layout/layout.h"

#include <string.h>

typedef ompi_osc_ucp_layout_node_t node_t;
typedef ompi_osc_ucp_layout_iter_t iter_t;

static inline int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t) ((uint64_t) a + (uint64_t) b);
}

/** The distance of `k` iterations. */
static inline int64_t wrap_steps(int64_t stride, uint64_t k)
{
    return (int64_t) ((uint64_t) stride * k);
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/** Memory at a displacement. On integers, since `base` may be NULL (MPI_BOTTOM). */
static inline char *at(const void *base, int64_t disp)
{
    return (char *) ((uintptr_t) base + (uintptr_t) disp);
}

uint64_t ompi_osc_ucp_layout_find(const ompi_osc_ucp_layout_t *layout, uint64_t first, uint64_t last,
                                  uint64_t parent, uint64_t pos)
{
    const ompi_osc_ucp_layout_mark_t *marks = layout->marks;

    while (last - first > 1) {
        uint64_t middle = first + (last - first) / 2;

        if (marks[middle].start <= pos) {
            first = middle;
        } else {
            last = middle;
        }
    }
    while (marks[first].parent != parent) {
        first = marks[first].parent;
    }
    return first;
}

static inline int64_t iter_base(const iter_t *iter)
{
    return 0 == iter->depth ? 0 : iter->loop[iter->depth - 1].base;
}

/** Enter a loop, at an iteration. */
static inline void iter_enter(iter_t *iter, uint64_t node, uint64_t iteration)
{
    const node_t *loop = &iter->layout->nodes[node];
    int64_t       base = wrap_add(iter_base(iter), wrap_add(loop->disp, wrap_steps(loop->stride, iteration)));

    iter->loop[iter->depth].node = node;
    iter->loop[iter->depth].iteration = iteration;
    iter->loop[iter->depth].base = base;
    iter->depth++;
}

void ompi_osc_ucp_layout_iter_init(ompi_osc_ucp_layout_iter_t *iter, const ompi_osc_ucp_layout_t *layout,
                                   uint64_t pos)
{
    uint64_t first = 0, last = layout->nnodes, parent = OMPI_OSC_UCP_LAYOUT_NO_NODE;

    iter->layout = layout;
    iter->pos = pos;
    iter->in_block = pos;
    iter->node = 0;
    iter->depth = 0;
    if (pos >= layout->size || ompi_osc_ucp_layout_is_contiguous(layout)) {
        return;
    }
    /* Marks are positions in first iterations: subtract the iterations before `pos` at each level. */
    while (true) {
        uint64_t node = ompi_osc_ucp_layout_find(layout, first, last, parent, pos);
        uint64_t into = pos - layout->marks[node].start, body = layout->marks[node].body;

        if (0 == layout->nodes[node].items) {
            iter->node = node;
            iter->in_block = into;
            return;
        }
        iter_enter(iter, node, into / body);
        pos -= into - into % body;
        parent = node;
        first = node + 1;
        last = first + layout->nodes[node].items;
    }
}

/** Go from the end of a block to the beginning of the next one. */
static void iter_next_block(iter_t *iter)
{
    const node_t *nodes = iter->layout->nodes;

    iter->node++;
    iter->in_block = 0;
    while (0 < iter->depth) {
        uint64_t      loop_at = iter->loop[iter->depth - 1].node;
        const node_t *loop = &nodes[loop_at];

        if (iter->node != loop_at + 1 + loop->items) {
            break;
        }
        if (++iter->loop[iter->depth - 1].iteration < loop->count) {
            iter->loop[iter->depth - 1].base = wrap_add(iter->loop[iter->depth - 1].base, loop->stride);
            iter->node = loop_at + 1;
            break;
        }
        iter->depth--;
    }
    while (iter->node < iter->layout->nnodes && 0 < nodes[iter->node].items) {
        iter_enter(iter, iter->node, 0);
        iter->node++;
    }
}

static inline void iter_advance(iter_t *iter, uint64_t len)
{
    iter->pos += len;
    iter->in_block += len;
    if (iter->in_block == iter->layout->nodes[iter->node].count) {
        iter_next_block(iter);
    }
}

static inline int64_t iter_disp(const iter_t *iter)
{
    return wrap_add(wrap_add(iter_base(iter), iter->layout->nodes[iter->node].disp), (int64_t) iter->in_block);
}

/** The nodes of the same list from the iterator's position on, and their base. None inside of a block. */
static inline const node_t *iter_list(const iter_t *iter, uint64_t *n_p, int64_t *base_p)
{
    const node_t *nodes = iter->layout->nodes;
    uint64_t      end   = iter->layout->nnodes, at_loop;

    if (0 < iter->depth) {
        at_loop = iter->loop[iter->depth - 1].node;
        end     = at_loop + 1 + nodes[at_loop].items;
    }
    *base_p = iter_base(iter);
    *n_p    = 0 != iter->in_block || iter->pos >= iter->layout->size ? 0 : end - iter->node;
    return &nodes[iter->node];
}

/** Pass over the first `n` > 0 blocks of a list. */
static inline void iter_pass_list(iter_t *iter, uint64_t n, uint64_t bytes)
{
    const uint64_t last = iter->layout->nodes[iter->node + n - 1].count;

    iter->node += n - 1;
    iter->pos  += bytes - last;
    iter_advance(iter, last);
}

const node_t *ompi_osc_ucp_layout_iter_list(const iter_t *iter, uint64_t *n_p, int64_t *base_p)
{
    return iter_list(iter, n_p, base_p);
}

void ompi_osc_ucp_layout_iter_pass(iter_t *iter, uint64_t n, uint64_t bytes)
{
    iter_pass_list(iter, n, bytes);
}

bool ompi_osc_ucp_layout_iter_next(ompi_osc_ucp_layout_iter_t *iter, uint64_t max, int64_t *disp_p,
                                   uint64_t *len_p)
{
    if (iter->pos >= iter->layout->size) {
        return false;
    }
    *disp_p = iter_disp(iter);
    *len_p = min_u64(iter->layout->nodes[iter->node].count - iter->in_block, max);
    iter_advance(iter, *len_p);
    return true;
}

/* ---- Copying ---- */

/** The rest of an innermost loop over one block: equal blocks at a constant distance. */
typedef struct comb_t {
    int64_t  disp;
    int64_t  stride;
    uint64_t bytes; /**< of a block */
    uint64_t n;     /**< whole blocks; 0 if the iterator is not at the beginning of such a block */
} comb_t;

/** The comb where the iterator is, of at most `max` bytes. */
static comb_t iter_comb(const iter_t *iter, uint64_t max)
{
    const node_t *nodes = iter->layout->nodes, *loop;
    comb_t        comb = {.n = 0};

    if (0 == iter->depth || 0 != iter->in_block || iter->pos >= iter->layout->size) {
        return comb;
    }
    loop = &nodes[iter->loop[iter->depth - 1].node];
    if (1 == loop->items) {
        comb.disp = iter_disp(iter);
        comb.stride = loop->stride;
        comb.bytes = loop[1].count;
        comb.n = min_u64(loop->count - iter->loop[iter->depth - 1].iteration, max / comb.bytes);
    }
    return comb;
}

/** Pass over the first `n` > 0 blocks of a comb. */
static void iter_pass(iter_t *iter, const comb_t *comb, uint64_t n)
{
    int64_t passed = wrap_steps(comb->stride, n - 1);

    iter->loop[iter->depth - 1].iteration += n - 1;
    iter->loop[iter->depth - 1].base = wrap_add(iter->loop[iter->depth - 1].base, passed);
    iter->pos += (n - 1) * comb->bytes;
    iter_advance(iter, comb->bytes);
}

uint64_t ompi_osc_ucp_layout_iter_within(const ompi_osc_ucp_layout_iter_t *iter, int64_t first, int64_t end,
                                         uint64_t max)
{
    iter_t   walk = *iter;
    uint64_t within = 0, n, run;
    int64_t  disp;
    comb_t   comb;

    while (within < max && walk.pos < walk.layout->size) {
        comb = iter_comb(&walk, max - within);
        disp = iter_disp(&walk);
        if (disp < first || disp >= end) {
            break;
        }
        run = min_u64(walk.layout->nodes[walk.node].count - walk.in_block, max - within);
        if ((uint64_t) (end - disp) < run) {
            return within + (uint64_t) (end - disp);
        }
        if (0 == comb.n) {
            iter_advance(&walk, run);
            within += run;
            first = disp + (int64_t) run;
            continue;
        }
        /* If the blocks do not overlap and rise, all that end before `end`; else one block. */
        n = comb.stride < (int64_t) comb.bytes
                ? 1 : ((uint64_t) (end - disp) - comb.bytes) / (uint64_t) comb.stride + 1;
        n = min_u64(n, comb.n);
        iter_pass(&walk, &comb, n);
        within += n * comb.bytes;
        first = disp + (int64_t) (n - 1) * comb.stride + (int64_t) comb.bytes;
    }
    return within;
}

/** Copy `n` > 0 blocks. Always inline: `bytes` may be a constant. */
static inline __attribute__((always_inline)) void copy_blocks_of(size_t bytes, char *to, int64_t to_stride,
                                                                 const char *from, int64_t from_stride, uint64_t n)
{
    while (true) {
        memmove(to, from, bytes);
        if (0 == --n) {
            return;
        }
        to = at(to, to_stride);
        from = at(from, from_stride);
    }
}

/** Copy `n` > 0 blocks. For the sizes of basic types memmove is inline. */
static void copy_blocks(size_t bytes, char *to, int64_t to_stride, const char *from, int64_t from_stride, uint64_t n)
{
    switch (bytes) {
    case 2:
        copy_blocks_of(2, to, to_stride, from, from_stride, n);
        break;
    case 4:
        copy_blocks_of(4, to, to_stride, from, from_stride, n);
        break;
    case 8:
        copy_blocks_of(8, to, to_stride, from, from_stride, n);
        break;
    case 16:
        copy_blocks_of(16, to, to_stride, from, from_stride, n);
        break;
    default:
        copy_blocks_of(bytes, to, to_stride, from, from_stride, n);
        break;
    }
}

/** Copy one block of a list. For a few elements memmove is inline, also for what layout/block.h says. */
static inline void copy_block(char *to, const char *from, uint64_t bytes)
{
    switch (bytes) {
    case 2:
        memmove(to, from, 2);
        break;
    case 4:
        memmove(to, from, 4);
        break;
    case 8:
        memmove(to, from, 8);
        break;
    case 16:
        memmove(to, from, 16);
        break;
    case 24:
        memmove(to, from, 24);
        break;
    case 32:
        memmove(to, from, 32);
        break;
    default:
        memmove(to, from, bytes);
        break;
    }
}

/** How the memory on one side of a copy is laid out: as the layout says, or packed. */
typedef enum order_t { SPREAD, PACKED } order_t;

/** Memory of a block: at its displacement, or at the next packed byte. */
static inline char *block_in(order_t order, const void *memory, int64_t disp)
{
    return SPREAD == order ? at(memory, disp) : (char *) memory;
}

/** Copy the rest of an innermost loop over two blocks, such as the pairs of MPI_SHORT_INT, as far as whole iterations
 *  fit into `max` bytes, and pass over it. Returns the bytes copied; 0 if the iterator is not at the beginning of such
 *  an iteration, or none fits. */
static inline __attribute__((always_inline)) uint64_t copy_twins(iter_t *iter, order_t to_order, char *to,
                                                                 order_t from_order, const char *from, uint64_t max)
{
    const node_t *nodes = iter->layout->nodes, *loop;
    uint64_t      at_loop, first, second, n, i;
    int64_t       disp, step, next;

    if (0 == iter->depth || 0 != iter->in_block || iter->pos >= iter->layout->size) {
        return 0;
    }
    at_loop = iter->loop[iter->depth - 1].node;
    loop    = &nodes[at_loop];
    if (2 != loop->items || iter->node != at_loop + 1 || 0 != loop[1].items) {
        return 0;
    }
    first  = loop[1].count;
    second = loop[2].count;
    n      = min_u64(loop->count - iter->loop[iter->depth - 1].iteration, max / (first + second));
    disp   = iter_disp(iter);
    step   = wrap_add(loop[2].disp, wrap_steps(loop[1].disp, UINT64_MAX));
    for (i = 0; i < n; i++) {
        copy_block(block_in(to_order, to, disp), block_in(from_order, from, disp), first);
        to   += PACKED == to_order ? first : 0;
        from += PACKED == from_order ? first : 0;
        next  = wrap_add(disp, step);
        copy_block(block_in(to_order, to, next), block_in(from_order, from, next), second);
        to   += PACKED == to_order ? second : 0;
        from += PACKED == from_order ? second : 0;
        disp  = wrap_add(disp, loop->stride);
    }
    if (n > 0) {
        iter->loop[iter->depth - 1].iteration += n - 1;
        iter->loop[iter->depth - 1].base = wrap_add(iter->loop[iter->depth - 1].base, wrap_steps(loop->stride, n - 1));
        iter->node++;
        iter->pos += n * (first + second) - second;
        iter_advance(iter, second);
    }
    return n * (first + second);
}

/** Copy sibling blocks from the iterator's position on, while they fit into `max` bytes, and pass over them. Returns
 *  the bytes copied; 0 if the iterator is inside of a block, or the block does not fit. */
static inline __attribute__((always_inline)) uint64_t copy_list(iter_t *iter, order_t to_order, char *to,
                                                                order_t from_order, const char *from, uint64_t max)
{
    uint64_t      done = 0, i, n;
    int64_t       base, disp;
    const node_t *block = iter_list(iter, &n, &base);

    for (i = 0; i < n && 0 == block[i].items && block[i].count <= max - done; i++) {
        disp = wrap_add(base, block[i].disp);
        copy_block(SPREAD == to_order ? at(to, disp) : to + done, SPREAD == from_order ? at(from, disp) : from + done,
                   block[i].count);
        done += block[i].count;
    }
    if (0 < i) {
        iter_pass_list(iter, i, done);
    }
    return done;
}

/** Copy the next `len` bytes of the packed stream. Always inline: the orders are constants in each copy. */
static inline __attribute__((always_inline)) void copy_stream(iter_t *iter, order_t to_order, char *to,
                                                              order_t from_order, const char *from, uint64_t len)
{
    uint64_t run;
    int64_t  disp;

    while (0 < len) {
        comb_t comb = iter_comb(iter, len);

        if (0 < comb.n) {
            run = comb.n * comb.bytes;
            copy_blocks(comb.bytes, block_in(to_order, to, comb.disp),
                        SPREAD == to_order ? comb.stride : (int64_t) comb.bytes, block_in(from_order, from, comb.disp),
                        SPREAD == from_order ? comb.stride : (int64_t) comb.bytes, comb.n);
            iter_pass(iter, &comb, comb.n);
        } else if (0 == (run = copy_twins(iter, to_order, to, from_order, from, len)) &&
                   0 == (run = copy_list(iter, to_order, to, from_order, from, len))) {
            if (!ompi_osc_ucp_layout_iter_next(iter, len, &disp, &run)) {
                return;
            }
            copy_block(block_in(to_order, to, disp), block_in(from_order, from, disp), run);
        }
        to   += PACKED == to_order ? run : 0;
        from += PACKED == from_order ? run : 0;
        len  -= run;
    }
}

void ompi_osc_ucp_layout_pack(ompi_osc_ucp_layout_iter_t *iter, const void *base, void *packed, uint64_t len)
{
    copy_stream(iter, PACKED, packed, SPREAD, base, len);
}

void ompi_osc_ucp_layout_unpack(ompi_osc_ucp_layout_iter_t *iter, void *base, const void *packed, uint64_t len)
{
    copy_stream(iter, SPREAD, base, PACKED, packed, len);
}

/** Copy between two buffers of the same layout. */
static void copy_alike(const ompi_osc_ucp_layout_t *layout, void *to_base, const void *from_base)
{
    const node_t *nodes = layout->nodes;
    iter_t        iter;
    int64_t       disp;

    if (2 == layout->nnodes && 1 == nodes[0].items) { /* a vector */
        disp = wrap_add(nodes[0].disp, nodes[1].disp);
        copy_blocks(nodes[1].count, at(to_base, disp), nodes[0].stride, at(from_base, disp), nodes[0].stride,
                    nodes[0].count);
        return;
    }
    ompi_osc_ucp_layout_iter_init(&iter, layout, 0);
    copy_stream(&iter, SPREAD, to_base, SPREAD, from_base, layout->size);
}

/** If both iterators are at combs of equal blocks, copy as many blocks as the shorter comb has. */
static bool copy_combs(iter_t *to, void *to_base, iter_t *from, const void *from_base)
{
    comb_t   target = iter_comb(to, UINT64_MAX), source = iter_comb(from, UINT64_MAX);
    uint64_t n = min_u64(target.n, source.n);

    if (0 == n || target.bytes != source.bytes) {
        return false;
    }
    copy_blocks(source.bytes, at(to_base, target.disp), target.stride, at(from_base, source.disp), source.stride, n);
    iter_pass(to, &target, n);
    iter_pass(from, &source, n);
    return true;
}

void ompi_osc_ucp_layout_copy(const ompi_osc_ucp_layout_t *to, void *to_base, const ompi_osc_ucp_layout_t *from,
                              const void *from_base)
{
    iter_t target, source;

    if (to->nodes == from->nodes) {
        copy_alike(to, to_base, from_base);
        return;
    }
    ompi_osc_ucp_layout_iter_init(&target, to, 0);
    ompi_osc_ucp_layout_iter_init(&source, from, 0);
    if (ompi_osc_ucp_layout_is_contiguous(to)) {
        ompi_osc_ucp_layout_pack(&source, from_base, at(to_base, to->lb), to->size);
        return;
    }
    if (ompi_osc_ucp_layout_is_contiguous(from)) {
        ompi_osc_ucp_layout_unpack(&target, to_base, at(from_base, from->lb), from->size);
        return;
    }
    while (target.pos < to->size && source.pos < from->size) {
        if (!copy_combs(&target, to_base, &source, from_base)) {
            uint64_t run = min_u64(to->nodes[target.node].count - target.in_block,
                                   from->nodes[source.node].count - source.in_block);

            copy_block(at(to_base, iter_disp(&target)), at(from_base, iter_disp(&source)), run);
            iter_advance(&target, run);
            iter_advance(&source, run);
        }
    }
}
