/* The kernel path: peers of lean windows in memory of the program's, which the kernel copies for this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is the cma path without messages: the members of such a window have tried the copies when they made it
 * (window/lean.c). Locks and notices are those of the direct path. What the kernel does not copy is an error.
 */

#include "path/cma.h"
#include "path/faster.h"
#include "path/gather.h"
#include "path/handoff.h"

#include "base/cpu.h"
#include "base/wait.h"
#include "memory/attached.h"
#include "memory/handoff.h"
#include "peer/pending.h"

/** A completion counts as so many calls that only load and store: see path/cma.c. */
#define CALLS_PER_COMPLETION 64

/** Begin a transfer, after what is kept. False: not all of its data are in attached memory. */
static bool begin(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_gather_out(transfer->peer);
    return ompi_osc_ucp_cma_enter(transfer->peer, transfer->disp, transfer->target_layout,
                                  NULL == transfer->prim ? 0 : ompi_osc_ucp_prim_gap(transfer->prim));
}

static bool block_begin(ompi_osc_ucp_peer_t *peer, int64_t at, uint64_t bytes)
{
    ompi_osc_ucp_layout_t layout;

    ompi_osc_ucp_gather_out(peer);
    ompi_osc_ucp_layout_contiguous(&layout, 0, bytes);
    return ompi_osc_ucp_cma_enter(peer, at, &layout, 0);
}

/** The data are not attached: as where the target refuses a message, the request or the completing call tells it. */
static int refused(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_peer_t *peer = transfer->peer;
    ompi_request_t      *request;

    peer->refusals++;
    peer->window->refused.rank = peer->rank;
    peer->window->refused.at   = transfer->disp;
    if (NULL == transfer->request_p) {
        peer->error = OMPI_ERR_RMA_RANGE;
        return OMPI_SUCCESS;
    }
    request = ompi_osc_ucp_request_new(peer->window);
    if (NULL == request) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *transfer->request_p = request;
    ompi_osc_ucp_request_complete(request, OMPI_ERR_RMA_RANGE, peer);
    return OMPI_SUCCESS;
}

/** The outcome of what was begun. */
static int over(ompi_osc_ucp_transfer_t *transfer, int rc)
{
    if (OMPI_SUCCESS == rc) {
        return ompi_osc_ucp_request_none(transfer->request_p);
    }
    return OMPI_ERR_NOT_SUPPORTED == rc ? OMPI_ERR_UNREACH : rc;
}

static int kernel_copy(ompi_osc_ucp_transfer_t *transfer, bool write)
{
    if (!begin(transfer)) {
        return refused(transfer);
    }
    if (ompi_osc_ucp_handoff_copy(transfer, write)) {
        ompi_osc_ucp_cma_end(transfer->peer);
        return over(transfer, OMPI_SUCCESS);
    }
    return over(transfer, ompi_osc_ucp_cma_copied(transfer, write));
}

static int kernel_put(ompi_osc_ucp_transfer_t *transfer)
{
    return kernel_copy(transfer, true);
}

static int kernel_get(ompi_osc_ucp_transfer_t *transfer)
{
    return kernel_copy(transfer, false);
}

/** Carry out an accumulate that was begun. */
static int cells_updated(ompi_osc_ucp_transfer_t *transfer)
{
    const uint64_t done = ompi_osc_ucp_handoff_cells(transfer);

    if (done * transfer->prim->extent == transfer->target_layout->size) {
        ompi_osc_ucp_cma_end(transfer->peer);
        return OMPI_SUCCESS;
    }
    return ompi_osc_ucp_cma_updated(transfer, done);
}

static int kernel_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    if (!begin(transfer)) {
        return refused(transfer);
    }
    if (ompi_osc_ucp_handoff_update(transfer)) {
        ompi_osc_ucp_cma_end(transfer->peer);
        return over(transfer, OMPI_SUCCESS);
    }
    return over(transfer, cells_updated(transfer));
}

static int kernel_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    bool begun = false;

    if (!begin(transfer)) {
        return refused(transfer);
    }
    return over(transfer, ompi_osc_ucp_cma_transfer_swapped(transfer, &begun) ? OMPI_SUCCESS : OMPI_ERR_UNREACH);
}

/* Short verbs. */

