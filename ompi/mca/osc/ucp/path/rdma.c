/* The rdma path: native put and get, without the target's processor. The nic path shares them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Puts and gets that are contiguous, or consist of few long pieces, are native. All other operations are messages
 * (path/am.c). The two need no order: puts and gets have none (MPI-3.1 section 11.7.2), and a flush completes both.
 */

#include "path/rdma.h"

#include "base/params.h"
#include "base/wait.h"
#include "message/packet.h"
#include "path/am.h"
#include "peer/pending.h"

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
    /* After the operation: while that waited, another thread's flush could have cleared this. */
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
        waits            = NULL == pending->request; /* memory is short, and the operation has begun */
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

int ompi_osc_ucp_rdma_atomic(ompi_osc_ucp_peer_t *peer, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                             opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result)
{
    ompi_osc_ucp_waiter_t waiter;
    unsigned              tries = 0;
    int                   rc;

    peer->window->counters.atomics++;
    ompi_osc_ucp_waiter_init(&waiter);
    do {
        rc = opal_common_ucp_atomic(peer->ep, rkey, remote, op, operand, size, result, &waiter.completion);
    } while (ompi_osc_ucp_try_again(rc, &tries));
    return ompi_osc_ucp_wait_for(&waiter, rc);
}

/** Begin to flush the native operations. */
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

/** Is it a put or a get? */
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

/** Begin one native operation for each piece that is contiguous at both ends. */
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
    return PUT == direction ? ompi_osc_ucp_am_put(transfer) : ompi_osc_ucp_am_get(transfer);
}

static int copy_natively(direction_t direction, ompi_osc_ucp_transfer_t *transfer,
                         const ompi_osc_ucp_layout_t *local_layout, char *local)
{
    const ompi_osc_ucp_layout_t *target = transfer->target_layout;
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
    /* The network cannot register the caller's buffer: it may be read-only. Pieces that were begun are sent twice. */
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    ompi_osc_ucp_peer_wait_local(transfer->peer);
    return copy_by_message(direction, transfer);
}

/* The short verbs: no pending, no layout. */

static void native_done(opal_common_ucp_completion_t *completion, int status)
{
    struct ompi_osc_ucp_native_t *native = (struct ompi_osc_ucp_native_t *) completion;

    native->peer->open[native->generation]--;
    if (OMPI_SUCCESS != status) {
        native->peer->error = status;
    }
}

/** May a short verb begin an operation? Not while a lock is requested, nor behind an open packet. */
static inline bool block_may_go(const ompi_osc_ucp_peer_t *peer)
{
    return !peer->granting && NULL == peer->packet && NULL != peer->rkey &&
           opal_common_ucp_underway() < OMPI_OSC_UCP_RDMA_WINDOW;
}

/** Account for a short verb's operation; `rc` is what the transport returned. */
static inline bool block_begun(ompi_osc_ucp_peer_t *peer, unsigned generation, uint64_t bytes, int rc)
{
    if (OPAL_COMMON_UCP_UNDERWAY == rc) {
        peer->open[generation]++;
    } else if (OMPI_SUCCESS != rc) {
        return false;
    }
    peer->unflushed = true;
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_RDMA, bytes);
    return true;
}

bool ompi_osc_ucp_rdma_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    unsigned generation = peer->generation % 2;

    return block_may_go(peer) &&
           block_begun(peer, generation, bytes,
                       opal_common_ucp_put(peer->ep, peer->rkey, peer->remote + (uint64_t) at, origin, bytes,
                                           &peer->native[generation].completion));
}

bool ompi_osc_ucp_rdma_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes)
{
    unsigned generation = peer->generation % 2;

    return block_may_go(peer) &&
           block_begun(peer, generation, bytes,
                       opal_common_ucp_get(peer->ep, peer->rkey, peer->remote + (uint64_t) at, result, bytes,
                                           &peer->native[generation].completion));
}

