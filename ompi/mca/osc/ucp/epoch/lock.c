/* Lock, unlock, lock_all, unlock_all (MPI-3.1 section 11.5.3).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * lock_all locks a target at its first use. It locks at once the targets that the program can load from and store to
 * without a call, the process itself included.
 */

#include "base/wait.h"
#include "epoch/access.h"
#include "epoch/epoch.h"
#include "epoch/missing.h"
#include "message/message.h"
#include "message/packet.h"
#include "path/short.h"
#include "reach/reach.h"

/** Wait until requested locks are granted before another one is requested: programs avoid deadlocks by the order of
 *  their locks. With threads there is nothing to wait for: each call has waited for its own grant (am_lock). */
static inline void locks_settle(void)
{
    if (OPAL_UNLIKELY(ompi_osc_ucp_locks.ungranted > 0) && !ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_packets_settle_locks();
    }
}

/** An epoch of MPI_Win_lock begins or has begun, and one more target is locked. Between begin and end. */
static inline void locked_more(ompi_osc_ucp_window_t *window)
{
    if (0 == window->locked++) {
        ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_LOCK);
    }
}

static inline void locked_less(ompi_osc_ucp_window_t *window)
{
    if (0 == --window->locked) {
        ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_NONE);
    }
}

static inline int peer_lock(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    int rc = OMPI_SUCCESS;

    if (ompi_osc_ucp_mapped_try_lock(peer, lock)) {
        return OMPI_SUCCESS;
    }
    peer->locking = true;
    if (OMPI_OSC_UCP_NOCHECK != lock || NULL != peer->window->all_path) {
        rc = ompi_osc_ucp_reach(peer);
        if (OMPI_SUCCESS == rc && OMPI_OSC_UCP_NOCHECK != lock) {
            rc = peer->path->lock(peer, OMPI_OSC_UCP_EXCLUSIVE == lock);
        }
    }
    peer->locking = false;
    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_peer_locked(peer, lock);
        ompi_osc_ucp_fence_memory();
    }
    return rc;
}

/** Unlock the peer if it is mapped. False: it is not, or it has no lock. */
static inline bool mapped_unlock(ompi_osc_ucp_peer_t *peer)
{
    if (!peer->mapped || OMPI_OSC_UCP_NOCHECK == peer->lock) {
        return false;
    }
    if (OPAL_UNLIKELY(!ompi_osc_ucp_mapped_release(peer))) {
        ompi_osc_ucp_doorbell(peer);
    }
    return true;
}

/** Begin to complete the operations on a settled peer, and to unlock it. Await and peer_unlock_end follow. */
static inline int peer_unlock_begin(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    ompi_osc_ucp_lock_t lock = peer->lock;

    if (mapped_unlock(peer)) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_fence_memory();
    ompi_osc_ucp_peer_locked(peer, OMPI_OSC_UCP_UNLOCKED);
    return OMPI_OSC_UCP_NOCHECK == lock ? ompi_osc_ucp_flush_begin(peer, awaited)
                                        : peer->path->unlock(peer, OMPI_OSC_UCP_EXCLUSIVE == lock, awaited);
}

static inline int peer_unlock_end(ompi_osc_ucp_peer_t *peer)
{
    if (peer->mapped) {
        return OMPI_SUCCESS; /* its operations were over when their calls returned */
    }
    ompi_osc_ucp_peer_wait_local(peer);
    return ompi_osc_ucp_peer_take_error(peer);
}

/** The lock that a call asks for. */
static ompi_osc_ucp_lock_t lock_wanted(int lock_type, int assert)
{
    if (0 != (assert & MPI_MODE_NOCHECK)) {
        return OMPI_OSC_UCP_NOCHECK;
    }
    return MPI_LOCK_EXCLUSIVE == lock_type ? OMPI_OSC_UCP_EXCLUSIVE : OMPI_OSC_UCP_SHARED;
}

/** May MPI_Win_lock lock the peer now? If so, others may not until lock_ends. Inside the origin side. */
static bool lock_begins(ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t *peer)
{
    bool begins;

    ompi_osc_ucp_epoch_begin(window);
    begins = (ompi_osc_ucp_may_begin(window) || OMPI_OSC_UCP_EPOCH_LOCK == ompi_osc_ucp_epoch(window)) &&
             OMPI_OSC_UCP_UNLOCKED == peer->lock && !peer->locking;
    if (begins) {
        locked_more(window);
        peer->locking = true;
    }
    ompi_osc_ucp_epoch_end(window);
    return begins;
}

static void lock_ends(ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t *peer, int rc)
{
    ompi_osc_ucp_epoch_begin(window);
    peer->locking = false;
    if (OMPI_SUCCESS != rc) {
        locked_less(window);
    }
    ompi_osc_ucp_epoch_end(window);
}

