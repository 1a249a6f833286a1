/* Checks that every communication call passes: may it be made now, and does it stay inside the window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_H
#define OSC_UCP_CHECK_H

#include "osc_ucp_peer.h"

/** Is the window in a passive-target epoch at this process, for any target? */
static inline bool ompi_osc_ucp_passive(const ompi_osc_ucp_window_t *window)
{
    return OMPI_OSC_UCP_EPOCH_LOCK == window->epoch || OMPI_OSC_UCP_EPOCH_LOCK_ALL == window->epoch;
}

/** May a lock, lock_all or start begin? After a fence it may, if nothing was issued (MPI-3.1 section 11.5.5). */
static inline bool ompi_osc_ucp_may_begin(const ompi_osc_ucp_window_t *window)
{
    return OMPI_OSC_UCP_EPOCH_NONE == window->epoch ||
           (OMPI_OSC_UCP_EPOCH_FENCE == window->epoch && !window->fence_used);
}

/** Is the peer locked by this process, alone or with all others? */
static inline bool ompi_osc_ucp_is_locked(const ompi_osc_ucp_peer_t *peer)
{
    return OMPI_OSC_UCP_EPOCH_LOCK_ALL == peer->window->epoch || OMPI_OSC_UCP_UNLOCKED != peer->lock;
}

/**
 * May an operation on the peer be issued now (MPI-3.1 section 11.5)? Acquires the peer's lock in a lock_all epoch if
 * this is the first.
 */
static inline int ompi_osc_ucp_check_access(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_window_t *window = peer->window;

    switch (window->epoch) {
    case OMPI_OSC_UCP_EPOCH_FENCE:
        return OMPI_SUCCESS;
    case OMPI_OSC_UCP_EPOCH_START:
        return peer->started ? OMPI_SUCCESS : OMPI_ERR_RMA_SYNC;
    case OMPI_OSC_UCP_EPOCH_LOCK:
        return OMPI_OSC_UCP_UNLOCKED != peer->lock ? OMPI_SUCCESS : OMPI_ERR_RMA_SYNC;
    case OMPI_OSC_UCP_EPOCH_LOCK_ALL:
        return OMPI_OSC_UCP_UNLOCKED != peer->lock ? OMPI_SUCCESS : ompi_osc_ucp_lock_lazily(peer);
    default:
        return OMPI_ERR_RMA_SYNC;
    }
}

/** Do the bytes [disp + lb, disp + ub) lie within a window of `size` bytes? */
static inline bool ompi_osc_ucp_in_range(int64_t size, int64_t disp, int64_t lb, int64_t ub)
{
    int64_t first, end;

    return !__builtin_add_overflow(disp, lb, &first) && !__builtin_add_overflow(disp, ub, &end) && first >= 0 &&
           end <= size;
}

#endif /* OSC_UCP_CHECK_H */
