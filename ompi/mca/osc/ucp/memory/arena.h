/* The arena: control blocks and memory of windows, as blocks of chunks that peers of the same node can map.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * UCX allocates the chunks where other processes of the node can map them, if a transport offers that. Small blocks
 * share chunks, and large ones others, so that UCX registers a chunk once and each peer maps it once, and the system's
 * segments last for many. A very large block has a chunk of its own. The pages of a freed large block return to the
 * system, unless a network may have pinned them: then with the last block of the chunk. Any thread may call these
 * functions.
 */

#ifndef OSC_UCP_ARENA_H
#define OSC_UCP_ARENA_H

#include <stdbool.h>
#include <stddef.h>

#include "memory/description.h"
#include "memory/fastbox_layout.h"
#include "op/stripes.h"

typedef struct ompi_osc_ucp_chunk_t ompi_osc_ucp_chunk_t;

/** The head of a chunk, in shared memory. Initially zero except for the nonce. */
typedef struct ompi_osc_ucp_chunk_head_t {
    uint64_t               nonce; /**< random: shows that a peer has mapped the right chunk */
    char                   nonce_pad[56];
    ompi_osc_ucp_stripe_t  stripes[OMPI_OSC_UCP_STRIPES]; /**< for all memory in the chunk; keys count from the head */
    ompi_osc_ucp_fastbox_t fastboxes[OMPI_OSC_UCP_FASTBOXES];
    uint32_t               fastboxes_used; /**< only the first so many were ever used; atomic */
    char                   pad[60];
    uint32_t               polls; /**< of the owner's program: they rise while it waits in MPI; atomic */
    char                   polls_pad[60];
} ompi_osc_ucp_chunk_head_t;

_Static_assert(64 == offsetof(ompi_osc_ucp_chunk_head_t, stripes), "a cache line of its own");
_Static_assert(0 == offsetof(ompi_osc_ucp_chunk_head_t, fastboxes) % 64, "cache lines of their own");

/** Overflow area of a fastbox, behind the head of the lasting chunk: for the end of a packet that does not fit into the
 *  fastbox, then for the end of the replies. The origin writes it before it posts the packet, the target before it
 *  marks the packet as taken. */
static inline char *ompi_osc_ucp_fastbox_more(ompi_osc_ucp_chunk_head_t *head, uint32_t index)
{
    return (char *) (head + 1) + (size_t) index * OMPI_OSC_UCP_FASTBOX_MORE;
}

/** Head of the lasting chunk, with the fastboxes for origins of this node; NULL: peers cannot map one. Atomic. */
extern ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_lasting_head;

/** 64 random bits from the kernel; false: it gives none. */
bool ompi_osc_ucp_random(uint64_t *bits_p);

/** The same for what only has to differ: never fails. */
uint64_t ompi_osc_ucp_nonce(void);

/** A block: a piece of a chunk. */
typedef struct ompi_osc_ucp_block_t {
    ompi_osc_ucp_chunk_t *chunk;  /**< NULL: no block */
    uint64_t              offset; /**< from the chunk's head */
    uint64_t              bytes;
} ompi_osc_ucp_block_t;

/**
 * Allocate a block of `bytes`, at an address that is `skew` bytes before a multiple of `alignment` (a power of 2).
 * `skew` is a multiple of 64, and so is the block's address. OPAL_ERR_OUT_OF_RESOURCE if memory is short.
 * @param peers  other processes must be able to map the block, if possible; needs an open transport.
 */
int ompi_osc_ucp_arena_take(size_t bytes, size_t alignment, size_t skew, bool peers, ompi_osc_ucp_block_t *block_p);

/** Allocate `bytes` of the same chunk as `block`, far from the blocks that are used: memory that many windows never
 *  touch shares no pages with what they do. False if the chunk has no room. */
bool ompi_osc_ucp_arena_take_far(const ompi_osc_ucp_block_t *block, size_t bytes, ompi_osc_ucp_block_t *far_p);

/** Free a block; nothing if it is none. */
void ompi_osc_ucp_arena_give(ompi_osc_ucp_block_t *block);

/** Head of the block's chunk, and the block's address. There must be a block. */
ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_block_head(const ompi_osc_ucp_block_t *block);
static inline void *ompi_osc_ucp_block_address(const ompi_osc_ucp_block_t *block)
{
    return (char *) ompi_osc_ucp_block_head(block) + block->offset;
}

/** UCX's reason if it could not allocate the block's chunk, so that peers reach it by messages only; else NULL. Valid
 *  as long as the block. */
const char *ompi_osc_ucp_block_unreachable(const ompi_osc_ucp_block_t *block);

/** Fill in what a peer needs to map the block. Writes nothing if it cannot be mapped. */
void ompi_osc_ucp_block_describe(const ompi_osc_ucp_block_t *block, ompi_osc_ucp_description_t *description);

/** Free all chunks. No block may be in use. One thread only. */
void ompi_osc_ucp_arena_fini(void);

#endif /* OSC_UCP_ARENA_H */
