/* MPI_Win_shared_query (MPI-3.1 section 11.2.3). As in MPI 4.1, for all windows with memory that is mapped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/threads.h"
#include "call/calls.h"
#include "epoch/access.h"
#include "peer/explain.h"
#include "reach/reach.h"

/** Is the peer's window memory mapped here? Asks it for its description, if need be. */
static int peer_is_mapped(ompi_osc_ucp_peer_t *peer, bool *mapped_p)
{
    int rc = ompi_osc_ucp_reach(peer);

    if (OMPI_SUCCESS == rc && peer->rank == peer->window->rank) {
        peer->memory = peer->window->base; /* own memory, also where operations on it are native or messages */
    }
    *mapped_p = OMPI_SUCCESS == rc && (peer->mapped || NULL != peer->memory); /* no memory has no address */
    return rc;
}

/** The peer that a query names, NULL if its memory is not mapped. MPI_PROC_NULL: the first with mapped memory. */
static int queried_peer(ompi_osc_ucp_window_t *window, int rank, ompi_osc_ucp_peer_t **peer_p)
{
    int                  first = MPI_PROC_NULL == rank ? 0 : rank;
    int                  last  = MPI_PROC_NULL == rank ? window->size - 1 : rank;
    ompi_osc_ucp_peer_t *peer;
    bool                 mapped;
    int                  rc;

    *peer_p = NULL;
    for (rank = first; rank <= last; rank++) {
        peer = ompi_osc_ucp_peer(window, rank);
        rc   = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : peer_is_mapped(peer, &mapped);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        if (mapped && (peer->size > 0 || first == last)) {
            *peer_p = peer;
            return OMPI_SUCCESS;
        }
    }
    return OMPI_SUCCESS;
}

/** From now on the program may load from and store to the peer's memory without a call: lock_all locks it at once. */
static int peer_queried(ompi_osc_ucp_peer_t *peer)
{
    peer->queried = true;
    if (OMPI_OSC_UCP_EPOCH_LOCK_ALL == peer->window->epoch) {
        return ompi_osc_ucp_lock_lazily(peer);
    }
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_shared_query(ompi_win_t *win, int rank, size_t *size, ompi_osc_ucp_unit_t *disp_unit, void *baseptr)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer   = NULL;
    int                    rc;

    if (MPI_WIN_FLAVOR_DYNAMIC == window->flavor) {
        ompi_osc_ucp_window_explain(window, "MPI_Win_shared_query", rank, "a dynamic window has no memory to share");
        return OMPI_ERR_RMA_FLAVOR;
    }
    if (MPI_PROC_NULL != rank && (rank < 0 || rank >= window->size)) {
        ompi_osc_ucp_window_explain_code(window, "MPI_Win_shared_query", rank, MPI_ERR_RANK);
        return MPI_ERR_RANK;
    }
    ompi_osc_ucp_enter();
    rc = queried_peer(window, rank, &peer);
    if (OMPI_SUCCESS == rc && NULL != peer) {
        rc = peer_queried(peer);
    }
    if (OMPI_SUCCESS == rc) {
        *size              = NULL == peer ? 0 : (size_t) peer->size;
        *disp_unit         = NULL == peer ? 0 : (ompi_osc_ucp_unit_t) peer->disp_unit;
        *(void **) baseptr = NULL == peer ? NULL : peer->memory;
    } else {
        ompi_osc_ucp_window_explain_code(window, "MPI_Win_shared_query", rank, rc);
    }
    ompi_osc_ucp_leave();
    return rc;
}
