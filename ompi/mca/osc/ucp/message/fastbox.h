/* Fastboxes at the origin: packets, and the replies to them, in shared memory of a target on the same node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A packet whose sender waits for a reply goes by fastbox, because a target that polls inside MPI finds it sooner than
 * a message. Content, order and replies are those of any packet. A target that does not take it in time gets a doorbell
 * message. The next packets to that target go by message: the more in a row needed a doorbell, the more of them.
 *
 * Origin side.
 */

#ifndef OSC_UCP_MESSAGE_FASTBOX_H
#define OSC_UCP_MESSAGE_FASTBOX_H

#include "peer/peer.h"

typedef struct ompi_osc_ucp_fastbox_end_t ompi_osc_ucp_fastbox_end_t;

/** This process's fastbox in a mapped chunk. Acquired at the first call, kept in the mapping's `*extra`, and released
 *  with the mapping. NULL if other processes have all fastboxes, or memory is short. */
ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastbox_attach(ompi_osc_ucp_mapped_extra_t **extra,
                                                        ompi_osc_ucp_chunk_head_t *head);

/** Copy a packet, whose sender waits for a reply, to the peer's fastbox. False: it has to be sent as a message. */
bool ompi_osc_ucp_fastbox_post(ompi_osc_ucp_peer_t *peer, const void *packet, size_t len);

/** Will the target of a fastbox (which may be NULL) probably take a packet at once? So it is from when it is seen to
 *  poll until it needs a doorbell. */
bool ompi_osc_ucp_fastbox_answers(ompi_osc_ucp_fastbox_end_t *box);

/** List of the fastboxes with a packet that the target has not taken yet, as far as this process has seen. */
extern ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastboxes_open;

/** The peer is about to be freed. All replies from it have been passed on, but a fastbox may still name it. */
void ompi_osc_ucp_fastboxes_forget(const ompi_osc_ucp_peer_t *peer);

/** Look once which packets are taken, and pass on the replies to them. `ring` rings the doorbell of a peer; false if it
 *  could not. Returns the number of packets that are taken. */
unsigned ompi_osc_ucp_fastboxes_collect(bool (*ring)(ompi_osc_ucp_peer_t *peer));

/** Wait for all fastboxes in the list, but only as long as a target needs that polls (about 5 us). */
void ompi_osc_ucp_fastboxes_await(void);

#endif /* OSC_UCP_MESSAGE_FASTBOX_H */
