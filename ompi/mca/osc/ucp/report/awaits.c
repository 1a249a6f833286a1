/* For what a call waits.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/awaits.h"

#include <stdio.h>

#include "epoch/epoch.h"
#include "layer/watch.h"
#include "path/path.h"

static void window_set(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_window_t *window)
{
    draft->window = window->watch->as;
    snprintf(draft->name, sizeof(draft->name), "%s", window->win->w_name);
}

static void whom_add(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_window_t *window, int rank)
{
    if (draft->whoms < OMPI_OSC_UCP_WATCHED_WHOM) {
        draft->whom[draft->whoms++] = ompi_osc_ucp_proc_key(window->group, rank);
    }
    draft->missing++;
}

/** Does a call wait for the lock of one of the window's peers? */
static bool awaits_lock(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_window_t *window, bool *by_message)
{
    const ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (peer->resolving) {
            draft->awaits = OMPI_OSC_UCP_AWAITS_ANSWER;
        } else if (peer->locking || peer->granting) {
            draft->awaits = OMPI_OSC_UCP_AWAITS_LOCK;
            *by_message   = NULL == peer->control && !window->nic;
        } else {
            continue;
        }
        window_set(draft, window);
        whom_add(draft, window, peer->rank);
        return true;
    }
    return false;
}

/** A new lock waits for those that were requested before, in all windows. */
static bool awaits_locks(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_calling_t *calling, bool *by_message)
{
    const struct ompi_osc_ucp_watch_t *watch = ompi_osc_ucp_watches;

    if (awaits_lock(draft, calling->window, by_message)) {
        return true;
    }
    if (OMPI_OSC_UCP_CALLED_LOCK != calling->call && OMPI_OSC_UCP_CALLED_LOCK_ALL != calling->call) {
        return false;
    }
    while (NULL != watch && !awaits_lock(draft, watch->window, by_message)) {
        watch = watch->next;
    }
    return NULL != watch;
}

/** The barrier at one counter: who is missing cannot be seen there. */
static bool awaits_release(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_window_t *window)
{
    const uint32_t *released = &ompi_osc_ucp_segment_member(window->segment, 0).control->released;

    if ((int32_t) (__atomic_load_n(released, __ATOMIC_ACQUIRE) - window->barriers) >= 0) {
        return false;
    }
    draft->awaits = OMPI_OSC_UCP_AWAITS_ARRIVE;
    return true;
}

/** The barrier of fence and free: the first round without its notice. */
static bool awaits_barrier(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_barrier_step_t step;
    uint32_t                    arrived;
    int                         round;

    if (window->crowded) {
        return awaits_release(draft, window);
    }
    for (round = 0; ompi_osc_ucp_barrier_step(window, round, &step); round++) {
        arrived = __atomic_load_n(&window->control->arrived[round], __ATOMIC_ACQUIRE);
        if (step.from >= 0 && (int32_t) (arrived - window->barriers) < 0) {
            draft->awaits = OMPI_OSC_UCP_AWAITS_ARRIVE;
            whom_add(draft, window, step.from);
            return true;
        }
    }
    return false;
}

/** MPI_Win_wait counts MPI_Win_complete calls, and does not know whose are missing: they are in the group. */
static void awaits_complete(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_window_t *window)
{
    ompi_group_t *group = window->watch->posted;
    int           n     = NULL == group ? 0 : ompi_group_size(group), i;

    draft->awaits = OMPI_OSC_UCP_AWAITS_COMPLETE;
    for (i = 0; i < n && i < OMPI_OSC_UCP_WATCHED_WHOM; i++) {
        draft->whom[draft->whoms++] = ompi_osc_ucp_proc_key(group, i);
    }
    draft->missing = window->completes_used + window->exposed_to -
                    __atomic_load_n(&window->control->completes, __ATOMIC_RELAXED);
}

/** Is an answer of the peer to come? A call without a target waits for all. */
static bool awaits_peer(const ompi_osc_ucp_calling_t *calling, const ompi_osc_ucp_peer_t *peer)
{
    if (calling->target >= 0) {
        return calling->target == peer->rank;
    }
    return peer->acknowledging > 0 || peer->flushing > 0 || peer->open[0] + peer->open[1] > 0 ||
           (OMPI_OSC_UCP_CALLED_FREE == calling->call && peer->asking > 0);
}

/** Peers from which answers are to come. */
static void awaits_peers(ompi_osc_ucp_watched_t *draft, const ompi_osc_ucp_calling_t *calling)
{
    const ompi_osc_ucp_window_t *window = calling->window;
    const ompi_osc_ucp_peer_t   *peer;

    draft->awaits = OMPI_OSC_UCP_AWAITS_FLUSH;
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (awaits_peer(calling, peer)) {
            whom_add(draft, window, peer->rank);
        }
    }
    if (0 == draft->whoms) {
        draft->awaits = OMPI_OSC_UCP_AWAITS_OTHER;
    }
}

bool ompi_osc_ucp_awaits_find(const ompi_osc_ucp_calling_t *calling, ompi_osc_ucp_watched_t *draft)
{
    ompi_osc_ucp_window_t *window     = calling->window;
    bool                   by_message = false;

    *draft = (ompi_osc_ucp_watched_t) { 0 };
    window_set(draft, window);
    if (awaits_locks(draft, calling, &by_message)) {
        draft->missing = 1;
    } else if (OMPI_OSC_UCP_CALLED_START == calling->call) {
        draft->awaits = OMPI_OSC_UCP_AWAITS_POST;
        whom_add(draft, window, window->awaited);
    } else if (OMPI_OSC_UCP_CALLED_WAIT == calling->call) {
        awaits_complete(draft, window);
    } else if (OMPI_OSC_UCP_CALLED_NOTIFY_WAIT == calling->call) {
        draft->awaits = OMPI_OSC_UCP_AWAITS_NOTIFIED;
    } else if (!awaits_barrier(draft, window)) {
        awaits_peers(draft, calling);
    }
    return by_message;
}