static __attribute__((noinline)) int lock_other(int lock_type, int target, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    if (NULL == peer) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    } else if (lock_begins(window, peer)) {
        locks_settle();
        rc = peer_lock(peer, lock_wanted(lock_type, assert));
        lock_ends(window, peer, rc);
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_lock", OMPI_OSC_UCP_NEED_NONE, target, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** Begin an epoch of MPI_Win_lock on a mapped peer whose lock is free. False: nothing was done. Any thread. */
static __attribute__((noinline)) bool lock_beside(ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t *peer,
                                                  ompi_osc_ucp_lock_t lock)
{
    ompi_osc_ucp_epoch_t epoch;
    bool                 done;

    if (NULL == peer || !ompi_osc_ucp_is_mapped(peer)) {
        return false;
    }
    ompi_osc_ucp_epoch_begin(window);
    epoch = ompi_osc_ucp_epoch(window);
    done  = (OMPI_OSC_UCP_EPOCH_NONE == epoch || OMPI_OSC_UCP_EPOCH_LOCK == epoch) &&
            OMPI_OSC_UCP_UNLOCKED == peer->lock && !peer->locking && ompi_osc_ucp_mapped_try_lock(peer, lock);
    if (done) {
        locked_more(window);
    }
    ompi_osc_ucp_epoch_end(window);
    return done;
}

/* As in call/put_get.c, the case of a mapped peer calls nothing. */

int ompi_osc_ucp_lock(int lock_type, int target, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer   = ompi_osc_ucp_peer_recent(window, target);

    if (ompi_osc_ucp_threaded()) {
        return lock_beside(window, peer, lock_wanted(lock_type, assert)) ? OMPI_SUCCESS
                                                                         : lock_other(lock_type, target, assert, win);
    }
    if (OPAL_UNLIKELY(NULL == peer || OMPI_OSC_UCP_EPOCH_NONE != window->epoch || ompi_osc_ucp_locks.ungranted > 0 ||
                      !ompi_osc_ucp_mapped_try_lock(peer, lock_wanted(lock_type, assert)))) {
        return lock_other(lock_type, target, assert, win);
    }
    locked_more(window);
    return OMPI_SUCCESS;
}

/** Complete the operations on a peer, and unlock it. */
static int peer_unlock(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;
    int      rc      = ompi_osc_ucp_settle(peer, &awaited);

    ompi_osc_ucp_await(&awaited);
    rc = ompi_osc_ucp_first_error(rc, peer_unlock_begin(peer, &awaited));
    ompi_osc_ucp_await(&awaited);
    return ompi_osc_ucp_first_error(rc, peer_unlock_end(peer));
}

static __attribute__((noinline)) int unlock_other(int target, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    if (NULL != peer && OMPI_OSC_UCP_EPOCH_LOCK == ompi_osc_ucp_epoch(window) &&
        OMPI_OSC_UCP_UNLOCKED != peer->lock) {
        rc = mapped_unlock(peer) ? OMPI_SUCCESS : peer_unlock(peer);
        ompi_osc_ucp_epoch_begin(window);
        locked_less(window);
        ompi_osc_ucp_epoch_end(window);
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_unlock", OMPI_OSC_UCP_NEED_LOCK, target, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** The peer's service side has waiters for the lock that was released. */
static __attribute__((noinline)) int unlock_ring(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_enter();
    ompi_osc_ucp_doorbell(peer);
    ompi_osc_ucp_leave();
    return OMPI_SUCCESS;
}

/** End an epoch of MPI_Win_lock on a mapped peer. False: nothing was done. Any thread. */
static __attribute__((noinline)) bool unlock_beside(ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t *peer)
{
    bool done, quiet = true;

    if (NULL == peer || !ompi_osc_ucp_is_mapped(peer)) {
        return false;
    }
    ompi_osc_ucp_epoch_begin(window);
    done = OMPI_OSC_UCP_EPOCH_LOCK == ompi_osc_ucp_epoch(window) && peer->lock > OMPI_OSC_UCP_NOCHECK;
    if (done) {
        quiet = ompi_osc_ucp_mapped_release(peer);
        locked_less(window);
    }
    ompi_osc_ucp_epoch_end(window);
    if (OPAL_UNLIKELY(!quiet)) {
        (void) unlock_ring(peer);
    }
    return done;
}

static inline int unlock(int target, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer   = ompi_osc_ucp_peer_recent(window, target);

    if (ompi_osc_ucp_threaded()) {
        return unlock_beside(window, peer) ? OMPI_SUCCESS : unlock_other(target, win);
    }
    if (OPAL_UNLIKELY(NULL == peer || !peer->mapped || OMPI_OSC_UCP_EPOCH_LOCK != window->epoch ||
                      peer->lock <= OMPI_OSC_UCP_NOCHECK)) {
        return unlock_other(target, win);
    }
    locked_less(window);
    return OPAL_LIKELY(ompi_osc_ucp_mapped_release(peer)) ? OMPI_SUCCESS : unlock_ring(peer);
}

int ompi_osc_ucp_unlock(int target, ompi_win_t *win)
{
    int rc = unlock(target, win);

    ompi_osc_ucp_polled(); /* when the lock is free: it may give the processor away */
    return rc;
}

int ompi_osc_ucp_lock_lazily(ompi_osc_ucp_peer_t *peer)
{
    int rc = OMPI_SUCCESS;

    /* Another thread may be locking it: a second lock would never be released. */
    while (peer->locking) {
        ompi_osc_ucp_wait_step();
    }
    if (OMPI_OSC_UCP_UNLOCKED == peer->lock) {
        rc = peer_lock(peer, peer->window->lock_all_nocheck || peer->window->all_locked ? OMPI_OSC_UCP_NOCHECK
                                                                                        : OMPI_OSC_UCP_SHARED);
    }
    return rc;
}

/** Lock the peers that the program may load from and store to without a call. */
static int lock_mapped(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;
    bool                 all   = MPI_WIN_FLAVOR_SHARED == window->flavor;
    int                  last  = all ? window->size - 1 : window->rank;
    int                  rank, rc = OMPI_SUCCESS;

    for (rank = all ? 0 : window->rank; OMPI_SUCCESS == rc && rank <= last; rank++) {
        peer = ompi_osc_ucp_peer(window, rank);
        rc   = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : ompi_osc_ucp_lock_lazily(peer);
    }
    for (peer = window->all_peers; NULL != peer && OMPI_SUCCESS == rc; peer = peer->next) {
        if (peer->queried) {
            rc = ompi_osc_ucp_lock_lazily(peer);
        }
    }
    return rc;
}

/** Complete the operations on all peers, and unlock those that are locked. */
static int unlock_touched(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;
    uint32_t             awaited = 0;
    int                  rc      = OMPI_SUCCESS;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        rc = ompi_osc_ucp_first_error(rc, ompi_osc_ucp_settle(peer, &awaited));
    }
    ompi_osc_ucp_await(&awaited);
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (OMPI_OSC_UCP_UNLOCKED != peer->lock) {
            rc = ompi_osc_ucp_first_error(rc, peer_unlock_begin(peer, &awaited));
        }
    }
    ompi_osc_ucp_await(&awaited);
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        rc = ompi_osc_ucp_first_error(rc, peer_unlock_end(peer));
    }
    return rc;
}

