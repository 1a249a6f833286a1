/* What the kernel path keeps of a peer's operations: for path/gather.c, which fills it, and path/gather_out.c.
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
    uint32_t                  used;        /**< bytes of `records` */
    uint32_t                  cells_used;  /**< bytes of `cells` */
    uint64_t                  first, end;  /**< addresses of the last cells */
    uint64_t                  highest;     /**< all cells end before */
    uint64_t                  set;         /**< stripes of all cells */
    uint32_t                  version;     /**< of the table in which all target memory was attached; dynamic windows */
    ompi_osc_ucp_peer_t      *peer;
    ompi_osc_ucp_gathered_t  *next;        /**< in the list of those with notifications */
    bool                      listed;
    bool                      leaving;     /**< it is being carried out */
    uint8_t                   notified;    /**< notifications since the last completion or progress, up to POSTS_MAX */
    uint8_t                   expected;    /**< so many were there between the last two of these */
    bool                      posted;      /**< for the target to carry out, with its notifications */
    uint8_t                   looks;       /**< of progress, since it was posted */
    ompi_osc_ucp_handoff_raises_t raises;  /**< notifications: those of one counter in a row are one */
    ompi_osc_ucp_cma_vector_t vector;      /**< from `records`, or the program's buffers; of accumulates: `cells` */
    _Alignas(64) char         records[OMPI_OSC_UCP_HANDOFF_ROOM], cells[OMPI_OSC_UCP_HANDOFF_ROOM];
};

/** Nothing is kept. */
static inline void ompi_osc_ucp_gathered_clear(ompi_osc_ucp_gathered_t *gathered)
{
    ompi_osc_ucp_cma_begin(&gathered->vector);
    gathered->refers = false;
    gathered->used   = gathered->cells_used = gathered->raises.n = 0;
    gathered->end    = gathered->highest = gathered->set = 0;
}

/** Take one that keeps nothing; NULL: memory is short. ompi_osc_ucp_gather_complete may give it back. */
ompi_osc_ucp_gathered_t *ompi_osc_ucp_gathered_take(void);

/** In a dynamic window. */
static inline ompi_osc_ucp_looked_t ompi_osc_ucp_gathered_looked(const ompi_osc_ucp_peer_t *peer)
{
    return (ompi_osc_ucp_looked_t) {
        .attached = peer->attached, .insider = peer->insider, .owner = ompi_osc_ucp_peer_self(peer), .waits = true
    };
}

#endif /* OSC_UCP_GATHERED_H */
