/* Messages of the origin side: the start of the transport, and messages that are sent for themselves.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_MESSAGE_H
#define OSC_UCP_MESSAGE_H

#include "peer/peer.h"
#include "opal/mca/common/ucp/common_ucp.h"
#include "wire/wire.h"

/** Start the transport, if it does not run, tell the launcher our address, and have both sides polled. On failure
 *  *reason_p is a malloc'd line. Inside the origin side. */
int ompi_osc_ucp_messages_open(char **reason_p);

/** Stop it; nobody is asked. */
void ompi_osc_ucp_messages_close(void);

/** Send a notification (kinds POST, BARRIER, DOORBELL), out of turn; counted in *awaited until it has left. */
int ompi_osc_ucp_notify(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, int64_t disp, uint32_t *awaited);

/** Have the service side of a peer, maybe this process, look who waits for its lock. Waits until that has left. */
void ompi_osc_ucp_doorbell(ompi_osc_ucp_peer_t *peer);

/** Ask the peer to describe its window memory; waits. */
int ompi_osc_ucp_ask_description(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_description_t *description_p);

/** Replies have arrived: end the parts of pendings that they name, with their data. */
void ompi_osc_ucp_replied(const opal_common_ucp_message_t *message);

#endif /* OSC_UCP_MESSAGE_H */
