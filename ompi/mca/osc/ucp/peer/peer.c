/* Peers: how they are made and found by rank, and the wait for their local completion.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "peer/peer.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/params.h"
#include "base/wait.h"
#include "memory/cma.h"
#include "peer/pending.h"

ompi_osc_ucp_locks_t ompi_osc_ucp_locks;

ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_find(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_ranks_find(&window->peers, (uint32_t) rank);

    if (NULL != peer) {
        __atomic_store_n(&window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT], peer, __ATOMIC_RELEASE);
    }
    return peer;
}

ompi_osc_ucp_peer_t *ompi_osc_ucp_peer_add(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = calloc(1, sizeof(*peer));

    if (NULL == peer) {
        return NULL;
    }
    if (!ompi_osc_ucp_ranks_add(&window->peers, (uint32_t) rank, peer)) {
        free(peer);
        return NULL;
    }
    peer->window = window;
    peer->rank   = rank;
    peer->broken = window->lost ? OMPI_ERR_WIN : OMPI_SUCCESS;
    peer->next   = window->all_peers;
    __atomic_store_n(&window->all_peers, peer, __ATOMIC_RELEASE);
    return peer;
}

void ompi_osc_ucp_peers_free(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    ompi_osc_ucp_requests_forget(window);
    while (NULL != (peer = window->all_peers)) {
        window->all_peers = peer->next;
        assert(window->lost || (0 == peer->asking && NULL == peer->packet)); /* nothing names the peer any more */
        free(peer->answer);
        free(peer);
    }
    ompi_osc_ucp_ranks_fini(&window->peers);
}

int ompi_osc_ucp_peer_connect(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc = OMPI_SUCCESS;

    if (NULL == peer->ep) {
        rc = ompi_osc_ucp_proc_connect(peer->window->group, peer->rank, &proc);
        if (OMPI_SUCCESS == rc) {
            peer->proc = proc;
            peer->ep   = proc->ep;
        }
    }
    return rc;
}

/* Operations that other threads issue meanwhile must not delay this thread. They belong to the next generation, which
 * begins when the one before the current one is over. */
void ompi_osc_ucp_peer_wait_local(ompi_osc_ucp_peer_t *peer)
{
    uint32_t mine = peer->generation;

    if (NULL != ompi_osc_ucp_wait_first) {
        ompi_osc_ucp_wait_first();
    }
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

int ompi_osc_ucp_peer_take_error(ompi_osc_ucp_peer_t *peer)
{
    int error = peer->error;

    if (OMPI_SUCCESS != error) { /* a flush of all members reads it outside the origin side */
        peer->error = OMPI_SUCCESS;
    }
    return OMPI_SUCCESS == error ? ompi_osc_ucp_requests_take_error(peer) : error;
}

void ompi_osc_ucp_window_describe(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_description_t *description)
{
    void  *key;
    size_t len;

    *description = (ompi_osc_ucp_description_t) {
        .size      = window->bytes,
        .disp_unit = window->disp_unit,
        .base      = (uint64_t) (uintptr_t) window->base,
        .pid       = getpid(),
        .memory    = MPI_WIN_FLAVOR_ALLOCATE == window->flavor,
        .cma       = MPI_WIN_FLAVOR_ALLOCATE != window->flavor && !window->device
    };
    if (description->cma && 0 != ompi_osc_ucp_params.kernel_copy) {
        ompi_osc_ucp_cma_admit();
    }
    ompi_osc_ucp_block_describe(&window->block, description);
    description->offset += ompi_osc_ucp_counters_bytes(window->counters_max);
    if (NULL != window->registered &&
        OPAL_SUCCESS == opal_common_ucp_memory_key(window->registered, &key, &len)) {
        if (len <= sizeof(description->user_key)) {
            description->user_key_len = (uint32_t) len;
            memcpy(description->user_key, key, len);
        }
        free(key);
    }
}
