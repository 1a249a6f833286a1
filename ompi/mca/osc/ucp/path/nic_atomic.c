/* Accumulates in the NIC domain: the native class by native atomics, everything else by messages.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Accumulates that MPI allows to meet at one location (MPI-3.1 section 11.7.1, and the info key accumulate_ops) are all
 * native or all messages, from every origin. So a processor's atomics never meet those of a device. Operations that go
 * the same way keep their order; a flush separates messages, native atomics and native reads, unless the program has
 * given up the order (accumulate_ordering).
 */

#include <stdlib.h>

#include "base/causes.h"
#include "base/wait.h"
#include "path/am.h"
#include "path/rdma.h"
#include "peer/pending.h"

/** Which way an accumulate goes: bits of peer->ways. */
typedef enum way_t { WAY_ATOMICS = 1, WAY_READ = 2, WAY_MESSAGES = 4 } way_t;

/**
 * Wait until earlier accumulates that went another way are complete, also those that another thread's flush is
 * completing. Accumulates that other threads issue meanwhile need no order with the caller's.
 */
static int way_take(ompi_osc_ucp_peer_t *peer, way_t way)
{
    ompi_osc_ucp_causes_t *causes  = peer->window->causes;
    bool                   ordered = !peer->window->unordered;
    uint64_t               begin   = 0;
    uint32_t               awaited = 0;
    int                    rc;

    if (!ordered || 0 == ((peer->ways | peer->ways_flushed) & ~(unsigned) way)) {
        return OMPI_SUCCESS;
    }
    if (NULL != causes) {
        causes->sums.order_waits++;
        begin = opal_common_ucp_now_ns();
    }
    peer->ways_flushed |= peer->ways;
    peer->ways          = 0;
    peer->way_flushes++;
    rc = ompi_osc_ucp_rdma_flush(peer, &awaited);
    ompi_osc_ucp_await(&awaited);
    ompi_osc_ucp_peer_wait_local(peer);
    if (0 == --peer->way_flushes) {
        peer->ways_flushed = 0;
    }
    if (NULL != causes) {
        causes->sums.order_ns += (int64_t) (opal_common_ucp_now_ns() - begin);
    }
    return rc;
}

/** Note the way of an accumulate after it was issued: while it waits, another thread's flush may clear this. */
static int way_taken(ompi_osc_ucp_peer_t *peer, way_t way, int rc)
{
    peer->ways |= (uint8_t) way;
    return rc;
}

/** Packed elements of a native operation: the next to use. */
typedef struct elements_t {
    const char *operands; /**< NULL with NO_OP */
    char       *results;  /**< NULL if nothing is fetched */
} elements_t;

/** Packed copies of buffers that are not contiguous, until the operation is over; in its pending's `arg`, malloc'd. */
typedef struct bounce_t {
    void                 *result;        /**< the caller's buffer; NULL: results need no copy */
    ompi_osc_ucp_layout_t result_layout; /**< of `result` */
    char                 *results;       /**< packed, in `data` */
    char                  data[];
} bounce_t;

static void bounce_end(ompi_osc_ucp_pending_t *pending)
{
    bounce_t                  *bounce = pending->arg;
    ompi_osc_ucp_layout_iter_t iter;

    if (NULL != bounce->result) {
        ompi_osc_ucp_layout_iter_init(&iter, &bounce->result_layout, 0);
        ompi_osc_ucp_layout_unpack(&iter, bounce->result, bounce->results, bounce->result_layout.size);
    }
    ompi_osc_ucp_layout_fini(&bounce->result_layout);
    free(bounce);
}

static bool is_scattered(const ompi_osc_ucp_layout_t *layout)
{
    return NULL != layout && !ompi_osc_ucp_layout_is_contiguous(layout);
}

/** Find the packed elements of a call, or pack them. */
static int elements_find(ompi_osc_ucp_transfer_t *transfer, ompi_osc_ucp_pending_t *pending, elements_t *elements)
{
    bool                       gather  = is_scattered(transfer->origin_layout);
    bool                       scatter = is_scattered(transfer->result_layout);
    uint64_t                   size    = transfer->target_layout->size;
    ompi_osc_ucp_layout_iter_t iter;
    bounce_t                  *bounce;

    if (NULL != transfer->origin_layout) {
        elements->operands = (const char *) transfer->origin + transfer->origin_layout->lb;
    }
    if (NULL != transfer->result_layout) {
        elements->results = (char *) transfer->result + transfer->result_layout->lb;
    }
    if (!gather && !scatter) {
        return OMPI_SUCCESS;
    }
    bounce = malloc(sizeof(*bounce) + (gather ? size : 0) + (scatter ? size : 0));
    if (NULL == bounce) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    bounce->result = NULL;
    ompi_osc_ucp_layout_contiguous(&bounce->result_layout, 0, 0);
    if (gather) {
        ompi_osc_ucp_layout_iter_init(&iter, transfer->origin_layout, 0);
        ompi_osc_ucp_layout_pack(&iter, transfer->origin, bounce->data, size);
        elements->operands = bounce->data;
    }
    if (scatter) {
        bounce->result  = transfer->result;
        bounce->results = elements->results = bounce->data + (gather ? size : 0);
        ompi_osc_ucp_layout_move(&bounce->result_layout, transfer->result_layout);
    }
    pending->ended = bounce_end;
    pending->arg   = bounce;
    return OMPI_SUCCESS;
}

