/* Check and peer of the communication calls (MPI-3.1 section 11.3).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "osc_ucp_call.h"
#include "osc_ucp_check.h"
#include "osc_ucp_layout_type.h"
#include "path/am_target.h"

int ompi_osc_ucp_call_empty(ompi_request_t **request_p)
{
    if (NULL != request_p) {
        *request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_call_target(ompi_osc_ucp_window_t *window, int target, bool requests, ompi_osc_ucp_peer_t **peer_p)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer(window, target);
    int                  rc;

    if (NULL == peer) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (requests && !ompi_osc_ucp_passive(window)) {
        return OMPI_ERR_RMA_SYNC; /* MPI-3.1 section 11.3.5: within a passive target epoch only */
    }
    rc = ompi_osc_ucp_check_access(peer);
    if (OMPI_SUCCESS == rc) {
        rc = ompi_osc_ucp_peer_describe(peer);
    }
    *peer_p = peer;
    return rc;
}

int ompi_osc_ucp_call_range(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, const ompi_osc_ucp_layout_t *layout,
                            int64_t gap, int64_t *bytes_p)
{
    ompi_osc_ucp_window_t *window = peer->window;
    int64_t                bytes;
    bool                   fits;

    if (__builtin_mul_overflow((int64_t) disp, peer->disp_unit, &bytes)) {
        return OMPI_ERR_RMA_RANGE;
    }
    if (MPI_WIN_FLAVOR_DYNAMIC != window->flavor) {
        fits = ompi_osc_ucp_in_range(peer->size, bytes, layout->lb, layout->ub - gap);
    } else if (peer->rank == window->rank) {
        opal_common_ucp_service_lock();
        fits = ompi_osc_ucp_regions_cover(window->target->regions, (uint64_t) bytes, layout, gap);
        opal_common_ucp_service_unlock();
    } else {
        fits = true; /* only the target knows its regions */
    }
    *bytes_p = bytes;
    return fits ? OMPI_SUCCESS : OMPI_ERR_RMA_RANGE;
}

void ompi_osc_ucp_call_layouts_init(ompi_osc_ucp_call_layouts_t *layouts)
{
    ompi_osc_ucp_layout_contiguous(&layouts->origin, 0, 0);
    ompi_osc_ucp_layout_contiguous(&layouts->result, 0, 0);
    ompi_osc_ucp_layout_contiguous(&layouts->target, 0, 0);
}

void ompi_osc_ucp_call_layouts_fini(ompi_osc_ucp_call_layouts_t *layouts)
{
    ompi_osc_ucp_layout_fini(&layouts->origin);
    ompi_osc_ucp_layout_fini(&layouts->result);
    ompi_osc_ucp_layout_fini(&layouts->target);
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
