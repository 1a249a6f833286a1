/* What the kernel path keeps of a peer's operations: for path/gather.c, which fills it, path/gather_out.c, and
 * path/gather_copy.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_GATHERED_H
#define OSC_UCP_GATHERED_H

#include "memory/attached.h"
#include "memory/cma.h"
#include "memory/handoff.h"
#include "peer/peer.h"

typedef struct ompi_osc_ucp_gathered_t ompi_osc_ucp_gathered_t;

struct ompi_osc_ucp_gathered_t {
    ompi_osc_ucp_handoff_kind_t kind;      /**< of all: put, get or accumulate */
    bool                      refers;      /**< some are not among the records, but only in the vector */
    uint8_t                   op, prim;    /**< of accumulates if `refers`: all have the same */
    uint32_t                  used;        /**< bytes of `records` */
    uint64_t                  bytes;       /**< of data */
    uint64_t                  pieces;      /**< of the target's memory that do not follow one another */
    uint64_t                  first, end;  /**< addresses of the first piece, and behind the last one */
    uint64_t                  version;     /**< of the table in which all target memory was attached; dynamic windows */
    ompi_osc_ucp_found_t      found;       /**< the region that was found last; the table may have changed since */
    ompi_osc_ucp_peer_t      *peer;
    ompi_osc_ucp_gathered_t  *next;        /**< in the list of those with notifications */
    bool                      listed;
    bool                      leaving;     /**< it is being carried out */
    uint8_t                   notified;    /**< notifications since the last completion or progress, up to POSTS_MAX */
    uint8_t                   expected;    /**< so many were there between the last two of these */
    bool                      posted;      /**< for the target to carry out, with its notifications */
    uint8_t                   looks;       /**< of progress, since it was posted */
    ompi_osc_ucp_handoff_raises_t raises;  /**< notifications: those of one counter in a row are one */
    ompi_osc_ucp_cma_vector_t vector;      /**< all, if `refers`; the kernel's copies are made of it */
    _Alignas(64) char         records[OMPI_OSC_UCP_HANDOFF_ROOM], cells[OMPI_OSC_UCP_HANDOFF_ROOM];
};

/** Nothing is kept. */
static inline void ompi_osc_ucp_gathered_clear(ompi_osc_ucp_gathered_t *gathered)
{
    gathered->refers = false;
    gathered->used   = gathered->raises.n = 0;
    gathered->bytes  = gathered->pieces = gathered->end = 0;
}

/** Take one that keeps nothing; NULL: memory is short. ompi_osc_ucp_gather_complete may give it back. */
ompi_osc_ucp_gathered_t *ompi_osc_ucp_gathered_take(void);

/** The record behind that one, and what is behind the last one. */
static inline ompi_osc_ucp_handoff_record_t *ompi_osc_ucp_gathered_next(ompi_osc_ucp_handoff_record_t *record)
{
    return (ompi_osc_ucp_handoff_record_t *) ((char *) record + ompi_osc_ucp_handoff_takes(record->bytes, false));
}

static inline ompi_osc_ucp_handoff_record_t *ompi_osc_ucp_gathered_end(ompi_osc_ucp_gathered_t *gathered)
{
    return (ompi_osc_ucp_handoff_record_t *) (gathered->records + gathered->used);
}

/** Put all that is kept into its vector, where operations that are not among the records can follow. False: there are
 *  too many. */
bool ompi_osc_ucp_gathered_refer(ompi_osc_ucp_gathered_t *gathered);

/** Have the kernel copy all, accumulates in order. False: not all of it was done. */
bool ompi_osc_ucp_gathered_copy(const ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_gathered_t *gathered);

/** In a dynamic window. */
static inline ompi_osc_ucp_looked_t ompi_osc_ucp_gathered_looked(const ompi_osc_ucp_peer_t *peer)
{
    return (ompi_osc_ucp_looked_t) {
        .attached = peer->attached, .insider = peer->insider, .owner = ompi_osc_ucp_peer_self(peer), .waits = true
    };
}

#endif /* OSC_UCP_GATHERED_H */
