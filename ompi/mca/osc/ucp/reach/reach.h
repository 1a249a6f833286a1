/* Which path a peer gets.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it belongs to the origin side.
 */

#ifndef OSC_UCP_REACH_H
#define OSC_UCP_REACH_H

#include "path/path.h"
#include "peer/peer.h"

/** As ompi_osc_ucp_peer, for one that is not among the recent ones. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_reach_peer(ompi_osc_ucp_window_t *window, int rank);

/** The peer of that rank, made if need be, with the path that serves it as far as it is known. NULL if memory is short. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_peer(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, rank);

    return OPAL_LIKELY(NULL != peer) ? peer : ompi_osc_ucp_reach_peer(window, rank);
}

/** Have the peer describe itself, and give it its final path. May ask it, and wait. */
int ompi_osc_ucp_reach_ask(ompi_osc_ucp_peer_t *peer);

/** The same, if it is not yet done: size, displacement unit and path are final then. */
static inline int ompi_osc_ucp_reach(ompi_osc_ucp_peer_t *peer)
{
    return peer->known ? OMPI_SUCCESS : ompi_osc_ucp_reach_ask(peer);
}

/** The window's domain is known: find the path that locks all its members at once, if one does. */
void ompi_osc_ucp_reach_begin(ompi_osc_ucp_window_t *window);

/** Let all peers of a window go. */
void ompi_osc_ucp_reach_end(ompi_osc_ucp_window_t *window);

/** In the order in which they are asked; ended by NULL. The last one before that serves everybody. */
extern const ompi_osc_ucp_path_t *const ompi_osc_ucp_paths[];

#endif /* OSC_UCP_REACH_H */
