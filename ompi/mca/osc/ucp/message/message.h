/* The origin side of messages as a whole, notices, and incoming replies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_MESSAGE_H
#define OSC_UCP_MESSAGE_H

#include "peer/peer.h"
#include "opal/mca/common/ucp/common_ucp.h"
#include "wire/wire.h"

/** Start the transport, unless it runs; publish this process's address; register both sides as sources of progress. On
 *  failure *reason_p may be a malloc'd line that says why. Inside the origin side. */
int ompi_osc_ucp_messages_open(char **reason_p);

/** Stop the transport. Local: does not wait for peers. */
void ompi_osc_ucp_messages_close(void);

/** Send a notice (kinds POST, BARRIER, DOORBELL), which is not ordered. *awaited counts it until it has left. */
int ompi_osc_ucp_notify(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, int64_t disp, uint32_t *awaited);

/** Make the service side of a peer, maybe this process itself, look at its lock queue. Waits until the message has
 *  left. */
void ompi_osc_ucp_doorbell(ompi_osc_ucp_peer_t *peer);

/** Send a command whose reply has `bytes` bytes, which will be at `result`. `ended` gets a pending with `arg` and the
 *  outcome in its status, maybe before this returns. False, and nothing is called: memory is short. */
bool ompi_osc_ucp_query(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_wire_command_t *wire, void *result, size_t bytes,
                        void (*ended)(ompi_osc_ucp_pending_t *pending), void *arg);

/** Ask the peer to describe its window memory. The answer will be in peer->answer, which the caller frees when it is
 *  done. Fails if memory is short; other failures are in the answer. */
int ompi_osc_ucp_ask_description(ompi_osc_ucp_peer_t *peer);

/** Replies have arrived on the origin worker, or by fastbox: unpack their data, and end the parts that they name. */
void ompi_osc_ucp_replied(const opal_common_ucp_message_t *message);

#endif /* OSC_UCP_MESSAGE_H */
