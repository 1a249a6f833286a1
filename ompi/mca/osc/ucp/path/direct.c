/* The direct path: load, store and CPU atomics on mapped memory, and on the process's own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An operation is over when its call returns; a memory fence completes it. Locks and notices are atomics on the peer's
 * control block. The near path shares those.
 */

#include "path/am.h"

#include "base/params.h"
#include "base/stores.h"
#include "base/wait.h"
#include "message/message.h"
#include "op/op_layout.h"
#include "peer/pending.h"

/** Bytes of the buffers in which accumulates pack elements, because op/op.c takes neither datatypes nor gaps. */
#define BOUNCE_BYTES 4096

static char *target_addr(const ompi_osc_ucp_transfer_t *transfer)
{
    return transfer->peer->memory + transfer->disp;
}

static uintptr_t stripe_key(const ompi_osc_ucp_transfer_t *transfer, const char *address)
{
    return (uintptr_t) address - transfer->peer->key_base;
}

static int direct_put(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_stored();
    ompi_osc_ucp_layout_copy(transfer->target_layout, target_addr(transfer), transfer->origin_layout, transfer->origin);
    return ompi_osc_ucp_request_none(transfer->request_p);
}

static int direct_get(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_loads_follow();
    ompi_osc_ucp_layout_copy(transfer->result_layout, transfer->result, transfer->target_layout, target_addr(transfer));
    return ompi_osc_ucp_request_none(transfer->request_p);
}

static int direct_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim = transfer->prim;
    ompi_osc_ucp_layout_iter_t target, origin, result;
    _Alignas(64) char          source[BOUNCE_BYTES], old[BOUNCE_BYTES];
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
        n = left < BOUNCE_BYTES / prim->extent ? left : BOUNCE_BYTES / prim->extent;
        if (reads) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, source, n * prim->size);
        }
        ompi_osc_ucp_op_apply_layout(transfer->peer->stripes, transfer->peer->key_base, transfer->op, prim,
                                     target_addr(transfer), &target, reads ? source : NULL, fetches ? old : NULL, n);
        if (fetches) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, old, n * prim->size);
        }
    }
    return ompi_osc_ucp_request_none(transfer->request_p);
}

static int direct_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    char *target = target_addr(transfer) + transfer->target_layout->lb;

    ompi_osc_ucp_updated();
    ompi_osc_ucp_op_compare_swap(transfer->peer->stripes, stripe_key(transfer, target), transfer->prim,
                                 target, (const char *) transfer->origin + transfer->origin_layout->lb,
                                 transfer->compare, (char *) transfer->result + transfer->result_layout->lb);
    return ompi_osc_ucp_request_none(transfer->request_p);
}

/* Locks and notices, on a mapped control block. */

/** Lock as a reader that holds another lock already. */
static int mapped_join(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_lockword_t *word   = &peer->control->lock;
    ompi_osc_ucp_joiner_t    joiner = ompi_osc_ucp_lockword_stand(word, opal_common_ucp_now_ns());
    unsigned                 steps  = 0;

    while (!peer->window->lost && !ompi_osc_ucp_lockword_join(word, &joiner, opal_common_ucp_now_ns())) {
        ompi_osc_ucp_spin_long(&steps);
    }
    while (!peer->window->lost && !ompi_osc_ucp_lockword_joined(word)) {
        ompi_osc_ucp_spin_long(&steps);
    }
    return peer->window->lost ? OMPI_ERR_WIN : OMPI_SUCCESS;
}

/** Lock past the queue if that is allowed and possible. Not while a request waits at the service side: each unlock
 *  would send it a doorbell. */
static bool mapped_lock_again(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    ompi_osc_ucp_lockword_t *word = &peer->control->lock;

    return peer->again > 0 && opal_common_ucp_now_ns() < peer->again && !ompi_osc_ucp_lockword_remote(word) &&
           ompi_osc_ucp_lockword_again(word, exclusive);
}

int ompi_osc_ucp_mapped_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    ompi_osc_ucp_lockword_t *word  = &peer->control->lock;
    unsigned                 steps = 0;
    uint32_t                 ticket;

    if (ompi_osc_ucp_joins(exclusive)) {
        return mapped_join(peer);
    }
    if (mapped_lock_again(peer, exclusive)) {
        return OMPI_SUCCESS;
    }
    ticket = ompi_osc_ucp_lockword_draw(word);
    while (!ompi_osc_ucp_lockword_enter(word, ticket, exclusive)) {
        ompi_osc_ucp_spin_long(&steps);
        if (peer->window->lost) {
            return OMPI_ERR_WIN;
        }
    }
    if (opal_progress_yield_when_idle) {
        peer->again = opal_common_ucp_now_ns() + OMPI_OSC_UCP_LOCKWORD_AGAIN_NS;
    }
    if (!exclusive && ompi_osc_ucp_lockword_remote(word)) {
        ompi_osc_ucp_doorbell(peer); /* a reader passes the turn on, maybe to one that waits at the service side */
    }
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_mapped_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_lockword_leave(&peer->control->lock, exclusive);
    if (ompi_osc_ucp_lockword_remote(&peer->control->lock)) {
        ompi_osc_ucp_doorbell(peer);
    }
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_mapped_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    if (ompi_osc_ucp_control_post(peer->control, (uint32_t) peer->window->rank)) {
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_notify(peer, OMPI_OSC_UCP_KIND_POST, 0, awaited);
}

