/* Operations with notification: what comes before and behind a put, get or accumulate (docs/notified.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The library calls MPI's own function in between, so layers and short ways serve these operations too.
 */

#include "call/notified.h"

#include <inttypes.h>

#include "call/call.h"
#include "epoch/missing.h"
#include "ompi/errhandler/errcode-internal.h"
#include "path/short.h"
#include "peer/explain.h"
#include "reach/reach.h"

void (*ompi_osc_ucp_notified_before)(ompi_osc_ucp_window_t *window, int target);

/** The peer if it was found recently and is locked in a passive-target epoch; else NULL. Any thread. */
static inline ompi_osc_ucp_peer_t *peer_short(const ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, target);

    return NULL != peer && ompi_osc_ucp_passive(window) && ompi_osc_ucp_granted(peer) ? peer : NULL;
}

/** Is the index one of the peer's? Inside. */
static int index_check(ompi_osc_ucp_peer_t *peer, int index, const char *call)
{
    uint32_t count = 0;
    int      rc    = ompi_osc_ucp_reach(peer);

    rc = OMPI_SUCCESS == rc ? peer->path->counters(peer, &count) : rc;
    if (OMPI_SUCCESS == rc && (index < 0 || (uint32_t) index >= count)) {
        ompi_osc_ucp_window_explain(peer->window, call, peer->rank, "the target has no notification counter %d: it has "
                                    "%" PRIu32 ", as it said in MPIX_Win_set_num_notify", index, count);
        return MCA_OSC_UCP_NOTIFIED_INDEX;
    }
    return rc;
}

static int check_other(ompi_osc_ucp_window_t *window, int target, int index, const char *call,
                       mca_osc_ucp_notice_t *notice_p)
{
    ompi_osc_ucp_peer_t *peer;
    int                  rc;

    if (target < 0 || target >= window->size) {
        return MPI_ERR_RANK;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    rc   = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE
                        : ompi_osc_ucp_passive(window) ? ompi_osc_ucp_access(peer) : OMPI_ERR_RMA_SYNC;
    rc   = ompi_osc_ucp_sync_outcome(window, call, OMPI_OSC_UCP_NEED_PASSIVE, target, rc);
    rc   = OMPI_SUCCESS == rc ? index_check(peer, index, call) : rc;
    if (OMPI_SUCCESS == rc) {
        *notice_p = (mca_osc_ucp_notice_t) { .begin = ompi_osc_ucp_next_place(peer) };
    }
    ompi_osc_ucp_leave();
    return rc;
}

/** The same for a peer that is not mapped, if its number of counters is known here. False: it is not, or the index is
 *  not one of its. Not with several threads. */
static bool check_known(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t *peer, int index,
                        mca_osc_ucp_notice_t *notice_p)
{
    uint32_t count;

    if (ompi_osc_ucp_threaded() || !peer->known) {
        return false;
    }
    count = NULL != peer->control                      ? __atomic_load_n(&peer->control->counters, __ATOMIC_ACQUIRE)
            : peer->renumbered == window->renumbered ? peer->counters
                                                     : 0;
    if (index < 0 || (uint32_t) index >= count) {
        return false;
    }
    *notice_p = (mca_osc_ucp_notice_t) { .begin = ompi_osc_ucp_next_place(peer) };
    return true;
}

int ompi_osc_ucp_notified_check(ompi_osc_ucp_window_t *window, int target, int index, const char *call,
                                mca_osc_ucp_notice_t *notice_p)
{
    ompi_osc_ucp_peer_t *peer = peer_short(window, target);
    int                  rc;

    if (OPAL_UNLIKELY(NULL != ompi_osc_ucp_notified_before && MPI_PROC_NULL != target)) {
        ompi_osc_ucp_notified_before(window, target);
    }
    if (NULL != peer && ompi_osc_ucp_is_mapped(peer)) {
        if (index >= 0 && (uint32_t) index < __atomic_load_n(&peer->control->counters, __ATOMIC_ACQUIRE)) {
            notice_p->counter = ompi_osc_ucp_counter(peer->control, window->counters_max, (uint32_t) index);
            return MPI_SUCCESS;
        }
    } else if (NULL != peer && check_known(window, peer, index, notice_p)) {
        return MPI_SUCCESS;
    }
    if (MPI_PROC_NULL == target) {
        *notice_p = (mca_osc_ucp_notice_t) { .begin = 0 };
        return index < 0 ? MCA_OSC_UCP_NOTIFIED_INDEX : MPI_SUCCESS;
    }
    rc = check_other(window, target, index, call, notice_p);
    return MCA_OSC_UCP_NOTIFIED_INDEX == rc ? rc : ompi_errcode_get_mpi_code(rc);
}

/* Not for peers that are mapped when the operation begins. Its own first use may have mapped the peer. */
int ompi_osc_ucp_notified_raise(MPI_Win win, int target, int index, const char *call, int64_t begin)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    int                    rc;

    if (MPI_PROC_NULL == target) {
        return MPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    rc   = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE
                        : window->lost ? OMPI_ERR_WIN : peer->path->raise(peer, (uint32_t) index, begin);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_window_explain_code(window, call, target, rc);
    }
    ompi_osc_ucp_leave();
    return ompi_errcode_get_mpi_code(rc);
}