/** Lock all members at once, which needs rank 0; or by themselves, when they are used, if that would take too long. */
static int all_lock(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *root = ompi_osc_ucp_peer(window, 0);
    int                  rc   = NULL == root ? OMPI_ERR_OUT_OF_RESOURCE : ompi_osc_ucp_reach(root);

    rc                 = OMPI_SUCCESS == rc ? window->all_path->lock_all(window) : rc;
    window->all_locked = OMPI_SUCCESS == rc;
    return OMPI_ERR_WOULD_BLOCK == rc ? lock_mapped(window) : rc;
}

int ompi_osc_ucp_lock_all(int assert, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_may_begin(window)) {
        ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_LOCK_ALL);
        window->lock_all_nocheck = 0 != (assert & MPI_MODE_NOCHECK);
        locks_settle();
        if (NULL == window->all_path) {
            rc = lock_mapped(window);
        } else {
            rc = window->lock_all_nocheck ? OMPI_SUCCESS : all_lock(window);
        }
        if (OMPI_SUCCESS != rc) {
            (void) unlock_touched(window);
            ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_NONE);
        }
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_lock_all", OMPI_OSC_UCP_NEED_NONE, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** End the epoch of MPI_Win_lock_all. */
static int all_unlock(ompi_osc_ucp_window_t *window)
{
    int rc = unlock_touched(window);

    if (window->all_locked) {
        window->all_locked = false;
        rc = ompi_osc_ucp_first_error(rc, window->all_path->unlock_all(window));
    }
    ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_NONE);
    return rc;
}

int ompi_osc_ucp_unlock_all(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    if (OMPI_OSC_UCP_EPOCH_LOCK_ALL == window->epoch) {
        rc = all_unlock(window);
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_unlock_all", OMPI_OSC_UCP_NEED_LOCK_ALL, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    ompi_osc_ucp_polled();
    return rc;
}

void ompi_osc_ucp_epochs_end(ompi_osc_ucp_window_t *window)
{
    if (OMPI_OSC_UCP_EPOCH_LOCK_ALL == window->epoch) {
        (void) all_unlock(window);
    } else if (OMPI_OSC_UCP_EPOCH_LOCK == window->epoch) {
        (void) unlock_touched(window);
        window->locked = 0;
    }
    ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_NONE);
    window->exposed = false;
}