int ompi_osc_ucp_mapped_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) awaited;
    __atomic_fetch_add(&peer->control->completes, 1, __ATOMIC_SEQ_CST);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_mapped_arrive(ompi_osc_ucp_peer_t *peer, int round, uint32_t *awaited)
{
    (void) awaited;
    if (peer->window->veto) {
        __atomic_store_n(&peer->control->vetoed[peer->window->barriers & 1], 1, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&peer->control->arrived[round], peer->window->barriers, __ATOMIC_RELEASE);
    return OMPI_SUCCESS;
}

/* Attaching a peer. */

ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_mapped_attach(ompi_osc_ucp_peer_t                *peer,
                                                      const ompi_osc_ucp_description_t *description)
{
    ompi_osc_ucp_chunk_head_t *head;

    if (0 == ompi_osc_ucp_params.direct || peer->window->nic || 0 == description->chunk) {
        return NULL;
    }
    peer->chunk = ompi_osc_ucp_chunk_map(&peer->proc->chunks, peer->ep, description, &head);
    if (NULL == peer->chunk) {
        return NULL;
    }
    peer->control = (ompi_osc_ucp_control_t *) ((char *) head + description->offset);
    return head;
}

ompi_osc_ucp_chunk_head_t *ompi_osc_ucp_mapped_head(const ompi_osc_ucp_peer_t        *peer,
                                                    const ompi_osc_ucp_description_t *description)
{
    return (ompi_osc_ucp_chunk_head_t *) ((char *) peer->control - description->offset);
}

void ompi_osc_ucp_mapped_detach(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->chunk) {
        ompi_osc_ucp_chunk_unmap(&peer->proc->chunks, peer->chunk);
        peer->chunk = NULL;
    }
}

/** Members of a window whose memory is in its segment, and the process itself, need no description. */
static int known_attach(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_window_t *window = peer->window;
    ompi_osc_ucp_member_t  member = {
        .control = window->control, .memory = window->base /* NULL in a dynamic window */, .stripes = window->stripes,
        .key_base = window->key_base, .size = window->bytes, .disp_unit = window->disp_unit
    };

    if (NULL != window->segment && (MPI_WIN_FLAVOR_ALLOCATE == window->flavor ||
                                    MPI_WIN_FLAVOR_SHARED == window->flavor)) {
        member = ompi_osc_ucp_segment_member(window->segment, peer->rank);
    } else if (peer->rank != window->rank || window->nic || window->device) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    peer->control   = member.control;
    peer->memory    = member.memory;
    peer->stripes   = member.stripes;
    peer->key_base  = member.key_base;
    peer->size      = member.size;
    peer->disp_unit = member.disp_unit;
    peer->known     = true;
    return OMPI_SUCCESS;
}

static int direct_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    ompi_osc_ucp_chunk_head_t *head;

    if (NULL == description) {
        return known_attach(peer);
    }
    head = description->memory ? ompi_osc_ucp_mapped_attach(peer, description) : NULL;
    if (NULL == head) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    peer->memory   = (char *) (peer->control + 1);
    peer->stripes  = head->stripes;
    peer->key_base = (uintptr_t) head;
    return OMPI_SUCCESS;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_direct = {
    .via          = OMPI_OSC_UCP_VIA_DIRECT,
    .maps         = true,
    .attach       = direct_attach,
    .detach       = ompi_osc_ucp_mapped_detach,
    .put          = direct_put,
    .get          = direct_get,
    .accumulate   = direct_accumulate,
    .compare_swap = direct_compare_swap,
    .lock         = ompi_osc_ucp_mapped_lock,
    .unlock       = ompi_osc_ucp_mapped_unlock,
    .counters     = ompi_osc_ucp_mapped_counters,
    .raise        = ompi_osc_ucp_mapped_raise,
    .post         = ompi_osc_ucp_mapped_post,
    .complete     = ompi_osc_ucp_mapped_complete,
    .arrive       = ompi_osc_ucp_mapped_arrive
};
