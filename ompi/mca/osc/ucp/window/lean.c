/* Lean windows: all members share a node, and nothing needs a message, so that neither UCX nor a thread is started.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A lean window has all its shared memory in one segment (memory/segment.h). Windows of MPI_Win_allocate_shared have
 * such a segment in any case.
 */

#include "window/stages.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/params.h"
#include "layer/layer.h"
#include "memory/limits.h"

bool ompi_osc_ucp_lean_possible(const ompi_osc_ucp_window_t *window, const ompi_communicator_t *comm)
{
    const ompi_osc_ucp_params_t *params = &ompi_osc_ucp_params;
    bool                         shared = MPI_WIN_FLAVOR_SHARED == window->flavor;

    /* The post of a rank without a bit is a message. */
    if (window->size < 2 || window->size > OMPI_OSC_UCP_POST_RANKS ||
        (!shared && MPI_WIN_FLAVOR_ALLOCATE != window->flavor) || 0 == params->node || 0 != params->survive ||
        window->alignment > (size_t) sysconf(_SC_PAGESIZE) ||
        ompi_group_have_remote_peers(comm->c_local_group)) {
        return false;
    }
    return (shared || (0 != params->direct && OMPI_OSC_UCP_DOMAIN_NIC != params->atomic_domain)) &&
           !ompi_osc_ucp_devices_possible();
}

static int segment_make(ompi_osc_ucp_creation_t *creation)
{
    ompi_osc_ucp_window_t     *window = creation->window;
    const ompi_osc_ucp_share_t share  = {
        .memory     = (uint64_t) window->bytes,
        .counters   = window->counters_max,
        .alignment  = window->alignment,
        .uniform    = window->uniform_bytes >= 0,
        .contiguous = MPI_WIN_FLAVOR_SHARED == window->flavor && !window->noncontig,
        .must       = MPI_WIN_FLAVOR_SHARED == window->flavor,
        .size       = window->bytes,
        .disp_unit  = window->disp_unit
    };
    uint64_t              bytes = UINT64_MAX;
    ompi_osc_ucp_member_t mine;
    int                   rc = ompi_osc_ucp_segment_share(creation->comm, &share, &window->segment, &bytes);

    if (OMPI_SUCCESS == rc) {
        mine             = ompi_osc_ucp_segment_member(window->segment, window->rank);
        window->stripes  = mine.stripes;
        window->key_base = mine.key_base;
        window->control  = mine.control;
        window->base     = mine.memory;
    } else if (share.must && 0 == bytes) {
        creation->reason = strdup("the sum of its sizes is larger than any memory");
    } else if (share.must && UINT64_MAX != bytes) {
        creation->reason = ompi_osc_ucp_memory_shortage(bytes);
    }
    return rc;
}

int ompi_osc_ucp_segment_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;

    if (OMPI_SUCCESS != rc || (!window->lean && MPI_WIN_FLAVOR_SHARED != window->flavor)) {
        return rc;
    }
    rc = segment_make(creation);
    if (OMPI_SUCCESS != rc && MPI_WIN_FLAVOR_SHARED != window->flavor) {
        opal_output_verbose(10, ompi_osc_base_framework.framework_output,
                            "osc/ucp: the %d processes of a window cannot share a segment, and use UCX", window->size);
        window->lean = window->crowded = false;
        rc = OMPI_SUCCESS;
    }
    return rc;
}

void ompi_osc_ucp_segment_down(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_segment_free(window->segment);
    window->segment = NULL;
}
