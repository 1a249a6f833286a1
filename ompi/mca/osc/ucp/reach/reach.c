/* Which path a peer gets: the first one that can serve it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "reach/reach.h"

#include <stdlib.h>

#include "base/wait.h"
#include "message/message.h"

/** Offer the peer to each path in turn. `description` may be NULL: see path/path.h. */
static int peer_offer(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    const ompi_osc_ucp_path_t *const *path;
    int                               rc = OMPI_ERR_NOT_SUPPORTED;

    for (path = ompi_osc_ucp_paths; NULL != *path && OMPI_ERR_NOT_SUPPORTED == rc; path++) {
        rc = (*path)->attach(peer, description);
        if (OMPI_SUCCESS == rc) {
            peer->path = *path;
        }
    }
    return rc;
}

/** The path is final: let all threads see whether the peer is mapped. Not if it has refused a message: the short ways
 *  look for no error. */
static void peer_known(ompi_osc_ucp_peer_t *peer)
{
    peer->known = true;
    __atomic_store_n(&peer->mapped, peer->path->maps && MPI_WIN_FLAVOR_DYNAMIC != peer->window->flavor &&
                                        OMPI_SUCCESS == peer->error, __ATOMIC_RELEASE);
}

ompi_osc_ucp_peer_t *ompi_osc_ucp_reach_peer(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_find(window, rank);

    if (NULL == peer && NULL != (peer = ompi_osc_ucp_peer_add(window, rank))) {
        (void) peer_offer(peer, NULL); /* the last path serves every peer */
        if (peer->known) {
            peer_known(peer);
        }
        peer = ompi_osc_ucp_peer_find(window, rank);
    }
    return peer;
}

/** If one path locks all members at once, it needs rank 0 first. */
static int root_reach(const ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_peer_t *root;

    if (NULL == peer->window->all_path || 0 == peer->rank) {
        return OMPI_SUCCESS;
    }
    root = ompi_osc_ucp_peer(peer->window, 0);
    return NULL == root ? OMPI_ERR_OUT_OF_RESOURCE : ompi_osc_ucp_reach(root);
}

/** Give the peer its final path, as it has answered. */
static int answer_take(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_answer_t *answer = peer->answer;
    int                    rc     = answer->status;

    peer->answer = NULL;
    if (OMPI_SUCCESS == rc) {
        peer->size      = answer->description.size;
        peer->disp_unit = answer->description.disp_unit;
        rc = peer_offer(peer, &answer->description);
    }
    if (OMPI_SUCCESS == rc) {
        peer_known(peer);
    }
    free(answer);
    return rc;
}

/** Is nothing under way by the provisional path, and no error of it untold? The final one may not know of messages. */
static bool is_settled(const ompi_osc_ucp_peer_t *peer)
{
    return 0 == peer->early && ompi_osc_ucp_peer_is_quiet(peer) && OMPI_SUCCESS == peer->error;
}

/** Complete what went by the provisional path. No call begins to use it meanwhile (early_possible). */
static void peer_settle(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;

    while (peer->early > 0) {
        ompi_osc_ucp_wait_step();
    }
    if (!is_settled(peer)) {
        (void) ompi_osc_ucp_flush_begin(peer, &awaited);
        ompi_osc_ucp_await(&awaited);
        ompi_osc_ucp_peer_wait_local(peer);
    }
}

int ompi_osc_ucp_reach_ask(ompi_osc_ucp_peer_t *peer)
{
    int rc;

    while (peer->resolving) {
        ompi_osc_ucp_wait_step();
    }
    if (peer->known) {
        return OMPI_SUCCESS;
    }
    peer->resolving = true;
    rc = root_reach(peer);
    if (OMPI_SUCCESS == rc && NULL == peer->answer) {
        rc = ompi_osc_ucp_ask_description(peer);
    }
    if (OMPI_SUCCESS == rc) {
        while (!peer->answer->done) {
            ompi_osc_ucp_wait_step();
        }
        peer_settle(peer);
        rc = answer_take(peer);
    }
    peer->resolving = false;
    return rc;
}

/** Can the peer be served by its provisional path until it has answered? In the NIC domain accumulates must not be
 *  messages. What another thread waits for, all wait for: it settles what went by that path. */
static bool early_possible(const ompi_osc_ucp_peer_t *peer, bool atomic)
{
    return !peer->window->served && !peer->resolving && !(peer->window->nic && atomic);
}

/** root_reach without waiting. */
static bool root_known(const ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_peer_t *root;

    if (NULL == peer->window->all_path || 0 == peer->rank) {
        return true;
    }
    root = ompi_osc_ucp_peer(peer->window, 0);
    return NULL != root && !root->resolving && OMPI_SUCCESS == ompi_osc_ucp_reach_early(root, false) && root->known;
}

int ompi_osc_ucp_reach_early(ompi_osc_ucp_peer_t *peer, bool atomic)
{
    if (peer->known || !early_possible(peer, atomic)) {
        return ompi_osc_ucp_reach(peer);
    }
    if (NULL == peer->answer) {
        return ompi_osc_ucp_ask_description(peer);
    }
    return peer->answer->done && is_settled(peer) && root_known(peer) ? answer_take(peer) : OMPI_SUCCESS;
}

void ompi_osc_ucp_reach_begin(ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_path_t *const *path;

    for (path = ompi_osc_ucp_paths; NULL != *path; path++) {
        if (NULL != (*path)->serves_all && (*path)->serves_all(window)) {
            window->all_path = *path;
            return;
        }
    }
}

void ompi_osc_ucp_reach_end(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (NULL != peer->path->detach) {
            peer->path->detach(peer);
        }
    }
    ompi_osc_ucp_peers_free(window);
}
