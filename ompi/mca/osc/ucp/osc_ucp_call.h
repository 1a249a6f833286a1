/* What put, get and the accumulate family have in common: check and peer, of the way check, peer, path.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CALL_H
#define OSC_UCP_CALL_H

#include "osc_ucp_peer.h"

/** A buffer argument of a call; one that is absent has no type. */
typedef struct ompi_osc_ucp_buffer_t {
    void            *address;
    size_t           count;
    ompi_datatype_t *type;
} ompi_osc_ucp_buffer_t;

/** Bytes of data in a buffer. */
static inline size_t ompi_osc_ucp_buffer_bytes(const ompi_osc_ucp_buffer_t *buffer)
{
    return buffer->count * buffer->type->super.size;
}

/** The shapes of a call's buffers; a buffer that is absent has the empty one. They are made before the component's lock
 *  is taken (osc_ucp_layout_cache.c), so that an error of theirs comes after others. */
typedef struct ompi_osc_ucp_call_layouts_t {
    ompi_osc_ucp_layout_t origin, result, target;
} ompi_osc_ucp_call_layouts_t;

void ompi_osc_ucp_call_layouts_init(ompi_osc_ucp_call_layouts_t *layouts);
void ompi_osc_ucp_call_layouts_fini(ompi_osc_ucp_call_layouts_t *layouts);

/** The layout of a buffer that may be absent, given the target's, which is of bytes; NULL if it is not. */
int ompi_osc_ucp_buffer_layout(const ompi_osc_ucp_buffer_t *buffer, const ompi_osc_ucp_buffer_t *target,
                               const ompi_osc_ucp_layout_t *target_layout, ompi_osc_ucp_layout_t *layout);

/** A request that never had to wait. */
int ompi_osc_ucp_call_empty(ompi_request_t **request_p);

/** May the call be made now, and what is there to know of its target? Inside the origin side. */
int ompi_osc_ucp_call_target(ompi_osc_ucp_window_t *window, int target, bool requests, ompi_osc_ucp_peer_t **peer_p);

/** Turn the displacement into bytes, and check the range; `gap` bytes of the last cell may lie outside. */
int ompi_osc_ucp_call_range(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, const ompi_osc_ucp_layout_t *layout,
                            int64_t gap, int64_t *bytes_p);

#endif /* OSC_UCP_CALL_H */
