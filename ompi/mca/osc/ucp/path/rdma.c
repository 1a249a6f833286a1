/* The rdma path: put and get by UCX, without the target's help.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What is contiguous, or consists of few long pieces, is put and got natively; everything else goes by messages (am.c),
 * at the same time: put and get have no order but by flush (MPI-3.1 section 11.7.2), which completes both. The
 * accumulate family goes by messages too, in the NIC domain as far as it must (rdma_atomic.c).
 */

#include "rdma.h"

#include "am_packet.h"

#include <stddef.h>

#include "../osc_ucp_fast.h"
#include "../osc_ucp_pending.h"

void ompi_osc_ucp_rdma_admit(void)
{
    while (opal_common_ucp_underway() >= OMPI_OSC_UCP_RDMA_WINDOW) {
        ompi_osc_ucp_wait_step();
    }
}

static void part_done(opal_common_ucp_completion_t *completion, int status)
{
    ompi_osc_ucp_pending_part_done((ompi_osc_ucp_pending_t *) completion, status);
}

ompi_osc_ucp_pending_t *ompi_osc_ucp_rdma_pending(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, true);

    if (NULL != pending) {
        pending->completion.done = part_done;
    }
    return pending;
}

int ompi_osc_ucp_rdma_begun(ompi_osc_ucp_pending_t *pending, int rc)
{
    /* Not before the operation: it may have had to wait, and another thread's flush would have cleared this. */
    pending->peer->unflushed = true;
    if (OPAL_COMMON_UCP_UNDERWAY != rc) {
        return rc;
    }
    pending->parts++;
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_rdma_finish(ompi_osc_ucp_pending_t *pending, ompi_request_t **request_p)
{
    ompi_osc_ucp_peer_t *peer  = pending->peer;
    bool                 wants = NULL != request_p && (1 != pending->parts || OMPI_SUCCESS != pending->status);
    bool                 waits = false;

    if (wants) {
        pending->request = ompi_osc_ucp_request_new(peer->window);
        waits            = NULL == pending->request; /* the operation has begun, and memory is short */
    }
    if (NULL != request_p) {
        *request_p = NULL == pending->request ? &ompi_request_empty : pending->request;
    }
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    if (waits) {
        ompi_osc_ucp_peer_wait_local(peer);
    }
    return OMPI_SUCCESS;
}

/** An operation that is waited for. */
typedef struct waiter_t {
    opal_common_ucp_completion_t completion; /**< first */
    bool                         over;
    int                          status;
} waiter_t;

static void waited(opal_common_ucp_completion_t *completion, int status)
{
    waiter_t *waiter = (waiter_t *) completion;

    waiter->status = status;
    waiter->over   = true;
}

static int wait_for(waiter_t *waiter, int rc)
{
    if (OPAL_COMMON_UCP_UNDERWAY != rc) {
        return rc;
    }
    while (!*(volatile bool *) &waiter->over) {
        ompi_osc_ucp_wait_step();
    }
    return waiter->status;
}

int ompi_osc_ucp_rdma_atomic(ompi_osc_ucp_peer_t *peer, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                             opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result)
{
    waiter_t waiter = { .completion.done = waited };
    unsigned tries  = 0;
    int      rc;

    do {
        rc = opal_common_ucp_atomic(peer->ep, rkey, remote, op, operand, size, result, &waiter.completion);
    } while (ompi_osc_ucp_try_again(rc, &tries));
    return wait_for(&waiter, rc);
}

/** Begin to flush; what has failed is still to be done. */
static int flush_begin(ompi_osc_ucp_peer_t *peer, opal_common_ucp_completion_t *completion)
{
    unsigned tries = 0;
    int      rc;

    peer->unflushed = false;
    do {
        rc = opal_common_ucp_flush(peer->ep, completion);
    } while (ompi_osc_ucp_try_again(rc, &tries));
    if (OMPI_SUCCESS != rc && OPAL_COMMON_UCP_UNDERWAY != rc) {
        peer->unflushed = true;
    }
    return rc;
}

int ompi_osc_ucp_rdma_settle_ep(opal_common_ucp_ep_t *ep)
{
    waiter_t waiter = { .completion.done = waited };

    return wait_for(&waiter, opal_common_ucp_flush(ep, &waiter.completion));
}

/** Which way a put or get goes. */
typedef enum direction_t { PUT, GET } direction_t;

static int piece_begin(direction_t direction, ompi_osc_ucp_pending_t *pending, char *local, int64_t disp, uint64_t len)
{
    ompi_osc_ucp_peer_t *peer   = pending->peer;
    uint64_t             remote = peer->remote + (uint64_t) disp;
    int                  rc;

    ompi_osc_ucp_rdma_admit();
    rc = PUT == direction ? opal_common_ucp_put(peer->ep, peer->rkey, remote, local, len, &pending->completion)
                          : opal_common_ucp_get(peer->ep, peer->rkey, remote, local, len, &pending->completion);
    return ompi_osc_ucp_rdma_begun(pending, rc);
}

/** Begin all pieces of memory that are contiguous on both sides. */
static int pieces_begin(direction_t direction, const ompi_osc_ucp_transfer_t *transfer,
                        const ompi_osc_ucp_layout_t *local_layout, char *local, ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_layout_iter_t here, there;
    uint64_t                   len, part;
    int64_t                    disp, from;
    int                        rc = OMPI_SUCCESS;

    ompi_osc_ucp_layout_iter_init(&here, local_layout, 0);
    ompi_osc_ucp_layout_iter_init(&there, transfer->target_layout, 0);
    while (OMPI_SUCCESS == rc && ompi_osc_ucp_layout_iter_next(&there, UINT64_MAX, &disp, &len)) {
        while (OMPI_SUCCESS == rc && len > 0 && ompi_osc_ucp_layout_iter_next(&here, len, &from, &part)) {
            rc    = piece_begin(direction, pending, local + from, transfer->disp + disp, part);
            disp += (int64_t) part;
            len  -= part;
        }
    }
    return rc;
}

static int copy_by_message(direction_t direction, ompi_osc_ucp_transfer_t *transfer)
{
    return PUT == direction ? ompi_osc_ucp_path_am.put(transfer) : ompi_osc_ucp_path_am.get(transfer);
}

static int copy_natively(direction_t direction, ompi_osc_ucp_transfer_t *transfer,
                         const ompi_osc_ucp_layout_t *local_layout, char *local)
{
    const ompi_osc_ucp_layout_t *target  = transfer->target_layout;
    ompi_osc_ucp_pending_t      *pending;
    int                          rc;

    ompi_osc_ucp_packet_await_grant(transfer->peer);
    pending = ompi_osc_ucp_rdma_pending(transfer->peer);
    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ompi_osc_ucp_count(&transfer->peer->window->counters, OMPI_OSC_UCP_VIA_RDMA, target->size);
    if (ompi_osc_ucp_layout_is_contiguous(local_layout) && ompi_osc_ucp_layout_is_contiguous(target)) {
        rc = piece_begin(direction, pending, local + local_layout->lb, transfer->disp + target->lb, target->size);
    } else {
        rc = pieces_begin(direction, transfer, local_layout, local, pending);
    }
    if (OMPI_SUCCESS == rc) {
        return ompi_osc_ucp_rdma_finish(pending, transfer->request_p);
    }
    /* The network cannot register the caller's buffer: it is read-only, say. What was begun is not harmful. */
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    ompi_osc_ucp_peer_wait_local(transfer->peer);
    return copy_by_message(direction, transfer);
}

/* The short way: no pending, no layout. */

static void native_done(opal_common_ucp_completion_t *completion, int status)
{
    struct ompi_osc_ucp_native_t *native = (struct ompi_osc_ucp_native_t *) completion;

    native->peer->open[native->generation]--;
    if (OMPI_SUCCESS != status) {
        native->peer->error = status;
    }
}

bool ompi_osc_ucp_rdma_fast_copy(bool put, ompi_osc_ucp_window_t *window, int rank, ptrdiff_t disp, void *buffer,
                                 uint64_t bytes)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_fast_native(window, rank);
    unsigned             generation;
    int64_t              at;
    int                  rc;

    if (NULL == peer || peer->granting || NULL != peer->packet ||
        opal_common_ucp_underway() >= OMPI_OSC_UCP_RDMA_WINDOW ||
        !ompi_osc_ucp_fast_access(peer) || (at = ompi_osc_ucp_fast_offset(peer, disp, bytes)) < 0) {
        return false;
    }
    if (peer->granting || NULL != peer->packet) {
        return false; /* the access has begun with a lock */
    }
    generation = peer->generation % 2;
    rc = put ? opal_common_ucp_put(peer->ep, peer->rkey, peer->remote + (uint64_t) at, buffer, bytes,
                                   &peer->native[generation].completion)
             : opal_common_ucp_get(peer->ep, peer->rkey, peer->remote + (uint64_t) at, buffer, bytes,
                                   &peer->native[generation].completion);
    if (OPAL_COMMON_UCP_UNDERWAY == rc) {
        peer->open[generation]++;
    } else if (OMPI_SUCCESS != rc) {
        return false;
    }
    peer->unflushed    = true;
    ompi_osc_ucp_fence_used(window);
    ompi_osc_ucp_count(&window->counters, OMPI_OSC_UCP_VIA_RDMA, bytes);
    return true;
}

