/* The near path: a process of this node whose control block is mapped here, but not its memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Locks and notices are those of the direct path, operations are messages. Those that are short and waited for are
 * handed over in shared memory, if the target polls (near_mail.h). But for long puts and gets, which the kernel
 * copies from process to process, if it lets us (memory of MPI_Win_create only: a dynamic window's regions are known
 * at the target alone, which has the kernel copy, see am_kernel.h). Whether it does shows when it is tried; a copy that
 * does not succeed becomes a message. A target that polls inside MPI has a part in them (near_share.h).
 */

#include "am.h"
#include "am_kernel.h"
#include "near_mail.h"
#include "near_share.h"
#include "path.h"

#include "../osc_ucp_fast.h"

/** How the peer looks from here, as a process. */
static ompi_osc_ucp_wire_process_t process_of(const ompi_osc_ucp_description_t *description)
{
    return (ompi_osc_ucp_wire_process_t) {
        .head = description->head, .nonce = description->nonce, .pid = description->pid
    };
}

void ompi_osc_ucp_near_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description,
                              ompi_osc_ucp_chunk_head_t *head)
{
    const ompi_osc_ucp_wire_process_t process = process_of(description);

    /* Where processes take turns nobody polls while another one waits for that. */
    if (description->lasting && !opal_progress_yield_when_idle) {
        peer->mailbox = ompi_osc_ucp_mailbox(ompi_osc_ucp_chunk_mailbox(peer->chunk), head);
    }
    if (mca_osc_ucp_component.kernel_copy <= 0) {
        return;
    }
    peer->pid    = (pid_t) description->pid;
    peer->remote = description->base;
    peer->kernel = 0 != description->kernel;
    peer->copies = MPI_WIN_FLAVOR_CREATE == peer->window->flavor && ompi_osc_ucp_kernel_reaches(&process);
    peer->offer  = peer->copies && peer->kernel && description->lasting && !opal_progress_yield_when_idle ?
                       &head->offer : NULL;
}

/** A put or get by the kernel's copy. False: it was not, or not to the end; it may be done again. */
static bool transfer_copied(ompi_osc_ucp_transfer_t *transfer, bool put)
{
    const ompi_osc_ucp_layout_t *local = put ? transfer->origin_layout : transfer->result_layout;
    ompi_osc_ucp_peer_t         *peer  = transfer->peer;
    char                        *buffer = put ? (char *) transfer->origin : transfer->result;

    if (!peer->copies || local->size < (uint64_t) mca_osc_ucp_component.kernel_copy ||
        !ompi_osc_ucp_layout_is_contiguous(local) || !ompi_osc_ucp_layout_is_contiguous(transfer->target_layout)) {
        return false;
    }
    if (!ompi_osc_ucp_share_copy(peer, put, buffer + local->lb,
                                 (uint64_t) (transfer->disp + transfer->target_layout->lb), local->size)) {
        peer->copies = false;
        return false;
    }
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_DIRECT, local->size);
    if (NULL != transfer->request_p) {
        *transfer->request_p = &ompi_request_empty;
    }
    return true;
}

static int near_put(ompi_osc_ucp_transfer_t *transfer)
{
    return transfer_copied(transfer, true) ? OMPI_SUCCESS : ompi_osc_ucp_path_am.put(transfer);
}

static int near_get(ompi_osc_ucp_transfer_t *transfer)
{
    return transfer_copied(transfer, false) ? OMPI_SUCCESS : ompi_osc_ucp_path_am.get(transfer);
}

static int near_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    return ompi_osc_ucp_path_am.accumulate(transfer);
}

static int near_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    return ompi_osc_ucp_path_am.compare_swap(transfer);
}

static int near_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_path_am.flush(peer, awaited);
}

static int near_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    return ompi_osc_ucp_path_direct.lock(peer, exclusive);
}

/** Is nothing on its way to the peer that the target must have applied before a notice takes effect? */
static bool peer_is_quiet(const ompi_osc_ucp_peer_t *peer)
{
    return !peer->unacknowledged && 0 == peer->acknowledging && 0 == peer->open[0] && 0 == peer->open[1];
}

/** Behind operations on their way, the lock is released by a message, which is applied after them. */
static int near_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    return peer_is_quiet(peer) ? ompi_osc_ucp_path_direct.unlock(peer, exclusive, awaited)
                               : ompi_osc_ucp_path_am.unlock(peer, exclusive, awaited);
}

static int near_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_path_direct.post(peer, awaited);
}

static int near_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return peer_is_quiet(peer) ? ompi_osc_ucp_path_direct.complete(peer, awaited)
                               : ompi_osc_ucp_path_am.complete(peer, awaited);
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_near = {
    .messages     = true,
    .via          = OMPI_OSC_UCP_VIA_AM,
    .put          = near_put,
    .get          = near_get,
    .accumulate   = near_accumulate,
    .compare_swap = near_compare_swap,
    .flush        = near_flush,
    .lock         = near_lock,
    .unlock       = near_unlock,
    .post         = near_post,
    .complete     = near_complete
};
