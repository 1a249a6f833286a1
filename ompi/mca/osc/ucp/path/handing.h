/* How an origin hands its operations off: what path/handoff.c, path/handoff_shaped.c and path/stream.c share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PATH_HANDING_H
#define OSC_UCP_PATH_HANDING_H

#include "memory/handoff.h"
#include "peer/peer.h"

/** Claim the target's handoff, if the target polls. False: it must not be used. With several threads another one could
 *  pass the operation while this one waits. */
bool ompi_osc_ucp_handing_claim(ompi_osc_ucp_peer_t *peer);

/** Find the room for records of a handoff that is claimed. Notifications follow them. */
char *ompi_osc_ucp_handing_fill(ompi_osc_ucp_handoff_t *handoff, uint32_t bytes,
                                const ompi_osc_ucp_handoff_raises_t *raises);

/** Write notifications behind records. Returns their bytes. */
uint32_t ompi_osc_ucp_handing_append(char *at, const ompi_osc_ucp_handoff_raises_t *raises);

/** Claim it for one operation, and begin to fill in its record; NULL: as above. */
ompi_osc_ucp_handoff_record_t *ompi_osc_ucp_handing_claim_one(ompi_osc_ucp_peer_t *peer,
                                                              ompi_osc_ucp_handoff_kind_t kind, uint64_t address,
                                                              uint64_t bytes, bool fetches);

/** Where its data are. */
static inline char *ompi_osc_ucp_handing_data(const ompi_osc_ucp_peer_t *peer)
{
    return ompi_osc_ucp_handoff_first_data(peer->handing.handoff);
}

void ompi_osc_ucp_handing_release(ompi_osc_ucp_peer_t *peer);

/** Post the records, without waiting for the target. */
void ompi_osc_ucp_handing_leave(ompi_osc_ucp_peer_t *peer);

/** Wait until the target takes them; the kernel would copy them in so many pieces. True: the target has carried them
 *  out, and the caller must release the handoff. False: they were taken back, and the handoff is released; or the
 *  target has died, and nobody can claim it any more. */
bool ompi_osc_ucp_handing_end(ompi_osc_ucp_peer_t *peer, uint64_t pieces);

/** Both. */
bool ompi_osc_ucp_handing_post(ompi_osc_ucp_peer_t *peer, uint64_t pieces);

/* The steps of that, for chunks. */

/** What became of something that was posted. */
typedef enum ompi_osc_ucp_handed_t {
    OMPI_OSC_UCP_HANDED_DONE, /**< the target has carried it out */
    OMPI_OSC_UCP_HANDED_BACK, /**< it was taken back */
    OMPI_OSC_UCP_HANDED_DEAD  /**< the target has died: the handoff must not be released */
} ompi_osc_ucp_handed_t;

/** Wait until the target takes what was posted in `state`, for so many steps, and until it has carried that out. */
ompi_osc_ucp_handed_t ompi_osc_ucp_handing_await(ompi_osc_ucp_peer_t *peer, uint32_t *state, unsigned patience);

/** How many steps to wait for a target to take what the kernel would copy in so many pieces. */
unsigned ompi_osc_ucp_handing_patience(uint64_t pieces);

/** An operation was taken back: try the next ones less often. */
void ompi_osc_ucp_handing_missed(ompi_osc_ucp_handing_t *handing);

#endif /* OSC_UCP_PATH_HANDING_H */
