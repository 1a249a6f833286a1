/* Which path a peer gets.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All functions run inside the origin side.
 */

#ifndef OSC_UCP_REACH_H
#define OSC_UCP_REACH_H

#include "path/path.h"
#include "peer/peer.h"

/** ompi_osc_ucp_peer for a peer that was not found recently. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_reach_peer(ompi_osc_ucp_window_t *window, int rank);

/** The peer of that rank, added if need be. Its path may be provisional. NULL if memory is short. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_peer(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, rank);

    return OPAL_LIKELY(NULL != peer) ? peer : ompi_osc_ucp_reach_peer(window, rank);
}

/** Ask the peer for its description, and give it its final path. Waits. Fails with OMPI_ERR_OUT_OF_RESOURCE, or why the
 *  peer cannot be reached. */
int ompi_osc_ucp_reach_ask(ompi_osc_ucp_peer_t *peer);

/** The same, unless it was done before. On success size, displacement unit and path are final. */
static inline int ompi_osc_ucp_reach(ompi_osc_ucp_peer_t *peer)
{
    return peer->known ? OMPI_SUCCESS : ompi_osc_ucp_reach_ask(peer);
}

/** The same for a communication call or a notice, which are local. Without a service thread the peer may answer late:
 *  it keeps its provisional path then, if that can serve it, and gets its final one in a later call. `atomic`: the
 *  call is of the accumulate family. */
int ompi_osc_ucp_reach_early(ompi_osc_ucp_peer_t *peer, bool atomic);

/** Set window->all_path, now that the window's domain is known. */
void ompi_osc_ucp_reach_begin(ompi_osc_ucp_window_t *window);

/** Detach and free all peers of a window. */
void ompi_osc_ucp_reach_end(ompi_osc_ucp_window_t *window);

/** All paths in the order in which a peer is offered to them; ended by NULL. The last path serves every peer. */
extern const ompi_osc_ucp_path_t *const ompi_osc_ucp_paths[];

#endif /* OSC_UCP_REACH_H */
