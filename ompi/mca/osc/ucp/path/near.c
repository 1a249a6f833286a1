/* The near path: peers on this node whose control block is mapped, but not their window memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks and notices are those of the direct path, but messages behind operations under way. Operations are messages;
 * packets whose sender waits for a reply go by fastbox (message/fastbox.h). Long puts and gets to memory of
 * MPI_Win_create are copies by the kernel (memory/cma.h), where it permits that; for dynamic windows the target starts
 * them, because only it knows its regions. A copy that the kernel refuses becomes a message.
 */

#include "base/params.h"
#include "memory/cma.h"
#include "message/fastbox.h"
#include "path/am.h"
#include "peer/pending.h"

/** Find out in which direction the kernel copies between this process and the peer, whose number is right if its memory
 *  has what is mapped here, at `head`. */
static void cma_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description,
                       const ompi_osc_ucp_chunk_head_t *head)
{
    peer->pid        = (pid_t) description->pid;
    peer->remote     = description->base;
    peer->cma_target = 0 != description->cma;
    peer->cma        = MPI_WIN_FLAVOR_CREATE == peer->window->flavor &&
                       ompi_osc_ucp_cma_reaches(description->pid, description->head, head->nonce);
}

static int near_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
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
    if (ompi_osc_ucp_params.kernel_copy > 0) {
        cma_attach(peer, description, head);
    }
    return OMPI_SUCCESS;
}

static void near_detach(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_fastboxes_forget(peer);
    ompi_osc_ucp_mapped_detach(peer);
}

/** A put or get as a copy by the kernel. False: it was not copied, or in part; the caller sends a message instead. */
static bool transfer_copied(ompi_osc_ucp_transfer_t *transfer, bool put)
{
    const ompi_osc_ucp_layout_t *local  = put ? transfer->origin_layout : transfer->result_layout;
    ompi_osc_ucp_peer_t         *peer   = transfer->peer;
    char                        *buffer = put ? (char *) transfer->origin : transfer->result;

    if (!peer->cma || local->size < (uint64_t) ompi_osc_ucp_params.kernel_copy ||
        !ompi_osc_ucp_layout_is_contiguous(local) || !ompi_osc_ucp_layout_is_contiguous(transfer->target_layout)) {
        return false;
    }
    if (!ompi_osc_ucp_cma_copy(peer->pid, put, buffer + local->lb,
                               peer->remote + (uint64_t) (transfer->disp + transfer->target_layout->lb),
                               local->size)) {
        peer->cma = false;
        return false;
    }
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_DIRECT, local->size);
    (void) ompi_osc_ucp_request_none(transfer->request_p);
    return true;
}

static int near_put(ompi_osc_ucp_transfer_t *transfer)
{
    return transfer_copied(transfer, true) ? OMPI_SUCCESS : ompi_osc_ucp_am_put(transfer);
}

static int near_get(ompi_osc_ucp_transfer_t *transfer)
{
    return transfer_copied(transfer, false) ? OMPI_SUCCESS : ompi_osc_ucp_am_get(transfer);
}

static int near_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    return ompi_osc_ucp_peer_is_quiet(peer) ? ompi_osc_ucp_mapped_unlock(peer, exclusive, awaited)
                                            : ompi_osc_ucp_am_unlock(peer, exclusive, awaited);
}

static int near_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_peer_is_quiet(peer) ? ompi_osc_ucp_mapped_complete(peer, awaited)
                                            : ompi_osc_ucp_am_complete(peer, awaited);
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_near = {
    .via              = OMPI_OSC_UCP_VIA_AM,
    .attach           = near_attach,
    .detach           = near_detach,
    .put              = near_put,
    .get              = near_get,
    .accumulate       = ompi_osc_ucp_am_accumulate,
    .compare_swap     = ompi_osc_ucp_am_compare_swap,
    .put_block        = ompi_osc_ucp_am_put_block,
    .get_block        = ompi_osc_ucp_am_get_block,
    .accumulate_block = ompi_osc_ucp_am_accumulate_block,
    .swap_block       = ompi_osc_ucp_am_swap_block,
    .flush            = ompi_osc_ucp_am_flush,
    .lock             = ompi_osc_ucp_mapped_lock,
    .unlock           = near_unlock,
    .post             = ompi_osc_ucp_mapped_post,
    .complete         = near_complete,
    .arrive           = ompi_osc_ucp_mapped_arrive
};
