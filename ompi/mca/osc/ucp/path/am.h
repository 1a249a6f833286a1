/* Starting the am path, and messages that other rooms send through it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_AM_H
#define OSC_UCP_AM_H

#include "../osc_ucp_peer.h"
#include "am_wire.h"

/** Start the transport and its service thread, if they do not run. On failure *reason_p is a malloc'd line. */
int ompi_osc_ucp_am_open(char **reason_p);

/** Stop it. */
void ompi_osc_ucp_am_close(void);

/** Send a notification (kinds POST, BARRIER), out of turn; counted in *awaited until it has left. */
int ompi_osc_ucp_am_notify(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, int64_t disp, uint32_t *awaited);

/** Append a command that fetches wire->len bytes, and has `len` bytes of data: what the path does with short blocks.
 *  `wire` needs no flags. */
int ompi_osc_ucp_am_fetch_block(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_wire_command_t *wire, const void *data,
                                size_t len, void *result);

/** Ask the peer to describe its window memory; waits. */
int ompi_osc_ucp_am_describe(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_description_t *description_p);

/** What the transport calls when replies arrive (origin side), and when requests do (service side). */
void ompi_osc_ucp_am_replied(const opal_common_ucp_message_t *message);
void ompi_osc_ucp_am_requested(const opal_common_ucp_message_t *message);

/** A packet has come by mail (near_mail.h). Replies that are there at once go to `mail` and its room `more`, if they fit,
 *  and their length there, or 0. Returns what ompi_osc_ucp_target_run is still to be called with, or NULL. Inside the
 *  service lock. */
ompi_osc_ucp_target_t *ompi_osc_ucp_am_mailed(const char *bytes, size_t len, ompi_osc_ucp_mail_t *mail, char *more);

#endif /* OSC_UCP_AM_H */