/** Runs of contiguous bytes below `n` nodes; saturates. */
static uint64_t runs_of(const ompi_osc_ucp_layout_node_t *nodes, uint64_t n)
{
    uint64_t runs = 0, i, below;

    for (i = 0; i < n; i += 1 + nodes[i].items) {
        below = 1;
        if (nodes[i].items > 0 &&
            __builtin_mul_overflow(runs_of(&nodes[i + 1], nodes[i].items), nodes[i].count, &below)) {
            return UINT64_MAX;
        }
        if (__builtin_add_overflow(runs, below, &runs)) {
            return UINT64_MAX;
        }
    }
    return runs;
}

/** Are the pieces long enough on average to be worth a native operation each? */
static bool pieces_are_long(const ompi_osc_ucp_layout_t *local, const ompi_osc_ucp_layout_t *target)
{
    uint64_t most = target->size / (uint64_t) (mca_osc_ucp_component.rdma_segment > 0
                                                   ? mca_osc_ucp_component.rdma_segment : 1);
    uint64_t here = runs_of(local->nodes, local->nnodes), there = runs_of(target->nodes, target->nnodes);

    return here <= most && there <= most;
}

static int rdma_copy(direction_t direction, ompi_osc_ucp_transfer_t *transfer,
                     const ompi_osc_ucp_layout_t *local_layout, void *local)
{
    if ((ompi_osc_ucp_layout_is_contiguous(local_layout) &&
         ompi_osc_ucp_layout_is_contiguous(transfer->target_layout)) ||
        pieces_are_long(local_layout, transfer->target_layout)) {
        return copy_natively(direction, transfer, local_layout, local);
    }
    return copy_by_message(direction, transfer);
}

