/* Completion: flush, flush_local, and what every synchronization waits for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp_fast.h"
#include "path/near_mail.h"
#include "path/path.h"
#include "path/rdma.h"

/** Looks of a thread that leaves polling to another one, before it polls once itself. */
#define LOOKS_PER_STEP 4096

/** So many waits for mail go to one step of all others. */
#define WAITS_PER_STEP 16

/** If what the caller waits for has gone by mail, it is most often here before anything else needs a look. But a program
 *  may do nothing but call us, again and again, until something comes that Open MPI has to progress. */
static void await_mails(void)
{
    static unsigned waits;

    if (NULL == ompi_osc_ucp_mails_open || ompi_osc_ucp_threaded()) {
        return;
    }
    ompi_osc_ucp_mails_await();
    if (0 == ++waits % WAITS_PER_STEP) {
        ompi_osc_ucp_wait_step();
    }
}

/* Operations that other threads issue meanwhile must not keep this one waiting: they belong to the next generation,
 * which begins as soon as the last one is over. */
void ompi_osc_ucp_peer_wait_local(ompi_osc_ucp_peer_t *peer)
{
    uint32_t mine = peer->generation;

    await_mails();
    while (peer->generation - mine < 2) {
        if (0 == peer->open[(peer->generation - 1) % 2]) {
            if (mine != peer->generation || 0 == peer->open[peer->generation % 2]) {
                return;
            }
            peer->generation++;
        }
        ompi_osc_ucp_wait_step();
    }
}

void ompi_osc_ucp_await(const uint32_t *awaited)
{
    unsigned steps = 0, looks = 0, first;
    bool     more;

    if (0 == __atomic_load_n(awaited, __ATOMIC_RELAXED)) {
        return;
    }
    await_mails();
    ompi_osc_ucp_leave();
    while (__atomic_load_n(awaited, __ATOMIC_ACQUIRE) > 0) {
        if (ompi_osc_ucp_poll_begin(&looks)) {
            first = steps;
            do {
                ompi_osc_ucp_wait_outside(&steps);
                more = __atomic_load_n(awaited, __ATOMIC_ACQUIRE) > 0;
            } while (more && !ompi_osc_ucp_poll_long(steps - first));
            ompi_osc_ucp_poll_end(more);
        } else if (0 == looks % LOOKS_PER_STEP) {
            ompi_osc_ucp_wait_outside(&steps); /* the one that polls may be in a callback of Open MPI's for long */
        }
    }
    ompi_osc_ucp_enter();
}

int ompi_osc_ucp_peer_take_error(ompi_osc_ucp_peer_t *peer)
{
    int error = peer->error;

    peer->error = OMPI_SUCCESS;
    return error;
}

/** Complete all operations to one peer at the target. */
static int peer_flush(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;
    int      rc      = peer->path->flush(peer, &awaited);

    ompi_osc_ucp_await(&awaited);
    ompi_osc_ucp_peer_wait_local(peer);
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_peer_take_error(peer) : rc;
}

int ompi_osc_ucp_complete_all(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;
    uint32_t             awaited = 0;
    int                  rc      = OMPI_SUCCESS, error;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (!peer->path->loads_and_stores) {
            error = peer->path->flush(peer, &awaited);
            rc    = OMPI_SUCCESS == rc ? error : rc;
        }
    }
    ompi_osc_ucp_await(&awaited);
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (peer->path->loads_and_stores) {
            continue;
        }
        ompi_osc_ucp_peer_wait_local(peer);
        error = ompi_osc_ucp_peer_take_error(peer);
        rc    = OMPI_SUCCESS == rc ? error : rc;
    }
    return rc;
}

/** The peer that a flush names: NULL for MPI_PROC_NULL, or on an error. */
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

/** Is the target one whose operations are over when their calls return, and may it be flushed? */
static inline bool is_direct(ompi_osc_ucp_window_t *window, int target)
{
    const ompi_osc_ucp_peer_t *peer = NULL;

    if (target >= 0 && target < window->size) { /* nobody has looked yet, and there may be no such peer */
        peer = ompi_osc_ucp_fast_peer(window, target);
    }
    return NULL != peer && OMPI_OSC_UCP_UNLOCKED != __atomic_load_n(&peer->lock, __ATOMIC_ACQUIRE);
}

int ompi_osc_ucp_flush(int target, ompi_win_t *win)
{
    ompi_osc_ucp_peer_t *peer;
    int                  rc;

    if (is_direct(ompi_osc_ucp_window(win), target)) {
        ompi_osc_ucp_stores_complete();
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_fast_native(ompi_osc_ucp_window(win), target);
    if (NULL != peer && ompi_osc_ucp_passive(peer->window) && ompi_osc_ucp_is_locked(peer)) {
        rc = ompi_osc_ucp_rdma_fast_flush(peer);
        ompi_osc_ucp_leave();
        return rc;
    }
    rc = flushed_peer(ompi_osc_ucp_window(win), target, &peer);
    if (OMPI_SUCCESS == rc && NULL != peer) {
        rc = peer_flush(peer);
    }
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_flush_local(int target, ompi_win_t *win)
{
    ompi_osc_ucp_peer_t *peer;
    int                  rc;

    if (is_direct(ompi_osc_ucp_window(win), target)) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    rc = flushed_peer(ompi_osc_ucp_window(win), target, &peer);
    if (OMPI_SUCCESS == rc && NULL != peer) {
        ompi_osc_ucp_peer_wait_local(peer);
        rc = ompi_osc_ucp_peer_take_error(peer);
    }
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_flush_all(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_passive(window)) {
        ompi_osc_ucp_fence_memory();
        rc = ompi_osc_ucp_complete_all(window);
    }
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_flush_local_all(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc = OMPI_ERR_RMA_SYNC, error;

    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_passive(window)) {
        rc = OMPI_SUCCESS;
        for (peer = window->all_peers; NULL != peer; peer = peer->next) {
            ompi_osc_ucp_peer_wait_local(peer);
            error = ompi_osc_ucp_peer_take_error(peer);
            rc    = OMPI_SUCCESS == rc ? error : rc;
        }
    }
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_sync(ompi_win_t *win)
{
    (void) win;
    /* Programs poll window memory with MPI_Win_sync in the loop: what they wait for must be able to arrive. */
    opal_progress();
    ompi_osc_ucp_fence_memory();
    return OMPI_SUCCESS;
}