/** A fetching and, or or xor by compare-and-swap. Over shared memory, which stands in for a device in tests, UCX 1.13
 *  combines the old value with itself instead. */
static int combine_by_swap(ompi_osc_ucp_peer_t *peer, uint64_t remote, opal_common_ucp_atomic_t op,
                           const void *operand, size_t size, void *result)
{
    uint64_t value = 0, expected, old = 0, new;
    int      rc;

    memcpy(&value, operand, size);
    do {
        expected = old;
        new      = OPAL_COMMON_UCP_AND == op ? expected & value
                                             : OPAL_COMMON_UCP_OR == op ? expected | value : expected ^ value;
        old      = new;
        rc = ompi_osc_ucp_rdma_atomic(peer, peer->rkey, remote, OPAL_COMMON_UCP_COMPARE_SWAP, &expected, size, &old);
    } while (OMPI_SUCCESS == rc && old != expected);
    memcpy(result, &old, size);
    return rc;
}

static bool is_bitwise(uint8_t op)
{
    return OMPI_OSC_UCP_OP_BAND == op || OMPI_OSC_UCP_OP_BOR == op || OMPI_OSC_UCP_OP_BXOR == op;
}

/** Begin one atomic for each of `n` elements at `remote`. */
static int atomics_begin(ompi_osc_ucp_transfer_t *transfer, ompi_osc_ucp_pending_t *pending, uint64_t remote, size_t n,
                         elements_t *elements)
{
    static const opal_common_ucp_atomic_t ops[OMPI_OSC_UCP_OP_COUNT] = {
        [OMPI_OSC_UCP_OP_SUM]     = OPAL_COMMON_UCP_ADD,
        [OMPI_OSC_UCP_OP_BAND]    = OPAL_COMMON_UCP_AND,
        [OMPI_OSC_UCP_OP_BOR]     = OPAL_COMMON_UCP_OR,
        [OMPI_OSC_UCP_OP_BXOR]    = OPAL_COMMON_UCP_XOR,
        [OMPI_OSC_UCP_OP_REPLACE] = OPAL_COMMON_UCP_SWAP
    };
    static uint64_t unwanted; /* UCX's swap always returns the old value */

    ompi_osc_ucp_peer_t *peer = transfer->peer;
    size_t               size = transfer->prim->size, i;
    char                *result;
    int                  rc = OMPI_SUCCESS;

    for (i = 0; OMPI_SUCCESS == rc && i < n; i++) {
        ompi_osc_ucp_rdma_admit();
        result = elements->results;
        if (NULL == result && OMPI_OSC_UCP_OP_REPLACE == transfer->op) {
            result = (char *) &unwanted;
        }
        if (NULL != result && peer->cpu_amo && is_bitwise(transfer->op)) {
            rc = combine_by_swap(peer, remote + i * size, ops[transfer->op], elements->operands, size, result);
        } else {
            peer->window->counters.atomics++;
            rc = opal_common_ucp_atomic(peer->ep, peer->rkey, remote + i * size, ops[transfer->op],
                                        elements->operands, size, result, &pending->completion);
            rc = ompi_osc_ucp_rdma_begun(pending, rc);
        }
        elements->operands += size;
        elements->results   = NULL == elements->results ? NULL : elements->results + size;
    }
    return rc;
}

static int read_begin(ompi_osc_ucp_transfer_t *transfer, ompi_osc_ucp_pending_t *pending, uint64_t remote, uint64_t len,
                      elements_t *elements)
{
    int rc;

    ompi_osc_ucp_rdma_admit();
    rc = opal_common_ucp_get(transfer->peer->ep, transfer->peer->rkey, remote, elements->results, len,
                             &pending->completion);
    elements->results += len;
    return ompi_osc_ucp_rdma_begun(pending, rc);
}

static int native_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_pending_t    *pending  = ompi_osc_ucp_rdma_pending(transfer->peer);
    elements_t                 elements = { NULL, NULL };
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   len, remote;
    int64_t                    disp;
    int                        rc;

    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ompi_osc_ucp_count(&transfer->peer->window->counters, OMPI_OSC_UCP_VIA_RDMA, transfer->target_layout->size);
    rc = elements_find(transfer, pending, &elements);
    ompi_osc_ucp_layout_iter_init(&iter, transfer->target_layout, 0);
    while (OMPI_SUCCESS == rc && ompi_osc_ucp_layout_iter_next(&iter, UINT64_MAX, &disp, &len)) {
        remote = transfer->peer->remote + (uint64_t) (transfer->disp + disp);
        if (OMPI_OSC_UCP_OP_NO_OP != transfer->op) {
            rc = atomics_begin(transfer, pending, remote, len / transfer->prim->size, &elements);
        } else if (NULL != elements.results) {
            rc = read_begin(transfer, pending, remote, len, &elements);
        }
    }
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
        return rc;
    }
    return ompi_osc_ucp_rdma_finish(pending, transfer->request_p);
}

