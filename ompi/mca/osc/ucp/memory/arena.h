/* Arenas: where windows' memory and control blocks come from, and how peers of the same node come to map them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A process owns chunks of memory that UCX has put where the processes of the node can map it, if a transport offers
 * that. Small blocks share chunks, which are registered, and mapped by each peer, once; a large block gets a chunk of
 * its own, so that its memory is returned when it is given back and untouched pages stay untouched.
 */

#ifndef OSC_UCP_ARENA_H
#define OSC_UCP_ARENA_H

#include <stddef.h>

#include "memory/description.h"
#include "memory/fastbox_layout.h"
#include "op/op.h"

typedef struct ompi_osc_ucp_chunk_t ompi_osc_ucp_chunk_t;

/** At the beginning of each chunk. */
typedef struct ompi_osc_ucp_chunk_head_t {
    uint64_t              nonce; /**< tells this chunk from another that a process may map by mistake */
    char                  nonce_pad[56];
    ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES]; /**< for all memory in the chunk; keys count from the head */
    ompi_osc_ucp_fastbox_t   fastboxes[OMPI_OSC_UCP_FASTBOXES];
    uint32_t              fastboxes_used; /**< the first so many are, or were, some origin's */
    char                  pad[60];
} ompi_osc_ucp_chunk_head_t;

_Static_assert(64 == offsetof(ompi_osc_ucp_chunk_head_t, stripes), "a cache line of its own");
_Static_assert(0 == offsetof(ompi_osc_ucp_chunk_head_t, fastboxes) % 64, "cache lines of their own");

/** Room for what a packet has beyond its place in the head, and then the replies: behind the head of the lasting chunk that
 *  peers map. It is the origin's until the packet is posted, then the chunk owner's until that is taken. */
static inline char *ompi_osc_ucp_fastbox_more(ompi_osc_ucp_chunk_head_t *head, uint32_t place)
{
    return (char *) (head + 1) + (size_t) place * OMPI_OSC_UCP_FASTBOX_MORE;
}

/** Where origins of the node leave packets for this process; NULL: nowhere. Atomic. */
extern ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_lasting_head;

/** A number that nobody has or can guess: 64 random bits of the kernel. */
uint64_t ompi_osc_ucp_nonce(void);

/** A piece of a chunk. */
typedef struct ompi_osc_ucp_block_t {
    ompi_osc_ucp_chunk_t *chunk;  /**< NULL: no block */
    uint64_t              offset; /**< from the chunk's head */
    uint64_t              bytes;
} ompi_osc_ucp_block_t;

/**
 * Take `bytes` of memory whose address is `skew` bytes before a multiple of `alignment`, a power of 2; `skew` is a
 * multiple of 64. The block itself begins at a multiple of 64.
 * @param peers  other processes shall be able to map it; needs an open transport.
 */
int  ompi_osc_ucp_arena_take(size_t bytes, size_t alignment, size_t skew, bool peers, ompi_osc_ucp_block_t *block_p);
void ompi_osc_ucp_arena_give(ompi_osc_ucp_block_t *block);

ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_block_head(const ompi_osc_ucp_block_t *block);
static inline void *ompi_osc_ucp_block_address(const ompi_osc_ucp_block_t *block)
{
    return (char *) ompi_osc_ucp_block_head(block) + block->offset;
}

/** Why peers cannot reach the block but by messages, although they should; NULL if they can. Lives with the block. */
const char *ompi_osc_ucp_block_unreachable(const ompi_osc_ucp_block_t *block);

/** Fill in what a peer needs to map the block; nothing if it cannot be mapped. */
void ompi_osc_ucp_block_describe(const ompi_osc_ucp_block_t *block, ompi_osc_ucp_description_t *description);

/** Give all memory back. No block may be in use. */
void ompi_osc_ucp_arena_fini(void);

#endif /* OSC_UCP_ARENA_H */