static int rdma_put(ompi_osc_ucp_transfer_t *transfer)
{
    return rdma_copy(PUT, transfer, transfer->origin_layout, (void *) transfer->origin);
}

static int rdma_get(ompi_osc_ucp_transfer_t *transfer)
{
    return rdma_copy(GET, transfer, transfer->result_layout, transfer->result);
}

static int rdma_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    return ompi_osc_ucp_path_am.accumulate(transfer);
}

static int rdma_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    return ompi_osc_ucp_path_am.compare_swap(transfer);
}

/* Completion. */

static void flushed(ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_peer_t *peer = pending->peer;

    (*(uint32_t *) pending->arg)--;
    peer->flushing--;
    if (OMPI_SUCCESS != pending->status) {
        peer->error = pending->status;
    }
}

static void flush_done(opal_common_ucp_completion_t *completion, int status)
{
    ompi_osc_ucp_pending_part_done((ompi_osc_ucp_pending_t *) completion, status);
}

/** Complete the native operations at the target. */
static int native_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    ompi_osc_ucp_pending_t *pending;
    int                     rc;

    ompi_osc_ucp_fence_memory(); /* UCX may have stored to shared memory itself */
    /* What another thread's flush already completes is not complete yet either. */
    if (!peer->unflushed && 0 == peer->flushing) {
        return OMPI_SUCCESS;
    }
    pending = ompi_osc_ucp_pending_new(peer, false);
    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pending->completion.done = flush_done;
    rc = flush_begin(peer, &pending->completion);
    if (OPAL_COMMON_UCP_UNDERWAY == rc) {
        pending->ended = flushed;
        pending->arg   = awaited;
        peer->flushing++;
        (*awaited)++;
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    return rc;
}

int ompi_osc_ucp_rdma_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    int rc    = native_flush(peer, awaited);
    int error = ompi_osc_ucp_path_am.flush(peer, awaited);

    return OMPI_SUCCESS == rc ? error : rc;
}

int ompi_osc_ucp_rdma_fast_flush(ompi_osc_ucp_peer_t *peer)
{
    waiter_t waiter  = { .completion.done = waited };
    uint32_t awaited = 0;
    int      rc      = OMPI_SUCCESS;

    ompi_osc_ucp_fence_memory();
    if (peer->unacknowledged || 0 != peer->acknowledging || 0 != peer->flushing || NULL != peer->packet) {
        rc = peer->path->flush(peer, &awaited);
        ompi_osc_ucp_await(&awaited);
    } else if (peer->unflushed) {
        peer->flushing++;
        rc = wait_for(&waiter, flush_begin(peer, &waiter.completion));
        peer->flushing--;
    }
    if (0 != peer->open[0] + peer->open[1]) {
        ompi_osc_ucp_peer_wait_local(peer);
    }
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_peer_take_error(peer) : rc;
}

