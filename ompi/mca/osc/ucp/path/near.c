/* The near path: peers on this node whose control block is mapped, but not their window memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks and notices are those of the direct path, but messages behind operations under way. Operations are messages;
 * packets whose sender waits for a reply go by fastbox (message/fastbox.h).
 */

#include "message/fastbox.h"
#include "path/am.h"

int ompi_osc_ucp_near_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    ompi_osc_ucp_chunk_head_t *head = NULL;

    if (NULL != description && !description->memory) {
        head = ompi_osc_ucp_mapped_attach(peer, description);
    }
    if (NULL == head) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    /* If Open MPI yields when idle, processes share processors: a target rarely polls while its origin does. */
    if (description->lasting && !opal_progress_yield_when_idle) {
        peer->fastbox = ompi_osc_ucp_fastbox_attach(ompi_osc_ucp_chunk_extra(peer->chunk), head);
    }
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_near_detach(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_fastboxes_forget(peer);
    ompi_osc_ucp_mapped_detach(peer);
}

int ompi_osc_ucp_near_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    return ompi_osc_ucp_peer_is_quiet(peer) ? ompi_osc_ucp_mapped_unlock(peer, exclusive, awaited)
                                            : ompi_osc_ucp_am_unlock(peer, exclusive, awaited);
}

int ompi_osc_ucp_near_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_peer_is_quiet(peer) ? ompi_osc_ucp_mapped_complete(peer, awaited)
                                            : ompi_osc_ucp_am_complete(peer, awaited);
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_near = {
    .via              = OMPI_OSC_UCP_VIA_AM,
    .attach           = ompi_osc_ucp_near_attach,
    .detach           = ompi_osc_ucp_near_detach,
    .put              = ompi_osc_ucp_am_put,
    .get              = ompi_osc_ucp_am_get,
    .accumulate       = ompi_osc_ucp_am_accumulate,
    .compare_swap     = ompi_osc_ucp_am_compare_swap,
    .put_block        = ompi_osc_ucp_am_put_block,
    .get_block        = ompi_osc_ucp_am_get_block,
    .accumulate_block = ompi_osc_ucp_am_accumulate_block,
    .swap_block       = ompi_osc_ucp_am_swap_block,
    .flush            = ompi_osc_ucp_am_flush,
    .lock             = ompi_osc_ucp_mapped_lock,
    .unlock           = ompi_osc_ucp_near_unlock,
    .counters         = ompi_osc_ucp_mapped_counters,
    .raise            = ompi_osc_ucp_near_raise,
    .post             = ompi_osc_ucp_mapped_post,
    .complete         = ompi_osc_ucp_near_complete,
    .arrive           = ompi_osc_ucp_mapped_arrive
};
