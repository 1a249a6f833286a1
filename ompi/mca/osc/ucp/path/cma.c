/* The cma path: peers on this node whose control block is mapped, and whose memory the kernel copies for this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The origin does everything alone: put and get are one copy, an accumulate reads, combines and writes back under the
 * peer's stripes, which lie in the mapped chunk. An operation that is copied is over when its call returns.
 *
 * The path is the near path with copies: what the kernel must not or cannot copy is a message, and so is what is faster
 * that way, such as a short operation while the peer polls. Operations that follow a message are messages too, until
 * all are applied. So operations of one origin keep their order.
 */

#include "path/cma.h"

#include "base/params.h"
#include "base/wait.h"
#include "memory/attached.h"

/* Put and get. */

bool ompi_osc_ucp_cma_block_copied(ompi_osc_ucp_peer_t *peer, bool write, void *here, int64_t at, uint64_t bytes)
{
    ompi_osc_ucp_cma_vector_t vector;
    bool                      done;

    ompi_osc_ucp_cma_begin(&vector);
    ompi_osc_ucp_cma_add(&vector, here, peer->remote + (uint64_t) at, bytes);
    done = ompi_osc_ucp_cma_copy(peer->pid, write, &vector);
    ompi_osc_ucp_cma_end(peer);
    if (done) {
        ompi_osc_ucp_cma_done(peer, bytes);
    }
    return done;
}

/** Add what comes next, as much as there is room for. False: there is no more. */
static bool gather(ompi_osc_ucp_cma_cursor_t *cursor, ompi_osc_ucp_layout_iter_t *local, void *buffer,
                   ompi_osc_ucp_cma_vector_t *vector)
{
    uint64_t room, bytes;
    int64_t  disp;

    ompi_osc_ucp_cma_begin(vector);
    while (ompi_osc_ucp_cma_room(vector, 1) && vector->bytes < OMPI_OSC_UCP_CMA_BYTES &&
           ompi_osc_ucp_cma_cursor_look(cursor)) {
        room = OMPI_OSC_UCP_CMA_BYTES - vector->bytes;
        room = cursor->run < room ? cursor->run : room;
        if (!ompi_osc_ucp_layout_iter_next(local, room, &disp, &bytes)) {
            break;
        }
        ompi_osc_ucp_cma_add(vector, (void *) ((uintptr_t) buffer + (uintptr_t) disp), cursor->address, bytes);
        ompi_osc_ucp_cma_cursor_pass(cursor, bytes);
    }
    return vector->bytes > 0;
}

int ompi_osc_ucp_cma_copied(ompi_osc_ucp_transfer_t *transfer, bool write)
{
    void                        *buffer = write ? (void *) transfer->origin : transfer->result;
    ompi_osc_ucp_layout_iter_t   local;
    ompi_osc_ucp_cma_vector_t    vector;
    ompi_osc_ucp_cma_cursor_t    cursor;
    bool                         done = true;

    ompi_osc_ucp_cma_cursor_begin(&cursor, transfer, 0);
    ompi_osc_ucp_layout_iter_init(&local, write ? transfer->origin_layout : transfer->result_layout, 0);
    while (done && gather(&cursor, &local, buffer, &vector)) {
        done = ompi_osc_ucp_cma_copy(transfer->peer->pid, write, &vector);
    }
    ompi_osc_ucp_cma_end(transfer->peer);
    return done ? OMPI_SUCCESS : ompi_osc_ucp_cma_failed(transfer->peer, false);
}

static int cma_put(ompi_osc_ucp_transfer_t *transfer)
{
    if (!ompi_osc_ucp_cma_transfer_begin(transfer, 1)) {
        return ompi_osc_ucp_am_put(transfer);
    }
    return ompi_osc_ucp_cma_transfer_over(transfer, ompi_osc_ucp_cma_copied(transfer, true), ompi_osc_ucp_am_put);
}

static int cma_get(ompi_osc_ucp_transfer_t *transfer)
{
    if (!ompi_osc_ucp_cma_transfer_begin(transfer, 1)) {
        return ompi_osc_ucp_am_get(transfer);
    }
    return ompi_osc_ucp_cma_transfer_over(transfer, ompi_osc_ucp_cma_copied(transfer, false), ompi_osc_ucp_am_get);
}