/** An operation that was begun was handed off: end it. */
static bool handed(ompi_osc_ucp_peer_t *peer, uint64_t bytes)
{
    ompi_osc_ucp_cma_end(peer);
    ompi_osc_ucp_cma_done(peer, bytes);
    return true;
}

/** Powers of two up to OMPI_OSC_UCP_HANDOFF_MAX. */
#define MAGNITUDES 14

/** The ways of a block, if they are to be timed. NULL: it is short, or there is only one way. `ways`: by magnitude. */
static ompi_osc_ucp_faster_t *timed(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_faster_t *ways, uint64_t bytes,
                                    uint64_t most)
{
    return bytes > OMPI_OSC_UCP_FASTER_ABOVE && bytes <= most && ompi_osc_ucp_handoff_answers(peer)
               ? &ways[ompi_osc_ucp_magnitude(bytes)] : NULL;
}

/** Copy a block that is not kept: it was begun. */
static bool copied(ompi_osc_ucp_peer_t *peer, bool write, void *here, int64_t at, uint64_t bytes)
{
    static ompi_osc_ucp_faster_t ways[2][MAGNITUDES];
    const uint64_t               address = peer->remote + (uint64_t) at;
    ompi_osc_ucp_faster_t       *faster  = timed(peer, ways[write], bytes, OMPI_OSC_UCP_HANDOFF_COPY_MAX);
    const uint64_t               start   = NULL == faster ? 0 : ompi_osc_ucp_cpu_clock();
    bool                         first, done;

    first = (NULL == faster || ompi_osc_ucp_faster_first(faster)) &&
            (write ? ompi_osc_ucp_handoff_put(peer, address, here, bytes)
                   : ompi_osc_ucp_handoff_get(peer, address, here, bytes));
    done  = first ? handed(peer, bytes) : ompi_osc_ucp_cma_block_copied(peer, write, here, at, bytes);
    if (NULL != faster) {
        ompi_osc_ucp_faster_took(faster, first, start);
    }
    return done;
}

static bool kernel_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    return ompi_osc_ucp_gather_put(peer, at, origin, bytes) ||
           (bytes <= OMPI_OSC_UCP_CMA_BYTES && block_begin(peer, at, bytes) &&
            copied(peer, true, (void *) origin, at, bytes));
}

static bool kernel_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes)
{
    return ompi_osc_ucp_gather_get(peer, at, result, bytes) ||
           (bytes <= OMPI_OSC_UCP_CMA_BYTES && block_begin(peer, at, bytes) &&
            copied(peer, false, result, at, bytes));
}

/** Update a block of any length that was begun. */
static bool block_updated(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                          const void *origin, void *result, uint64_t bytes)
{
    ompi_osc_ucp_layout_t   layout;
    ompi_osc_ucp_transfer_t transfer = {
        .peer = peer, .disp = at, .op = op, .prim = prim, .target_layout = &layout, .origin = origin,
        .origin_layout = OMPI_OSC_UCP_OP_NO_OP == op ? NULL : &layout, .result = result,
        .result_layout = NULL == result ? NULL : &layout
    };

    if (bytes <= OMPI_OSC_UCP_CMA_UPDATE_MAX) {
        return ompi_osc_ucp_cma_block_updated(peer, at, op, prim, origin, result, bytes);
    }
    ompi_osc_ucp_layout_contiguous(&layout, 0, bytes);
    if (OMPI_SUCCESS != cells_updated(&transfer)) {
        peer->error = OMPI_ERR_UNREACH; /* some of it may be done: the caller must not do it once more */
    }
    return true;
}

/** Update a block that is not kept: it was begun. */
static bool updated(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                    const void *origin, void *result, uint64_t bytes)
{
    static ompi_osc_ucp_faster_t ways[2][MAGNITUDES];
    const uint64_t               address = peer->remote + (uint64_t) at, most = OMPI_OSC_UCP_HANDOFF_MAX;
    ompi_osc_ucp_faster_t       *faster  = timed(peer, ways[NULL != result], bytes, NULL == result ? most : most / 2);
    const uint64_t               start   = NULL == faster ? 0 : ompi_osc_ucp_cpu_clock();
    bool                         first, done;

    first = (NULL == faster || ompi_osc_ucp_faster_first(faster)) &&
            ompi_osc_ucp_handoff_accumulate(peer, address, op, prim, origin, result, bytes);
    done  = first ? handed(peer, bytes) : block_updated(peer, at, op, prim, origin, result, bytes);
    if (NULL != faster) {
        ompi_osc_ucp_faster_took(faster, first, start);
    }
    return done;
}

