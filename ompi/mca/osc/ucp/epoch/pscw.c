/* Post, start, complete, wait (MPI-3.1 section 11.5.2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * post sends a notice to each origin of the group, and start waits for those. complete sends a notice to each target
 * behind the epoch's operations, and wait counts those. A notice is an atomic on the peer's control block, or a
 * message. With MPI_MODE_NOCHECK posts are neither sent nor waited for.
 */

#include <stdlib.h>

#include "base/wait.h"
#include "epoch/access.h"
#include "epoch/epoch.h"
#include "epoch/missing.h"
#include "reach/reach.h"
#include "service/target.h"

int ompi_osc_ucp_group_ranks(const ompi_osc_ucp_window_t *window, ompi_group_t *group, int *n_p, int **ranks_p)
{
    int  n = ompi_group_size(group), i, rc;
    int *ranks, *own;

    *n_p     = 0;
    *ranks_p = NULL;
    if (0 == n) {
        return OMPI_SUCCESS;
    }
    ranks = calloc(2 * (size_t) n, sizeof(*ranks));
    if (NULL == ranks) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    own = ranks + n;
    for (i = 0; i < n; i++) {
        own[i] = i;
    }
    rc = ompi_group_translate_ranks(group, n, own, window->group, ranks);
    for (i = 0; OMPI_SUCCESS == rc && i < n; i++) {
        rc = MPI_UNDEFINED == ranks[i] ? MPI_ERR_GROUP : OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS != rc) {
        free(ranks);
        return rc;
    }
    *n_p     = n;
    *ranks_p = ranks;
    return OMPI_SUCCESS;
}

/** Use up a post of the peer, from the control block or a message; false if there is none. *seen is the number of post
 *  messages of all peers at the last look. */
static bool post_take(ompi_osc_ucp_peer_t *peer, uint32_t *seen)
{
    ompi_osc_ucp_target_t *target = peer->window->target;
    uint32_t               posts  = __atomic_load_n(&target->posts, __ATOMIC_ACQUIRE);

    if (peer->posts > 0) {
        peer->posts--;
        return true;
    }
    if (ompi_osc_ucp_control_take_post(peer->window->control, (uint32_t) peer->rank)) {
        return true;
    }
    if (*seen != posts && ompi_osc_ucp_target_take_post(target, (uint32_t) peer->rank)) {
        return true;
    }
    *seen = posts;
    return false;
}

/** Wait until every target of the epoch has posted. On an error all posts are given back. */
static int posts_await(ompi_osc_ucp_window_t *window)
{
    unsigned steps = 0;
    uint32_t seen;
    int      i, rc = OMPI_SUCCESS;

    for (i = 0; OMPI_SUCCESS == rc && i < window->nstarted; i++) {
        ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer(window, window->started[i]);

        seen = 0;
        while (OMPI_SUCCESS == rc && !post_take(peer, &seen)) {
            window->awaited = peer->rank;
            ompi_osc_ucp_spin(&steps);
            rc = window->lost ? OMPI_ERR_WIN : OMPI_SUCCESS;
        }
    }
    for (i -= 2; OMPI_SUCCESS != rc && i >= 0; i--) { /* all but the last peer have posted */
        ompi_osc_ucp_peer(window, window->started[i])->posts++;
    }
    return rc;
}

/** Close the access epoch's targets to operations. */
static void started_clear(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        peer->started = false;
    }
    free(window->started);
    window->started  = NULL;
    window->nstarted = 0;
}

/** Open the access epoch's targets to operations. */
static int started_mark(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;
    int                  i;

    for (i = 0; i < window->nstarted; i++) {
        peer = ompi_osc_ucp_peer(window, window->started[i]);
        if (NULL == peer) {
            started_clear(window);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        peer->started = true;
    }
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    if (ompi_osc_ucp_may_begin(window)) {
        rc = ompi_osc_ucp_group_ranks(window, group, &window->nstarted, &window->started);
    }
    if (OMPI_SUCCESS == rc) {
        rc = started_mark(window);
    }
    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_START);
        if (0 == (assert & MPI_MODE_NOCHECK)) {
            rc = posts_await(window);
        }
        if (OMPI_SUCCESS != rc) {
            started_clear(window);
            ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_NONE);
        }
        ompi_osc_ucp_fence_memory();
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_start", OMPI_OSC_UCP_NEED_NONE, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** Send a target the notice of complete. */
static int target_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    int rc = ompi_osc_ucp_reach(peer);

    return OMPI_SUCCESS == rc ? peer->path->complete(peer, awaited) : rc;
}