/** Are the target's elements naturally aligned: all of them (1), none (0), or maybe some (-1)? */
static int alignment(const ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_layout_t *layout = transfer->target_layout;
    uint64_t                     start  = transfer->peer->remote + (uint64_t) transfer->disp;
    uint64_t                     mask   = transfer->prim->size - 1u, i;
    bool                         same   = true;

    if (ompi_osc_ucp_layout_is_contiguous(layout)) {
        return 0 == ((start + (uint64_t) layout->lb) & mask);
    }
    for (i = 0; i < layout->nnodes; i++) {
        same = same && 0 == ((uint64_t) layout->nodes[i].disp & mask) &&
               0 == ((uint64_t) layout->nodes[i].stride & mask);
    }
    return !same ? -1 : 0 == (start & mask);
}

/** Some elements may be native and some not: accumulate one run at a time, and wait for each. */
static int accumulate_runs(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim   = transfer->prim;
    uint64_t                   size   = transfer->target_layout->size, len;
    char                      *packed = malloc(2 * size), *results = packed + size;
    ompi_osc_ucp_layout_t      target, operands, old;
    ompi_osc_ucp_transfer_t    run = *transfer;
    ompi_osc_ucp_layout_iter_t iter, origin, result;
    int64_t                    disp;
    int                        rc = NULL == packed ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;

    run.request_p     = NULL;
    run.target_layout = &target;
    ompi_osc_ucp_layout_iter_init(&iter, transfer->target_layout, 0);
    if (NULL != transfer->origin_layout) {
        ompi_osc_ucp_layout_iter_init(&origin, transfer->origin_layout, 0);
    }
    if (NULL != transfer->result_layout) {
        ompi_osc_ucp_layout_iter_init(&result, transfer->result_layout, 0);
    }
    while (OMPI_SUCCESS == rc && ompi_osc_ucp_layout_iter_next(&iter, size - size % prim->size, &disp, &len)) {
        ompi_osc_ucp_layout_contiguous(&target, disp, len);
        ompi_osc_ucp_layout_contiguous(&operands, 0, len);
        if (NULL != transfer->origin_layout) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, packed, len);
            run.origin        = packed;
            run.origin_layout = &operands;
        }
        if (NULL != transfer->result_layout) {
            ompi_osc_ucp_layout_contiguous(&old, 0, len); /* a message takes it over */
            run.result        = results;
            run.result_layout = &old;
        }
        rc = ompi_osc_ucp_nic_accumulate(&run);
        ompi_osc_ucp_peer_wait_local(transfer->peer);
        if (NULL != transfer->result_layout) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, results, len);
        }
    }
    free(packed);
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_request_none(transfer->request_p) : rc;
}

int ompi_osc_ucp_nic_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    int   aligned = ompi_osc_ucp_op_is_native(transfer->op, transfer->prim) ? alignment(transfer) : 0;
    way_t way     = 0 == aligned ? WAY_MESSAGES : OMPI_OSC_UCP_OP_NO_OP == transfer->op ? WAY_READ : WAY_ATOMICS;
    int   rc;

    if (aligned < 0) {
        return accumulate_runs(transfer);
    }
    rc = way_take(transfer->peer, way);
    if (OMPI_SUCCESS == rc) {
        rc = 0 == aligned ? ompi_osc_ucp_am_accumulate(transfer) : native_accumulate(transfer);
    }
    return way_taken(transfer->peer, way, rc);
}

int ompi_osc_ucp_nic_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    bool                    native = ompi_osc_ucp_op_is_native(OMPI_OSC_UCP_OP_REPLACE, transfer->prim) &&
                                     alignment(transfer) > 0;
    ompi_osc_ucp_peer_t    *peer   = transfer->peer;
    ompi_osc_ucp_pending_t *pending;
    char                   *result = (char *) transfer->result + transfer->result_layout->lb;
    int                     rc     = way_take(peer, native ? WAY_ATOMICS : WAY_MESSAGES);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (!native) {
        return way_taken(peer, WAY_MESSAGES, ompi_osc_ucp_am_compare_swap(transfer));
    }
    ompi_osc_ucp_rdma_admit();
    pending = ompi_osc_ucp_rdma_pending(peer);
    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_RDMA, transfer->prim->size);
    peer->window->counters.atomics++;
    memcpy(result, (const char *) transfer->origin + transfer->origin_layout->lb, transfer->prim->size);
    rc = opal_common_ucp_atomic(peer->ep, peer->rkey,
                                peer->remote + (uint64_t) (transfer->disp + transfer->target_layout->lb),
                                OPAL_COMMON_UCP_COMPARE_SWAP, transfer->compare, transfer->prim->size, result,
                                &pending->completion);
    rc = ompi_osc_ucp_rdma_begun(pending, rc);
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    return way_taken(peer, WAY_ATOMICS, rc);
}