static bool cma_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    if (bytes > OMPI_OSC_UCP_CMA_BYTES || !ompi_osc_ucp_cma_block_begin(peer, 1, at, bytes)) {
        return ompi_osc_ucp_am_put_block(peer, at, origin, bytes);
    }
    return ompi_osc_ucp_cma_block_copied(peer, true, (void *) origin, at, bytes);
}

static bool cma_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes)
{
    if (bytes > OMPI_OSC_UCP_CMA_BYTES || !ompi_osc_ucp_cma_block_begin(peer, 1, at, bytes)) {
        return ompi_osc_ucp_am_get_block(peer, at, result, bytes);
    }
    return ompi_osc_ucp_cma_block_copied(peer, false, result, at, bytes);
}

/* Completion. */

/** Copies take so much longer than loads and stores that a completion counts as this many calls: progress, which a
 *  program may poll for, comes as soon as it does there. */
#define CALLS_PER_COMPLETION 64

static int cma_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    ompi_osc_ucp_calls += CALLS_PER_COMPLETION;
    peer->copies = 0;
    return ompi_osc_ucp_am_flush(peer, awaited);
}

static int cma_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    ompi_osc_ucp_calls += CALLS_PER_COMPLETION;
    peer->copies = 0;
    return ompi_osc_ucp_near_unlock(peer, exclusive, awaited);
}

static int cma_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    peer->copies = 0;
    return ompi_osc_ucp_near_complete(peer, awaited);
}

static void cma_detach(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->insider) {
        ompi_osc_ucp_insider_give(peer->attached, peer->insider);
    }
    peer->insider  = NULL;
    peer->attached = NULL;
    ompi_osc_ucp_near_detach(peer);
}

/** The process's number is right if its memory has what is mapped here, in the chunk's head. */
static int cma_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    ompi_osc_ucp_chunk_head_t *head;
    int                        rc = OMPI_ERR_NOT_SUPPORTED;

    if (0 == ompi_osc_ucp_params.kernel_copy || NULL == description || !description->cma ||
        OMPI_SUCCESS != ompi_osc_ucp_near_attach(peer, description)) {
        return rc;
    }
    head = ompi_osc_ucp_mapped_head(peer, description);
    if (MPI_WIN_FLAVOR_DYNAMIC == peer->window->flavor) {
        peer->attached = (ompi_osc_ucp_attached_t *) (peer->control + 1);
        peer->insider  = ompi_osc_ucp_insider_take(peer->attached);
    }
    if (!ompi_osc_ucp_cma_reaches(description->pid, description->head, head->nonce)) {
        ompi_osc_ucp_cma_refuse();
        cma_detach(peer);
        return rc;
    }
    if (NULL != peer->attached && NULL == peer->insider) {
        cma_detach(peer);
        return rc;
    }
    (void) ompi_osc_ucp_cma_self(); /* which a holder of the peer's stripes tells */
    peer->cma      = true;
    peer->pid      = description->pid;
    peer->proof_at = description->head;
    peer->proof    = head->nonce;
    peer->remote   = description->base;
    peer->stripes  = head->stripes;
    peer->key_base = 0;
    return OMPI_SUCCESS;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_cma = {
    .via              = OMPI_OSC_UCP_VIA_AM,
    .attach           = cma_attach,
    .detach           = cma_detach,
    .put              = cma_put,
    .get              = cma_get,
    .accumulate       = ompi_osc_ucp_cma_accumulate,
    .compare_swap     = ompi_osc_ucp_cma_compare_swap,
    .put_block        = cma_put_block,
    .get_block        = cma_get_block,
    .accumulate_block = ompi_osc_ucp_cma_accumulate_block,
    .swap_block       = ompi_osc_ucp_cma_swap_block,
    .flush            = cma_flush,
    .lock             = ompi_osc_ucp_mapped_lock,
    .unlock           = cma_unlock,
    .counters         = ompi_osc_ucp_mapped_counters,
    .raise            = ompi_osc_ucp_near_raise,
    .post             = ompi_osc_ucp_mapped_post,
    .complete         = cma_complete,
    .arrive           = ompi_osc_ucp_mapped_arrive
};
