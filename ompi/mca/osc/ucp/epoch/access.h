/* The epoch rule: may an operation be issued now, or an epoch begin?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_ACCESS_H
#define OSC_UCP_ACCESS_H

#include "peer/peer.h"

/** Is the window in a passive-target epoch at this process, for any target? Any thread. */
static inline bool ompi_osc_ucp_passive(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_epoch_t epoch = ompi_osc_ucp_epoch(window);

    return OMPI_OSC_UCP_EPOCH_LOCK == epoch || OMPI_OSC_UCP_EPOCH_LOCK_ALL == epoch;
}

/** May lock, lock_all or start begin an epoch? After a fence, if no operation was issued (MPI-3.1 section 11.5.5). */
static inline bool ompi_osc_ucp_may_begin(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_epoch_t epoch = ompi_osc_ucp_epoch(window);

    return OMPI_OSC_UCP_EPOCH_NONE == epoch || (OMPI_OSC_UCP_EPOCH_FENCE == epoch && !window->fence_used);
}

/** Is the peer locked by this process, by lock or lock_all? */
static inline bool ompi_osc_ucp_is_locked(const ompi_osc_ucp_peer_t *peer)
{
    return OMPI_OSC_UCP_EPOCH_LOCK_ALL == ompi_osc_ucp_epoch(peer->window) || OMPI_OSC_UCP_UNLOCKED != peer->lock;
}

/** Is the peer in an access epoch (MPI-3.1 section 11.5), and locked if the epoch needs that? Any thread. */
static inline bool ompi_osc_ucp_granted(const ompi_osc_ucp_peer_t *peer)
{
    switch (ompi_osc_ucp_epoch(peer->window)) {
    case OMPI_OSC_UCP_EPOCH_LOCK:
    case OMPI_OSC_UCP_EPOCH_LOCK_ALL:
        return OMPI_OSC_UCP_UNLOCKED != __atomic_load_n(&peer->lock, __ATOMIC_ACQUIRE);
    case OMPI_OSC_UCP_EPOCH_FENCE:
        return true;
    case OMPI_OSC_UCP_EPOCH_START:
        return peer->started;
    default:
        return false;
    }
}

/** In a lock_all epoch, lock a peer unless it is locked. Inside the origin side; waits. */
int ompi_osc_ucp_lock_lazily(ompi_osc_ucp_peer_t *peer);

/** May an operation on the peer be issued now? The first one in a lock_all epoch locks the peer. OMPI_ERR_RMA_SYNC: no.
 *  Inside the origin side. */
static inline int ompi_osc_ucp_access(ompi_osc_ucp_peer_t *peer)
{
    if (OPAL_LIKELY(ompi_osc_ucp_granted(peer))) {
        return OMPI_SUCCESS;
    }
    return OMPI_OSC_UCP_EPOCH_LOCK_ALL == ompi_osc_ucp_epoch(peer->window) ? ompi_osc_ucp_lock_lazily(peer)
                                                                           : OMPI_ERR_RMA_SYNC;
}

#endif /* OSC_UCP_ACCESS_H */
