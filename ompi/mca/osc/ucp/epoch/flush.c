/* Completion: flush, flush_local and sync (MPI-3.1 section 11.5.4), and the flush of all peers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/stores.h"
#include "base/wait.h"
#include "epoch/access.h"
#include "epoch/epoch.h"
#include "epoch/missing.h"
#include "path/short.h"
#include "reach/reach.h"
#include "service/handoff.h"

/** One flush in so many makes progress while the target is locked exclusively. */
#define CALLS_LOCKED_PER_PROGRESS (16 * OMPI_OSC_UCP_CALLS_PER_PROGRESS)

/** Complete all operations on one peer at the target. */
static int peer_flush(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;
    int      rc;

    if (NULL == peer->path->flush) {
        ompi_osc_ucp_stores_complete();
        return ompi_osc_ucp_peer_take_error(peer); /* of messages that were sent before it was mapped */
    }
    rc = peer->path->flush(peer, &awaited);
    ompi_osc_ucp_await(&awaited);
    ompi_osc_ucp_peer_wait_local(peer);
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_peer_take_error(peer) : rc;
}

int ompi_osc_ucp_flush_peers(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;
    uint32_t             awaited = 0;
    int                  rc      = OMPI_SUCCESS;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        rc = ompi_osc_ucp_first_error(rc, ompi_osc_ucp_flush_begin(peer, &awaited));
    }
    ompi_osc_ucp_await(&awaited);
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (NULL == peer->path->flush && OMPI_SUCCESS == peer->error) {
            continue; /* an error may be of the provisional path */
        }
        ompi_osc_ucp_peer_wait_local(peer);
        rc = ompi_osc_ucp_first_error(rc, ompi_osc_ucp_peer_take_error(peer));
    }
    return rc;
}

/** The peer that a flush names. *peer_p is NULL for MPI_PROC_NULL. */
static int flushed_peer(ompi_osc_ucp_window_t *window, int target, ompi_osc_ucp_peer_t **peer_p)
{
    *peer_p = NULL;
    if (MPI_PROC_NULL == target) {
        return OMPI_SUCCESS;
    }
    if (target < 0 || target >= window->size) {
        return MPI_ERR_RANK;
    }
    if (!ompi_osc_ucp_passive(window)) {
        return OMPI_ERR_RMA_SYNC;
    }
    *peer_p = ompi_osc_ucp_peer(window, target);
    if (NULL == *peer_p) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return ompi_osc_ucp_is_locked(*peer_p) ? OMPI_SUCCESS : OMPI_ERR_RMA_SYNC;
}

/** Is the target mapped, so that its operations are over when their calls return, and is it locked? Any thread. */
static inline bool is_over(const ompi_osc_ucp_window_t *window, int target)
{
    const ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, target);

    return NULL != peer && ompi_osc_ucp_is_mapped(peer) &&
           OMPI_OSC_UCP_UNLOCKED != __atomic_load_n(&peer->lock, __ATOMIC_ACQUIRE);
}

/** The same as ompi_osc_ucp_polled, for a flush of that target. Progress may give the processor away, and with an
 *  exclusive lock all who want it would wait until this process has one again: then the unlock makes it. Some programs
 *  keep such a lock for long. */
static inline void polled(const ompi_osc_ucp_window_t *window, int target)
{
    const ompi_osc_ucp_peer_t *peer;

    if (OPAL_UNLIKELY(++ompi_osc_ucp_calls >= OMPI_OSC_UCP_CALLS_PER_PROGRESS)) {
        peer = ompi_osc_ucp_peer_recent(window, target);
        if (NULL == peer || OMPI_OSC_UCP_EXCLUSIVE != __atomic_load_n(&peer->lock, __ATOMIC_RELAXED) ||
            ompi_osc_ucp_calls >= CALLS_LOCKED_PER_PROGRESS) {
            ompi_osc_ucp_calls = 0;
            opal_progress();
        }
    }
}

static __attribute__((noinline)) int flush_other(int target, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc;

    ompi_osc_ucp_enter();
    rc = flushed_peer(window, target, &peer);
    if (OMPI_SUCCESS == rc && NULL != peer) {
        rc = NULL != peer->path->flush_alone ? peer->path->flush_alone(peer) : peer_flush(peer);
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_flush", OMPI_OSC_UCP_NEED_PASSIVE, target, rc);
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_flush(int target, ompi_win_t *win)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    polled(window, target);
    if (OPAL_LIKELY(is_over(window, target))) {
        if (NULL != window->handoff) {
            (void) ompi_osc_ucp_handoff_serve(window);
        }
        ompi_osc_ucp_stores_complete();
        return OMPI_SUCCESS;
    }
    return flush_other(target, win);
}

/** Complete the operations on one peer at this process. */
static int peer_flush_local(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->path->leave) {
        peer->path->leave(peer);
    }
    ompi_osc_ucp_peer_wait_local(peer);
    return ompi_osc_ucp_peer_take_error(peer);
}

int ompi_osc_ucp_flush_local(int target, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc;

    polled(window, target);
    if (is_over(window, target)) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    rc = flushed_peer(window, target, &peer);
    if (OMPI_SUCCESS == rc && NULL != peer) {
        rc = peer_flush_local(peer);
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_flush_local", OMPI_OSC_UCP_NEED_PASSIVE, target, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** The same for all targets; those that were never touched have no peer. No error of before is to be told. */
static bool all_over(const ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_peer_t *peer = __atomic_load_n(&window->all_peers, __ATOMIC_ACQUIRE);

    while (NULL != peer && ompi_osc_ucp_is_mapped(peer) && OMPI_SUCCESS == peer->error) {
        peer = peer->next;
    }
    return NULL == peer && ompi_osc_ucp_passive(window);
}

int ompi_osc_ucp_flush_all(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_polled();
    if (all_over(window)) {
        ompi_osc_ucp_fence_memory();
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_passive(window)) {
        ompi_osc_ucp_fence_memory();
        rc = ompi_osc_ucp_flush_peers(window);
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_flush_all", OMPI_OSC_UCP_NEED_PASSIVE, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_flush_local_all(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_polled();
    if (all_over(window)) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_passive(window)) {
        rc = OMPI_SUCCESS;
        for (peer = window->all_peers; NULL != peer; peer = peer->next) {
            rc = ompi_osc_ucp_first_error(rc, peer_flush_local(peer));
        }
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_flush_local_all", OMPI_OSC_UCP_NEED_PASSIVE, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_sync(ompi_win_t *win)
{
    (void) win;
    /* Programs call MPI_Win_sync in a loop that polls window memory: messages must be able to arrive meanwhile. */
    opal_progress();
    ompi_osc_ucp_fence_memory();
    return OMPI_SUCCESS;
}