/** Are the pieces long enough on average to be worth a native operation each? */
static bool pieces_are_long(const ompi_osc_ucp_layout_t *local, const ompi_osc_ucp_layout_t *target)
{
    uint64_t most = target->size / (uint64_t) (ompi_osc_ucp_params.rdma_segment > 0
                                                   ? ompi_osc_ucp_params.rdma_segment : 1);

    return ompi_osc_ucp_layout_runs(local) <= most && ompi_osc_ucp_layout_runs(target) <= most;
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

int ompi_osc_ucp_rdma_put(ompi_osc_ucp_transfer_t *transfer)
{
    return rdma_copy(PUT, transfer, transfer->origin_layout, (void *) transfer->origin);
}

int ompi_osc_ucp_rdma_get(ompi_osc_ucp_transfer_t *transfer)
{
    return rdma_copy(GET, transfer, transfer->result_layout, transfer->result);
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

int ompi_osc_ucp_rdma_settle(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    ompi_osc_ucp_pending_t *pending;
    int                     rc;

    ompi_osc_ucp_fence_memory(); /* UCX may have stored to shared memory itself */
    /* Operations that another thread's flush covers are not complete before that flush is over. */
    if (!peer->unflushed && 0 == peer->flushing) {
        return OMPI_SUCCESS;
    }
    pending = ompi_osc_ucp_pending_new(peer, false);
    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pending->completion.done = part_done;
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
    int rc    = ompi_osc_ucp_rdma_settle(peer, awaited);
    int error = ompi_osc_ucp_am_flush(peer, awaited);

    return OMPI_SUCCESS == rc ? error : rc;
}

int ompi_osc_ucp_rdma_flush_alone(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_waiter_t waiter;
    uint32_t              awaited = 0;
    int                   rc      = OMPI_SUCCESS;

    ompi_osc_ucp_fence_memory();
    if (peer->unacknowledged || 0 != peer->acknowledging || 0 != peer->flushing || NULL != peer->packet) {
        rc = ompi_osc_ucp_rdma_flush(peer, &awaited);
        ompi_osc_ucp_await(&awaited);
    } else if (peer->unflushed) {
        ompi_osc_ucp_waiter_init(&waiter);
        peer->flushing++;
        rc = ompi_osc_ucp_wait_for(&waiter, flush_begin(peer, &waiter.completion));
        peer->flushing--;
    }
    if (0 != peer->open[0] + peer->open[1]) {
        ompi_osc_ucp_peer_wait_local(peer);
    }
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_peer_take_error(peer) : rc;
}

/* Attaching a peer. */

/** Do the lanes reach memory of this key natively? In the NIC domain, by atomics too. */
static bool is_native(const ompi_osc_ucp_peer_t *peer, const opal_common_ucp_lanes_t *lanes, const void *key,
                      size_t len)
{
    uint64_t domains = opal_common_ucp_key_domains(key, len);

    if (!peer->window->nic) {
        return OMPI_OSC_UCP_RDMA_ALWAYS == ompi_osc_ucp_params.rdma || 0 != (lanes->rma & domains);
    }
    return 0 != (lanes->rma & domains) && 0 != (lanes->amo & domains);
}

bool ompi_osc_ucp_rkey_attach(const ompi_osc_ucp_peer_t *peer, const opal_common_ucp_lanes_t *lanes, const void *key,
                              size_t len, opal_common_ucp_rkey_t **rkey_p)
{
    return len > 0 && is_native(peer, lanes, key, len) &&
           OPAL_SUCCESS == opal_common_ucp_rkey_unpack(peer->ep, key, rkey_p);
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

bool ompi_osc_ucp_rdma_memory_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    const opal_common_ucp_lanes_t *lanes = ompi_osc_ucp_proc_lanes(peer->proc);

    for (unsigned i = 0; i < 2; i++) {
        peer->native[i] = (struct ompi_osc_ucp_native_t) { { native_done }, peer, i };
    }
    peer->stream  = lanes->stream;
    peer->cpu_amo = lanes->cpu_amo;
    peer->remote  = description->base;
    return description->memory
               ? ompi_osc_ucp_rkey_attach(peer, lanes, description->key, description->key_len, &peer->rkey)
               : ompi_osc_ucp_rkey_attach(peer, lanes, description->user_key, description->user_key_len, &peer->rkey);
}

static int rdma_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    bool served = NULL != description && !peer->window->nic && OMPI_OSC_UCP_RDMA_NEVER != ompi_osc_ucp_params.rdma &&
                  ompi_osc_ucp_rdma_memory_attach(peer, description);

    return served ? OMPI_SUCCESS : OMPI_ERR_NOT_SUPPORTED;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_rdma = {
    .via          = OMPI_OSC_UCP_VIA_RDMA,
    .attach       = rdma_attach,
    .detach       = ompi_osc_ucp_rdma_detach,
    .put          = ompi_osc_ucp_rdma_put,
    .get          = ompi_osc_ucp_rdma_get,
    .accumulate   = ompi_osc_ucp_am_accumulate,
    .compare_swap = ompi_osc_ucp_am_compare_swap,
    .put_block    = ompi_osc_ucp_rdma_put_block,
    .get_block    = ompi_osc_ucp_rdma_get_block,
    .settle       = ompi_osc_ucp_rdma_settle,
    .flush        = ompi_osc_ucp_rdma_flush,
    .flush_alone  = ompi_osc_ucp_rdma_flush_alone,
    .lock         = ompi_osc_ucp_am_lock,
    .unlock       = ompi_osc_ucp_am_unlock,
    .counters     = ompi_osc_ucp_am_counters,
    .raise        = ompi_osc_ucp_am_raise,
    .post         = ompi_osc_ucp_am_post,
    .complete     = ompi_osc_ucp_am_complete,
    .arrive       = ompi_osc_ucp_am_arrive
};