/* Messages for which native operations have been completed first (settle). */

static int rdma_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    return ompi_osc_ucp_path_am.lock(peer, exclusive);
}

static int rdma_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    return ompi_osc_ucp_path_am.unlock(peer, exclusive, awaited);
}

static int rdma_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_path_am.post(peer, awaited);
}

static int rdma_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_path_am.complete(peer, awaited);
}

/* How a peer comes to have this path. */

/** Does every lane that the window needs reach memory of this key natively? */
static bool is_native(const ompi_osc_ucp_peer_t *peer, const opal_common_ucp_lanes_t *lanes, const void *key,
                      size_t len)
{
    uint64_t domains = opal_common_ucp_key_domains(key, len);

    if (!peer->window->nic) {
        return OMPI_OSC_UCP_RDMA_ALWAYS == mca_osc_ucp_component.rdma || 0 != (lanes->rma & domains);
    }
    return 0 != (lanes->rma & domains) && 0 != (lanes->amo & domains);
}

static bool rkey_attach(const ompi_osc_ucp_peer_t *peer, const opal_common_ucp_lanes_t *lanes, const void *key,
                        size_t len, opal_common_ucp_rkey_t **rkey_p)
{
    return len > 0 && is_native(peer, lanes, key, len) &&
           OPAL_SUCCESS == opal_common_ucp_rkey_unpack(peer->ep, key, rkey_p);
}

int ompi_osc_ucp_rdma_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    bool                    nic = peer->window->nic, has;
    opal_common_ucp_lanes_t lanes;

    opal_common_ucp_lanes(peer->ep, &lanes);
    peer->stream = lanes.stream;
    if (OMPI_OSC_UCP_RDMA_NEVER == mca_osc_ucp_component.rdma && !nic) {
        return OMPI_SUCCESS;
    }
    has = description->memory ? rkey_attach(peer, &lanes, description->key, description->key_len, &peer->rkey)
                              : rkey_attach(peer, &lanes, description->user_key, description->user_key_len,
                                            &peer->rkey);
    if (nic && ((!has && description->size > 0) ||
                !rkey_attach(peer, &lanes, description->key, description->key_len, &peer->words_rkey))) {
        opal_output(0, "osc/ucp: rank %d has no native atomics to rank %d, which all processes have to themselves: run "
                       "with --mca osc_ucp_atomic_domain cpu", peer->window->rank, peer->rank);
        ompi_osc_ucp_rdma_detach(peer);
        return OMPI_ERR_UNREACH;
    }
    if (has || nic) {
        for (unsigned i = 0; i < 2; i++) {
            peer->native[i] = (struct ompi_osc_ucp_native_t) { { native_done }, peer, i };
        }
        peer->cpu_amo = lanes.cpu_amo;
        peer->remote  = description->base;
        peer->words  = description->head + description->offset + offsetof(ompi_osc_ucp_control_t, nic);
        peer->path   = nic ? &ompi_osc_ucp_path_nic : &ompi_osc_ucp_path_rdma;
    }
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_rdma_detach(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->rkey) {
        opal_common_ucp_rkey_destroy(peer->rkey);
        peer->rkey = NULL;
    }
    if (NULL != peer->words_rkey) {
        opal_common_ucp_rkey_destroy(peer->words_rkey);
        peer->words_rkey = NULL;
    }
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_rdma = {
    .via          = OMPI_OSC_UCP_VIA_RDMA,
    .put          = rdma_put,
    .get          = rdma_get,
    .accumulate   = rdma_accumulate,
    .compare_swap = rdma_compare_swap,
    .settle       = native_flush,
    .flush        = ompi_osc_ucp_rdma_flush,
    .lock         = rdma_lock,
    .unlock       = rdma_unlock,
    .post         = rdma_post,
    .complete     = rdma_complete
};

const ompi_osc_ucp_path_t ompi_osc_ucp_path_nic = {
    .via          = OMPI_OSC_UCP_VIA_RDMA,
    .put          = rdma_put,
    .get          = rdma_get,
    .accumulate   = ompi_osc_ucp_nic_accumulate,
    .compare_swap = ompi_osc_ucp_nic_compare_swap,
    .settle       = native_flush,
    .flush        = ompi_osc_ucp_rdma_flush,
    .lock         = ompi_osc_ucp_nic_lock,
    .unlock       = ompi_osc_ucp_nic_unlock,
    .post         = rdma_post,
    .complete     = rdma_complete
};