int ompi_osc_ucp_complete(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    uint32_t               awaited = 0;
    int                    rc      = OMPI_SUCCESS, i;

    ompi_osc_ucp_polled();
    ompi_osc_ucp_enter();
    if (OMPI_OSC_UCP_EPOCH_START != window->epoch) {
        rc = ompi_osc_ucp_sync_failed(window, "MPI_Win_complete", OMPI_OSC_UCP_NEED_START, MPI_PROC_NULL,
                                      OMPI_ERR_RMA_SYNC);
        ompi_osc_ucp_leave();
        return rc;
    }
    for (i = 0; i < window->nstarted; i++) {
        rc = ompi_osc_ucp_first_error(rc, ompi_osc_ucp_settle(ompi_osc_ucp_peer(window, window->started[i]), &awaited));
    }
    ompi_osc_ucp_await(&awaited);
    for (i = 0; i < window->nstarted; i++) {
        rc = ompi_osc_ucp_first_error(rc, target_complete(ompi_osc_ucp_peer(window, window->started[i]), &awaited));
    }
    ompi_osc_ucp_await(&awaited);
    for (i = 0; i < window->nstarted; i++) {
        peer = ompi_osc_ucp_peer(window, window->started[i]);
        ompi_osc_ucp_peer_wait_local(peer);
        rc = ompi_osc_ucp_first_error(rc, ompi_osc_ucp_peer_take_error(peer));
    }
    started_clear(window);
    ompi_osc_ucp_epoch_set(window, OMPI_OSC_UCP_EPOCH_NONE);
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_complete", OMPI_OSC_UCP_NEED_START, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** How long MPI_Win_post waits for notices to processes that may call MPI late. */
#define NOTICES_NS 2000000

/** Let first notices leave. UCX holds them until the origin has answered the connection. Mostly that is at once; else
 *  they leave in a later call: MPI_Win_post is local. */
static void notices_leave(const ompi_osc_ucp_window_t *window)
{
    uint64_t begin = window->posting > 0 ? opal_common_ucp_now_ns() : 0;

    while (window->posting > 0 && opal_common_ucp_now_ns() - begin < NOTICES_NS) {
        ompi_osc_ucp_wait_step();
    }
}

/** Find the origins and their paths: what may fail does so before the first notice. */
static int origins_find(ompi_osc_ucp_window_t *window, const int *ranks, int n)
{
    ompi_osc_ucp_peer_t *peer;
    int                  i, rc = OMPI_SUCCESS;

    for (i = 0; OMPI_SUCCESS == rc && i < n; i++) {
        peer = ompi_osc_ucp_peer(window, ranks[i]);
        rc   = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : ompi_osc_ucp_reach_early(peer, false);
    }
    return rc;
}

int ompi_osc_ucp_post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    bool                   notify  = 0 == (assert & MPI_MODE_NOCHECK);
    uint32_t               awaited = 0;
    int                   *ranks   = NULL;
    int                    n = 0, i, rc = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    if (!window->exposed) {
        rc = ompi_osc_ucp_group_ranks(window, group, &n, &ranks);
    }
    if (OMPI_SUCCESS == rc && notify) {
        rc = origins_find(window, ranks, n);
    }
    if (OMPI_SUCCESS == rc) {
        window->exposed    = true;
        window->exposed_to = (uint32_t) n;
        ompi_osc_ucp_fence_memory();
    }
    for (i = 0; OMPI_SUCCESS == rc && i < n && notify; i++) {
        peer = ompi_osc_ucp_peer(window, ranks[i]);
        rc   = peer->path->post(peer, peer->known ? &awaited : &window->posting);
        if (OMPI_SUCCESS != rc) { /* expose to the origins that have a notice */
            window->exposed_to = (uint32_t) i;
            window->exposed    = i > 0;
        }
    }
    ompi_osc_ucp_await(&awaited);
    notices_leave(window);
    free(ranks);
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_post", OMPI_OSC_UCP_NEED_UNPOSTED, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

/** End the exposure epoch if all origins have completed. */
static bool exposure_ended(ompi_osc_ucp_window_t *window)
{
    uint32_t completes = __atomic_load_n(&window->control->completes, __ATOMIC_ACQUIRE);

    if ((int32_t) (completes - window->completes_used - window->exposed_to) < 0) {
        return false;
    }
    window->completes_used += window->exposed_to;
    window->exposed         = false;
    ompi_osc_ucp_fence_memory();
    return true;
}

int ompi_osc_ucp_wait(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    unsigned               steps  = 0;
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_polled();
    ompi_osc_ucp_enter();
    if (window->exposed) {
        rc = OMPI_SUCCESS;
        while (!window->lost && !exposure_ended(window)) {
            ompi_osc_ucp_spin(&steps);
        }
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_wait", OMPI_OSC_UCP_NEED_POST, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}

int ompi_osc_ucp_test(ompi_win_t *win, int *flag)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;

    ompi_osc_ucp_enter();
    if (window->exposed) {
        ompi_osc_ucp_wait_step();
        *flag = exposure_ended(window);
        rc    = OMPI_SUCCESS;
    }
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_test", OMPI_OSC_UCP_NEED_POST, MPI_PROC_NULL, rc);
    ompi_osc_ucp_leave();
    return rc;
}
