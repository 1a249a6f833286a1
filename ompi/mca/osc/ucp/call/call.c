/* What all communication calls share: the checks, and finding the peer (MPI-3.1 section 11.3).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/call.h"

#include "base/wait.h"
#include "epoch/access.h"
#include "layout/layout.h"
#include "op/layout_type.h"
#include "path/short.h"
#include "peer/pending.h"
#include "reach/reach.h"
#include "service/target.h"

void ompi_osc_ucp_call_init(ompi_osc_ucp_call_t *call, const ompi_osc_ucp_args_t *args, ompi_win_t *win, int target,
                            ptrdiff_t disp, ompi_request_t **request_p)
{
    *call = (ompi_osc_ucp_call_t) {
        .window = ompi_osc_ucp_window(win), .args = args, .target = target, .disp = disp,
        .transfer.request_p = request_p
    };
    ompi_osc_ucp_layout_contiguous(&call->origin, 0, 0);
    ompi_osc_ucp_layout_contiguous(&call->result, 0, 0);
    ompi_osc_ucp_layout_contiguous(&call->target_layout, 0, 0);
}

int ompi_osc_ucp_buffer_layout(const ompi_osc_ucp_buffer_t *buffer, const ompi_osc_ucp_buffer_t *target,
                               const ompi_osc_ucp_layout_t *target_layout, ompi_osc_ucp_layout_t *layout)
{
    if (NULL == buffer->type) {
        return OMPI_SUCCESS;
    }
    if (buffer->type == target->type && buffer->count == target->count && NULL != target_layout) {
        ompi_osc_ucp_layout_share(layout, target_layout);
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_layout_of_bytes(buffer->type, buffer->count, layout);
}

/** May the call use a mapped peer that was found recently, with no lock to be taken first? Then neither needs the
 *  origin side. Any thread. */
static bool target_found(ompi_osc_ucp_call_t *call)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(call->window, call->target);

    call->transfer.peer = peer;
    return NULL != peer && ompi_osc_ucp_is_mapped(peer) && ompi_osc_ucp_granted(peer) &&
           (NULL == call->transfer.request_p || ompi_osc_ucp_passive(call->window));
}

/** Find the peer, check the epoch, and give the peer its final path. Inside the origin side. */
static int target_find(ompi_osc_ucp_call_t *call)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer(call->window, call->target);
    int                  rc;

    if (NULL == peer) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL != call->transfer.request_p && !ompi_osc_ucp_passive(call->window)) {
        return OMPI_ERR_RMA_SYNC; /* MPI-3.1 section 11.3.5: R calls need a passive-target epoch */
    }
    call->transfer.peer = peer;
    rc = ompi_osc_ucp_access(peer);
    return OMPI_SUCCESS == rc && !peer->known ? ompi_osc_ucp_reach_early(peer, NULL != call->transfer.prim) : rc;
}

/** Turn the displacement into bytes, and check the range. */
static int range_check(ompi_osc_ucp_call_t *call)
{
    const ompi_osc_ucp_layout_t *layout = &call->target_layout;
    const ompi_osc_ucp_peer_t   *peer   = call->transfer.peer;
    int64_t                      bytes;
    bool                         fits = true;

    if (peer->disp_unit < 0) { /* only the target can tell */
        call->transfer.in_units = true;
        call->transfer.disp     = call->disp;
        return OMPI_SUCCESS;
    }
    if (__builtin_mul_overflow((int64_t) call->disp, peer->disp_unit, &bytes)) {
        return OMPI_ERR_RMA_RANGE;
    }
    if (MPI_WIN_FLAVOR_DYNAMIC != call->window->flavor) {
        fits = ompi_osc_ucp_in_range(peer->size < 0 ? INT64_MAX : peer->size, bytes, layout->lb,
                                     layout->ub - call->gap);
    } else if (peer->rank == call->window->rank) { /* other targets check their regions themselves */
        opal_common_ucp_service_lock();
        fits = ompi_osc_ucp_regions_cover(call->window->target->regions, (uint64_t) bytes, layout, 0,
                                          layout->size, call->gap);
        opal_common_ucp_service_unlock();
    }
    call->transfer.disp = bytes;
    return fits ? OMPI_SUCCESS : OMPI_ERR_RMA_RANGE;
}

/** Call the path. A provisional one stays the peer's until the call is over: other threads may enter meanwhile. */
static int verb_run(ompi_osc_ucp_call_t *call)
{
    ompi_osc_ucp_peer_t *peer = call->transfer.peer;
    int                  rc;

    if (peer->known) {
        return call->verb(&call->transfer);
    }
    peer->early++;
    rc = call->verb(&call->transfer);
    peer->early--;
    return rc;
}

int ompi_osc_ucp_call_run(ompi_osc_ucp_call_t *call)
{
    bool inside = !target_found(call);
    int  rc     = OMPI_SUCCESS;

    if (inside) {
        ompi_osc_ucp_enter();
        rc = target_find(call);
    }
    rc = OMPI_SUCCESS == rc ? call->shaped : rc;
    if (OMPI_SUCCESS == rc && 0 == call->bytes) {
        rc = ompi_osc_ucp_request_none(call->transfer.request_p);
    } else if (OMPI_SUCCESS == rc) {
        if (inside && call->transfer.peer->mapped) {
            ompi_osc_ucp_leave(); /* loads and stores of several threads run at the same time */
            inside = false;
        }
        rc = range_check(call);
        if (OMPI_SUCCESS == rc) {
            ompi_osc_ucp_fence_used(call->window);
            rc = verb_run(call);
        }
    }
    if (OPAL_UNLIKELY(OMPI_SUCCESS != rc)) {
        rc = ompi_osc_ucp_call_failed(call, rc);
    }
    if (inside) {
        ompi_osc_ucp_leave();
    }
    if (NULL != call->transfer.request_p) {
        ompi_osc_ucp_polled(); /* the request may be over already */
        rc = OMPI_SUCCESS == rc ? ompi_osc_ucp_request_failed(call->transfer.request_p) : rc;
    }
    ompi_osc_ucp_layout_fini(&call->origin);
    ompi_osc_ucp_layout_fini(&call->result);
    ompi_osc_ucp_layout_fini(&call->target_layout);
    return rc;
}

ompi_osc_ucp_peer_t *ompi_osc_ucp_call_find(ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_peer_t *peer;

    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    ompi_osc_ucp_leave();
    return peer;
}

bool ompi_osc_ucp_block_begin(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes, int64_t *at_p)
{
    return peer->known && !peer->mapped && OMPI_SUCCESS == ompi_osc_ucp_access(peer) &&
           ompi_osc_ucp_block_inside(peer, disp, bytes, at_p);
}