static bool kernel_accumulate_block(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                                    const void *origin, void *result, uint64_t bytes)
{
    if (NULL == result && ompi_osc_ucp_gather_accumulate(peer, at, op, prim, origin, bytes)) {
        return true;
    }
    return block_begin(peer, at, bytes) && updated(peer, at, op, prim, origin, result, bytes);
}

static bool kernel_swap_block(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                              const void *origin, const void *compare, void *result)
{
    bool begun = false;

    return block_begin(peer, at, prim->size) &&
           (ompi_osc_ucp_handoff_swap(peer, peer->remote + (uint64_t) at, prim, origin, compare, result)
                ? handed(peer, prim->size)
                : ompi_osc_ucp_cma_swapped(peer, at, prim, origin, compare, result, &begun));
}

/* Completion. */

static int kernel_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    (void) awaited;
    ompi_osc_ucp_calls += CALLS_PER_COMPLETION;
    ompi_osc_ucp_gather_complete(peer);
    return OMPI_SUCCESS;
}

static int kernel_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    (void) kernel_flush(peer, awaited);
    return ompi_osc_ucp_mapped_unlock(peer, exclusive, awaited);
}

static int kernel_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    ompi_osc_ucp_gather_complete(peer);
    return ompi_osc_ucp_mapped_complete(peer, awaited);
}

/** What was refused is not counted. */
static int kernel_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin)
{
    const uint32_t before = (uint32_t) begin;

    if (peer->refusals != before || ompi_osc_ucp_gather_raise(peer, index)) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_gather_out(peer);
    return peer->refusals != before ? OMPI_SUCCESS : ompi_osc_ucp_mapped_raise(peer, index, begin);
}

/** Members of a lean window need no description. The process itself has another path. */
static int kernel_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    ompi_osc_ucp_window_t *window = peer->window;
    ompi_osc_ucp_member_t  member;

    (void) description;
    if (!window->lean || (MPI_WIN_FLAVOR_CREATE != window->flavor && MPI_WIN_FLAVOR_DYNAMIC != window->flavor)) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    member         = ompi_osc_ucp_segment_member(window->segment, peer->rank);
    peer->control  = member.control;
    peer->stripes  = member.stripes;
    peer->key_base = member.base_key;
    peer->remote   = member.base;
    peer->cma      = true;
    peer->pid      = member.self.pid;
    peer->proof_at = member.self.address;
    peer->proof    = member.self.number;
    if (MPI_WIN_FLAVOR_DYNAMIC == window->flavor) {
        peer->attached = (ompi_osc_ucp_attached_t *) member.memory;
        peer->insider  = ompi_osc_ucp_insider_of(peer->attached, window->rank);
        member.memory += sizeof(ompi_osc_ucp_attached_t);
    }
    peer->handing.handoff = (ompi_osc_ucp_handoff_t *) member.memory;
    peer->handing.polls   = __atomic_load_n(&peer->handing.handoff->polls, __ATOMIC_RELAXED);
    peer->size      = member.size;
    peer->disp_unit = member.disp_unit;
    peer->known     = true;
    ompi_osc_ucp_gather_init();
    return OMPI_SUCCESS;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_kernel = {
    .via              = OMPI_OSC_UCP_VIA_DIRECT,
    .attach           = kernel_attach,
    .detach           = ompi_osc_ucp_gather_free,
    .put              = kernel_put,
    .get              = kernel_get,
    .accumulate       = kernel_accumulate,
    .compare_swap     = kernel_compare_swap,
    .put_block        = kernel_put_block,
    .get_block        = kernel_get_block,
    .accumulate_block = kernel_accumulate_block,
    .swap_block       = kernel_swap_block,
    .flush            = kernel_flush,
    .leave            = ompi_osc_ucp_gather_complete,
    .lock             = ompi_osc_ucp_mapped_lock,
    .unlock           = kernel_unlock,
    .counters         = ompi_osc_ucp_mapped_counters,
    .raise            = kernel_raise,
    .post             = ompi_osc_ucp_mapped_post,
    .complete         = kernel_complete,
    .arrive           = ompi_osc_ucp_mapped_arrive
};
