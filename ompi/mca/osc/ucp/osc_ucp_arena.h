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
#include <string.h>

#include "opal/mca/common/ucp/common_ucp.h"
#include "osc_ucp_op.h"

struct ompi_osc_ucp_description_t;

typedef struct ompi_osc_ucp_chunk_t  ompi_osc_ucp_chunk_t;
typedef struct ompi_osc_ucp_mapped_t ompi_osc_ucp_mapped_t;

typedef struct ompi_osc_ucp_mailbox_t ompi_osc_ucp_mailbox_t;

/** A long copy that an origin shares with the chunk's owner; see path/near_share.h. All zero: there is none. */
typedef struct ompi_osc_ucp_offer_t {
    uint64_t left;    /**< number of the offer, 32 bits, and the units of it that nobody has taken yet, 32 bits */
    uint64_t window;  /**< id */
    uint64_t disp;    /**< bytes from its base */
    uint64_t address; /**< of the other side, in the origin */
    uint64_t bytes;
    uint32_t origin;  /**< rank in the window's group */
    uint32_t put;     /**< 1: a put, 0: a get */
    uint32_t done;    /**< units that the owner has taken and is done with */
    uint16_t failed;  /**< some of them could not be copied */
    uint16_t used;    /**< by an origin */
} ompi_osc_ucp_offer_t;

#define OMPI_OSC_UCP_MAIL_PACKET  184
#define OMPI_OSC_UCP_MAIL_REPLIES 112

/** Bytes of a packet, and of the replies to it, that find room elsewhere (ompi_osc_ucp_mail_more): with these, the longest
 *  put or get that goes into a packet, and its acknowledgement. */
#define OMPI_OSC_UCP_MAIL_MORE 8256

/** A packet that an origin hands to the chunk's owner, and the replies, or how they begin; see path/near_mail.h. All
 *  zero: nobody's. */
typedef struct ompi_osc_ucp_mail_t {
    uint32_t posted;  /**< number of the last packet: by the origin */
    uint32_t len;
    char     packet[OMPI_OSC_UCP_MAIL_PACKET];
    uint32_t taken;   /**< number of the last one that was applied or put aside, and its replies: by the chunk's owner */
    uint32_t replied; /**< bytes */
    char     replies[OMPI_OSC_UCP_MAIL_REPLIES];
    uint64_t used;    /**< by an origin */
} ompi_osc_ucp_mail_t;

_Static_assert(5 * 64 == sizeof(ompi_osc_ucp_mail_t), "three cache lines there, two back");

/** So many origins can hand packets to one process. */
#define OMPI_OSC_UCP_MAILS 8

/** At the beginning of each chunk. */
typedef struct ompi_osc_ucp_chunk_head_t {
    uint64_t              nonce; /**< tells this chunk from another that a process may map by mistake */
    ompi_osc_ucp_offer_t  offer; /**< used in the lasting chunk, as are the mails */
    ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES]; /**< for all memory in the chunk; keys count from the head */
    ompi_osc_ucp_mail_t   mails[OMPI_OSC_UCP_MAILS];
    uint32_t              mails_used; /**< the first so many are, or were, some origin's */
    char                  pad[60];
} ompi_osc_ucp_chunk_head_t;

_Static_assert(64 == offsetof(ompi_osc_ucp_chunk_head_t, stripes), "a cache line of its own");
_Static_assert(0 == offsetof(ompi_osc_ucp_chunk_head_t, mails) % 64, "cache lines of their own");

/** Room behind the head of the lasting chunk that peers map: what a packet has beyond its place, and then the replies. It
 *  is the origin's until the packet is posted, then the chunk owner's until that is taken, then the origin's again. */
static inline char *ompi_osc_ucp_mail_more(ompi_osc_ucp_chunk_head_t *head, uint32_t place)
{
    return (char *) (head + 1) + (size_t) place * OMPI_OSC_UCP_MAIL_MORE;
}

/** Copy a packet, or replies, to where they are left: `here` bytes to the place, what is more to the room. */
static inline void ompi_osc_ucp_mail_spread(char *place, size_t here, char *more, const char *from, size_t len)
{
    memcpy(place, from, len < here ? len : here);
    if (len > here) {
        memcpy(more, from + here, len - here);
    }
}

/** And from there. */
static inline void ompi_osc_ucp_mail_gather(char *to, const char *place, size_t here, const char *more, size_t len)
{
    memcpy(to, place, len < here ? len : here);
    if (len > here) {
        memcpy(to + here, more, len - here);
    }
}

/** Where origins of the node leave offers and packets for this process; NULL: nowhere. Atomic. */
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
void ompi_osc_ucp_block_describe(const ompi_osc_ucp_block_t *block, struct ompi_osc_ucp_description_t *description);

/** Give all memory back. No block may be in use. */
void ompi_osc_ucp_arena_fini(void);

/* Peers' chunks as they are mapped here: a list per process, owned by it (osc_ucp_peer.c). Origin side. */

/**
 * Map the chunk that a description names, or find it among those of the process that are mapped already. NULL if that
 * is not possible. The chunk's head is *head_p.
 */
ompi_osc_ucp_mapped_t *ompi_osc_ucp_chunk_map(ompi_osc_ucp_mapped_t **mapped, opal_common_ucp_ep_t *ep,
                                              const struct ompi_osc_ucp_description_t *description,
                                              ompi_osc_ucp_chunk_head_t **head_p);

/** Where this process's mailbox in the chunk is kept, which goes with the mapping (path/near_mail.h). */
ompi_osc_ucp_mailbox_t **ompi_osc_ucp_chunk_mailbox(ompi_osc_ucp_mapped_t *chunk);

/** One user of the mapping less. */
void ompi_osc_ucp_chunk_unmap(ompi_osc_ucp_mapped_t **mapped, ompi_osc_ucp_mapped_t *chunk);

/** Unmap all. */
void ompi_osc_ucp_chunks_unmap(ompi_osc_ucp_mapped_t **mapped);

#endif /* OSC_UCP_ARENA_H */
