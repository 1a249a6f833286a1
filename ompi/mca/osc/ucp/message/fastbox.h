/* Fastboxes: packets that an origin hands to a target of its node in shared memory, and the replies to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A packet whose sender waits for the answer needs no transport if the target polls inside MPI: it lies in the target's
 * memory, and so do the replies then. What it says, in which turn it is applied, and what is replied are those of any
 * packet. A target that does not come gets a doorbell message. The next packets to it go by message, the more of them the
 * more often that was so.
 *
 * All of it belongs to the origin side.
 */

#ifndef OSC_UCP_MESSAGE_FASTBOX_H
#define OSC_UCP_MESSAGE_FASTBOX_H

#include "peer/peer.h"

typedef struct ompi_osc_ucp_fastbox_end_t ompi_osc_ucp_fastbox_end_t;

/** This process's fastbox in a mapped chunk, made if need be. Kept in `*extra` of the mapping, and freed with it. NULL: all
 *  are others'. */
ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastbox_attach(ompi_osc_ucp_mapped_extra_t **extra,
                                                        ompi_osc_ucp_chunk_head_t *head);

/** Hand over a packet, which is copied; its sender waits for a reply. False: not that way. */
bool ompi_osc_ucp_fastbox_post(ompi_osc_ucp_peer_t *peer, const void *packet, size_t len);

/** Those whose packets have not been seen to be taken. */
extern ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastboxes_open;

/** The peer is freed: all replies are here, and perhaps nobody has looked at the fastbox that brought them. */
void ompi_osc_ucp_fastboxes_forget(const ompi_osc_ucp_peer_t *peer);

/** Look whether packets are taken, and pass on the replies to them. `ring` rings a peer's doorbell, if it can. Returns the
 *  number of those that are taken. */
unsigned ompi_osc_ucp_fastboxes_collect(bool (*ring)(ompi_osc_ucp_peer_t *peer));

/** Wait for all of them, for the time that a target needs which polls. */
void ompi_osc_ucp_fastboxes_await(void);

#endif /* OSC_UCP_MESSAGE_FASTBOX_H */
