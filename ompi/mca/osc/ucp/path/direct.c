/* The direct path: load, store and CPU atomics on memory that is mapped here, oneself's included.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Every operation is over when its call returns; completing it is a fence. The three tables at the end differ in where
 * the lock is: in the segment of a shared window, at the process's own service side, or at the peer's.
 */

#include "am_target.h"
#include "path.h"

#include "opal/sys/atomic.h"

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
    ompi_osc_ucp_layout_copy(transfer->target_layout, place(transfer), transfer->origin_layout, transfer->origin);
    return finished(transfer);
}

static int direct_get(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_layout_copy(transfer->result_layout, transfer->result, transfer->target_layout, place(transfer));
    return finished(transfer);
}

static int direct_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim = transfer->prim;
    ompi_osc_ucp_layout_iter_t target, origin, result;
    char                       source[STAGE_BYTES], old[STAGE_BYTES];
    char                      *base = place(transfer);
    bool                       reads = NULL != transfer->origin_layout, fetches = NULL != transfer->result_layout;
    uint64_t                   len;
    int64_t                    disp;
    size_t                     n;

    ompi_osc_ucp_layout_iter_init(&target, transfer->target_layout, 0);
    if (reads) {
        ompi_osc_ucp_layout_iter_init(&origin, transfer->origin_layout, 0);
    }
    if (fetches) {
        ompi_osc_ucp_layout_iter_init(&result, transfer->result_layout, 0);
    }
    while (ompi_osc_ucp_layout_iter_next(&target, STAGE_BYTES - STAGE_BYTES % prim->extent, &disp, &len)) {
        n = len / prim->extent;
        if (reads) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, source, n * prim->size);
        }
        ompi_osc_ucp_op_apply(transfer->peer->stripes, stripe_key(transfer, base + disp), transfer->op, prim,
                              base + disp, reads ? source : NULL, fetches ? old : NULL, n);
        if (fetches) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, old, n * prim->size);
        }
    }
    return finished(transfer);
}

static int direct_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    char *target = place(transfer) + transfer->target_layout->lb;

    ompi_osc_ucp_op_compare_swap(transfer->peer->stripes, stripe_key(transfer, target), transfer->prim,
                                 target, (const char *) transfer->origin + transfer->origin_layout->lb,
                                 transfer->compare, (char *) transfer->result + transfer->result_layout->lb);
    return finished(transfer);
}

static int direct_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) peer;
    (void) awaited;
    opal_atomic_mb();
    return OMPI_SUCCESS;
}

static int direct_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    ompi_osc_ucp_segment_lock(peer->window, peer->rank, exclusive);
    return OMPI_SUCCESS;
}

static int direct_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_segment_unlock(peer->window, peer->rank, exclusive);
    return OMPI_SUCCESS;
}

static int self_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    bool granted = false;
    int  rc      = ompi_osc_ucp_target_lock(peer->window->target, exclusive, &granted);

    while (OMPI_SUCCESS == rc && !__atomic_load_n(&granted, __ATOMIC_ACQUIRE)) {
        ompi_osc_ucp_wait_step();
    }
    return rc;
}

static int self_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_target_unlock(peer->window->target, exclusive);
    return OMPI_SUCCESS;
}

static int self_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_target_post(peer->window->target, (uint32_t) peer->rank);
    return OMPI_SUCCESS;
}

static int self_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_target_complete(peer->window->target);
    return OMPI_SUCCESS;
}

static int direct_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    opal_atomic_mb();
    return peer->rank == peer->window->rank ? self_post(peer, awaited) : ompi_osc_ucp_path_am.post(peer, awaited);
}

static int direct_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    opal_atomic_mb();
    return peer->rank == peer->window->rank ? self_complete(peer, awaited)
                                            : ompi_osc_ucp_path_am.complete(peer, awaited);
}

static int mapped_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    opal_atomic_mb();
    return ompi_osc_ucp_path_am.unlock(peer, exclusive, awaited);
}

static int mapped_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    return ompi_osc_ucp_path_am.lock(peer, exclusive);
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

const ompi_osc_ucp_path_t ompi_osc_ucp_path_self = {
    .via              = OMPI_OSC_UCP_VIA_DIRECT,
    .loads_and_stores = true,
    .put          = direct_put,
    .get          = direct_get,
    .accumulate   = direct_accumulate,
    .compare_swap = direct_compare_swap,
    .flush        = direct_flush,
    .lock         = self_lock,
    .unlock       = self_unlock,
    .post         = self_post,
    .complete     = self_complete
};

const ompi_osc_ucp_path_t ompi_osc_ucp_path_mapped = {
    .via              = OMPI_OSC_UCP_VIA_DIRECT,
    .loads_and_stores = true,
    .put          = direct_put,
    .get          = direct_get,
    .accumulate   = direct_accumulate,
    .compare_swap = direct_compare_swap,
    .flush        = direct_flush,
    .lock         = mapped_lock,
    .unlock       = mapped_unlock,
    .post         = direct_post,
    .complete     = direct_complete
};
