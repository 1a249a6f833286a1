/* The direct path: load, store and CPU atomics on memory that is mapped here, oneself's included.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every operation is over when its call returns; completing it is a fence. Locks and notices are atomics on the peer's
 * control block, also for peers of which nothing else is mapped (path/near.c).
 */

#include "am.h"
#include "am_target.h"
#include "path.h"

#include "../osc_ucp_fast.h"
#include "../osc_ucp_op_layout.h"

/** Accumulates pass through buffers of this size, so that no datatype and no gap reaches the kernels. */
#define STAGE_BYTES 4096

static char *place(const ompi_osc_ucp_transfer_t *transfer)
{
    return transfer->peer->memory + transfer->disp;
}

static uintptr_t stripe_key(const ompi_osc_ucp_transfer_t *transfer, const char *address)
{
    return (uintptr_t) address - transfer->peer->key_base;
}

static int finished(ompi_osc_ucp_transfer_t *transfer)
{
    if (NULL != transfer->request_p) {
        *transfer->request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

static int direct_put(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_stored();
    ompi_osc_ucp_layout_copy(transfer->target_layout, place(transfer), transfer->origin_layout, transfer->origin);
    return finished(transfer);
}

static int direct_get(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_loads_follow();
    ompi_osc_ucp_layout_copy(transfer->result_layout, transfer->result, transfer->target_layout, place(transfer));
    return finished(transfer);
}

static int direct_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim = transfer->prim;
    ompi_osc_ucp_layout_iter_t target, origin, result;
    _Alignas(64) char          source[STAGE_BYTES], old[STAGE_BYTES];
    bool                       reads = NULL != transfer->origin_layout, fetches = NULL != transfer->result_layout;
    size_t                     left  = transfer->target_layout->size / prim->extent, n;

    ompi_osc_ucp_layout_iter_init(&target, transfer->target_layout, 0);
    if (reads) {
        ompi_osc_ucp_layout_iter_init(&origin, transfer->origin_layout, 0);
    }
    if (fetches) {
        ompi_osc_ucp_layout_iter_init(&result, transfer->result_layout, 0);
    }
    ompi_osc_ucp_updated();
    for (; left > 0; left -= n) {
        n = left < STAGE_BYTES / prim->extent ? left : STAGE_BYTES / prim->extent;
        if (reads) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, source, n * prim->size);
        }
        ompi_osc_ucp_op_apply_layout(transfer->peer->stripes, transfer->peer->key_base, transfer->op, prim,
                                     place(transfer), &target, reads ? source : NULL, fetches ? old : NULL, n);
        if (fetches) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, old, n * prim->size);
        }
    }
    return finished(transfer);
}

static int direct_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    char *target = place(transfer) + transfer->target_layout->lb;

    ompi_osc_ucp_updated();
    ompi_osc_ucp_op_compare_swap(transfer->peer->stripes, stripe_key(transfer, target), transfer->prim,
                                 target, (const char *) transfer->origin + transfer->origin_layout->lb,
                                 transfer->compare, (char *) transfer->result + transfer->result_layout->lb);
    return finished(transfer);
}

static int direct_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) peer;
    (void) awaited;
    ompi_osc_ucp_stores_complete();
    return OMPI_SUCCESS;
}

/* Locks and notices: what is done to a control block that is mapped here. */

void ompi_osc_ucp_turn_tell(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;

    if (peer->rank == peer->window->rank) {
        ompi_osc_ucp_target_look(peer->window->target);
    } else {
        (void) ompi_osc_ucp_am_notify(peer, OMPI_OSC_UCP_KIND_LOOK, 0, &awaited);
        ompi_osc_ucp_await(&awaited);
    }
}

static int direct_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    ompi_osc_ucp_lockword_t *word  = &peer->control->lock;
    unsigned                 steps = 0;
    uint32_t                 ticket;

    if (ompi_osc_ucp_joins(exclusive)) {
        if (!ompi_osc_ucp_lockword_join(word)) {
            while (!peer->window->lost && !ompi_osc_ucp_lockword_joined(word)) {
                ompi_osc_ucp_spin(&steps);
            }
        }
        return peer->window->lost ? OMPI_ERR_WIN : OMPI_SUCCESS;
    }
    ticket = ompi_osc_ucp_lockword_draw(word);
    while (!ompi_osc_ucp_lockword_enter(word, ticket, exclusive)) {
        ompi_osc_ucp_spin(&steps);
        if (peer->window->lost) {
            return OMPI_ERR_WIN;
        }
    }
    if (!exclusive && ompi_osc_ucp_lockword_remote(word)) {
        ompi_osc_ucp_turn_tell(peer); /* the next may be a reader, too */
    }
    return OMPI_SUCCESS;
}

static int direct_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_lockword_leave(&peer->control->lock, exclusive);
    if (ompi_osc_ucp_lockword_remote(&peer->control->lock)) {
        ompi_osc_ucp_turn_tell(peer);
    }
    return OMPI_SUCCESS;
}

static int direct_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    if (ompi_osc_ucp_control_post(peer->control, (uint32_t) peer->window->rank)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_am_notify(peer, OMPI_OSC_UCP_KIND_POST, 0, awaited);
}

static int direct_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) awaited;
    __atomic_fetch_add(&peer->control->completes, 1, __ATOMIC_SEQ_CST);
    return OMPI_SUCCESS;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_direct = {
    .via              = OMPI_OSC_UCP_VIA_DIRECT,
    .loads_and_stores = true,
    .put          = direct_put,
    .get          = direct_get,
    .accumulate   = direct_accumulate,
    .compare_swap = direct_compare_swap,
    .flush        = direct_flush,
    .lock         = direct_lock,
    .unlock       = direct_unlock,
    .post         = direct_post,
    .complete     = direct_complete
};
