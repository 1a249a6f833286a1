/* Handoffs of transfers with layouts, and of cells in a row: see path/handoff.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/handing.h"
#include "path/handoff.h"

#include <unistd.h>

#include "op/op_layout.h"

/** Most nodes of a layout that is handed off. If it goes in several parts, so many runs for each node, at least: else
 *  lists of runs take less time. */
#define NODES_MAX     128
#define RUNS_PER_NODE 4

/** Bytes of a layout's encoding and of packed data. */
#define SHAPED_ROOM \
    (OMPI_OSC_UCP_HANDOFF_ROOM - sizeof(ompi_osc_ucp_handoff_record_t) - sizeof(ompi_osc_ucp_handoff_shape_t))

/** Bytes of pieces that the kernel copies as fast as the target would: on average. */
#define LONG_PIECE 1024

/** Most operations that are not handed off before one with a layout is: it may take the kernel a hundred times as
 *  long. */
#define SKIPPED_MAX 3

/** Most bytes of cells that a target copies for one handoff. */
#define PULLED_MAX (1024 * 1024)

/* Transfers with layouts. */

/** Does a layout have so many short runs that the kernel takes longer? Not with several threads: see claim. */
static bool is_scattered(const ompi_osc_ucp_layout_t *layout, uint64_t runs)
{
    return !ompi_osc_ucp_threaded() && !ompi_osc_ucp_layout_is_contiguous(layout) && layout->size / LONG_PIECE < runs;
}

/** An operation follows that may take the kernel much longer than the target. */
static void skip_less(ompi_osc_ucp_handing_t *handing)
{
    handing->skip = handing->skip < SKIPPED_MAX ? handing->skip : SKIPPED_MAX;
}

/** Claim the handoff for the next bytes of a transfer, from packed byte `pos` on, and describe where they go. *bytes_p:
 *  how many there are. NULL: it must not be used. */
static ompi_osc_ucp_handoff_record_t *claim_shaped(const ompi_osc_ucp_transfer_t *transfer,
                                                   ompi_osc_ucp_handoff_kind_t kind, uint64_t pos, uint64_t *bytes_p)
{
    const ompi_osc_ucp_layout_t   *layout  = transfer->target_layout;
    const uint64_t                 encoded = ompi_osc_ucp_layout_encoded_size(layout), left = layout->size - pos;
    const uint64_t                 unit    = 0 == layout->size % sizeof(uint64_t) ? sizeof(uint64_t) : 1;
    const uint64_t                 room    = (SHAPED_ROOM - encoded) / unit * unit;
    ompi_osc_ucp_handoff_record_t *record;
    ompi_osc_ucp_handoff_shape_t  *shape;

    *bytes_p = left < room ? left : room;
    skip_less(&transfer->peer->handing);
    record = ompi_osc_ucp_handing_claim_one(transfer->peer, kind, transfer->peer->remote + (uint64_t) transfer->disp,
                                            sizeof(*shape) + encoded + *bytes_p, false);
    if (NULL != record) {
        shape        = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handing_data(transfer->peer);
        shape->pos   = pos;
        shape->bytes = (uint32_t) encoded;
        shape->done  = false;
        ompi_osc_ucp_layout_encode(layout, ompi_osc_ucp_handoff_layout(shape));
    }
    return record;
}

/** The handoff's record with a shape was carried out, or must be taken back: was it? */
static bool shaped_done(const ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_handoff_shape_t *shape,
                        uint64_t runs)
{
    if (!ompi_osc_ucp_handing_post(transfer->peer, runs)) {
        return false;
    }
    if (!shape->done) {
        ompi_osc_ucp_handing_release(transfer->peer);
    }
    return shape->done;
}

/** Hand off parts of a put or get with its layout. */
static bool shaped_copy(const ompi_osc_ucp_transfer_t *transfer, bool write, uint64_t runs)
{
    const ompi_osc_ucp_handoff_kind_t kind = write ? OMPI_OSC_UCP_HANDOFF_SHAPED_PUT : OMPI_OSC_UCP_HANDOFF_SHAPED_GET;
    ompi_osc_ucp_handoff_record_t    *record;
    ompi_osc_ucp_handoff_shape_t     *shape;
    ompi_osc_ucp_layout_iter_t        iter;
    uint64_t                          pos, bytes;

    ompi_osc_ucp_layout_iter_init(&iter, write ? transfer->origin_layout : transfer->result_layout, 0);
    for (pos = 0; pos < transfer->target_layout->size; pos += bytes) {
        record = claim_shaped(transfer, kind, pos, &bytes);
        if (NULL == record) {
            return false;
        }
        shape = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handing_data(transfer->peer);
        if (write) {
            ompi_osc_ucp_layout_pack(&iter, transfer->origin, ompi_osc_ucp_handoff_packed(shape), bytes);
        }
        if (!shaped_done(transfer, shape, runs)) {
            return false;
        }
        if (!write) {
            ompi_osc_ucp_layout_unpack(&iter, transfer->result, ompi_osc_ucp_handoff_packed(shape), bytes);
        }
        ompi_osc_ucp_handing_release(transfer->peer);
    }
    return true;
}

/** Should a layout with so many runs be handed off as it is? */
static bool is_regular(const ompi_osc_ucp_layout_t *layout, uint64_t runs)
{
    return layout->nnodes <= NODES_MAX &&
           (layout->size + ompi_osc_ucp_layout_encoded_size(layout) <= SHAPED_ROOM ||
            runs / RUNS_PER_NODE >= layout->nnodes);
}

bool ompi_osc_ucp_handoff_copy(const ompi_osc_ucp_transfer_t *transfer, bool write)
{
    const uint64_t runs = ompi_osc_ucp_layout_runs(transfer->target_layout);

    if (!is_scattered(transfer->target_layout, runs)) {
        return false;
    }
    if (is_regular(transfer->target_layout, runs)) {
        return shaped_copy(transfer, write, runs);
    }
    skip_less(&transfer->peer->handing);
    return ompi_osc_ucp_handoff_runs(transfer, write, runs);
}

bool ompi_osc_ucp_handoff_update(const ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_layout_t   *layout = transfer->target_layout;
    const uint64_t                 runs   = ompi_osc_ucp_layout_runs(layout);
    ompi_osc_ucp_handoff_record_t *record;
    ompi_osc_ucp_handoff_shape_t  *shape;
    ompi_osc_ucp_layout_iter_t     iter;
    uint64_t                       bytes;

    if (NULL != transfer->result_layout || NULL == transfer->origin_layout || !is_scattered(layout, runs) ||
        ompi_osc_ucp_prim_has_gaps(transfer->prim) || layout->nnodes > NODES_MAX ||
        layout->size + layout->nnodes * sizeof(*layout->nodes) > SHAPED_ROOM - sizeof(uint64_t)) {
        return false;
    }
    record = claim_shaped(transfer, OMPI_OSC_UCP_HANDOFF_SHAPED_ACCUMULATE, 0, &bytes);
    if (NULL == record) {
        return false;
    }
    record->op   = transfer->op;
    record->prim = transfer->prim->code;
    shape        = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handing_data(transfer->peer);
    ompi_osc_ucp_layout_iter_init(&iter, transfer->origin_layout, 0);
    ompi_osc_ucp_layout_pack(&iter, transfer->origin, ompi_osc_ucp_handoff_packed(shape), bytes);
    if (!shaped_done(transfer, shape, runs)) {
        return false;
    }
    ompi_osc_ucp_handing_release(transfer->peer);
    return true;
}

/* Accumulates on cells in a row. */

/** Have the target copy the origin's cells, and apply them. Returns how many it has applied. */
static uint64_t cells_pulled(const ompi_osc_ucp_transfer_t *transfer, uint64_t cells)
{
    const ompi_osc_ucp_prim_t     *prim   = transfer->prim;
    ompi_osc_ucp_peer_t           *peer   = transfer->peer;
    const uint64_t                 from   = (uintptr_t) transfer->origin + (uint64_t) transfer->origin_layout->lb;
    const uint64_t                 target = peer->remote + (uint64_t) (transfer->disp + transfer->target_layout->lb);
    const bool                     gaps   = ompi_osc_ucp_prim_has_gaps(prim);
    ompi_osc_ucp_handoff_record_t *record;
    ompi_osc_ucp_handoff_pull_t   *pull;
    uint64_t                       done, n;

    for (done = 0; done < cells && !peer->handing.refused; done += n) {
        record = ompi_osc_ucp_handing_claim_one(peer, OMPI_OSC_UCP_HANDOFF_PULLED_ACCUMULATE,
                                                target + done * prim->extent, sizeof(*pull), false);
        if (NULL == record) {
            break;
        }
        n            = PULLED_MAX / prim->extent;
        n            = cells - done < n ? cells - done : n;
        pull         = (ompi_osc_ucp_handoff_pull_t *) ompi_osc_ucp_handing_data(peer);
        record->op   = transfer->op;
        record->prim = prim->code;
        pull->from   = from + done * prim->extent;
        pull->cells  = n;
        pull->done   = 0;
        pull->pid    = getpid();
        if (!ompi_osc_ucp_handing_post(peer, gaps ? n : 0)) {
            break;
        }
        peer->handing.refused = pull->done < n;
        n                     = pull->done;
        ompi_osc_ucp_handing_release(peer);
    }
    return done;
}

/** Hand cells off in short parts, with their data. Returns how many are done. */
static uint64_t cells_copied(const ompi_osc_ucp_transfer_t *transfer, uint64_t cells)
{
    const ompi_osc_ucp_prim_t     *prim    = transfer->prim;
    ompi_osc_ucp_peer_t           *peer    = transfer->peer;
    const bool                     reads   = NULL != transfer->origin_layout, fetches = NULL != transfer->result_layout;
    const uint64_t                 most    = (OMPI_OSC_UCP_HANDOFF_MAX >> fetches) / prim->size;
    const uint64_t                 target  = peer->remote + (uint64_t) (transfer->disp + transfer->target_layout->lb);
    ompi_osc_ucp_handoff_record_t *record;
    ompi_osc_ucp_layout_iter_t     origin, result;
    uint64_t                       done, n;

    if (reads) {
        ompi_osc_ucp_layout_iter_init(&origin, transfer->origin_layout, 0);
    }
    if (fetches) {
        ompi_osc_ucp_layout_iter_init(&result, transfer->result_layout, 0);
    }
    for (done = 0; done < cells; done += n) {
        n      = cells - done < most ? cells - done : most;
        record = ompi_osc_ucp_handing_claim_one(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE,
                                                target + done * prim->extent, n * prim->size, fetches);
        if (NULL == record) {
            break;
        }
        record->op   = transfer->op;
        record->prim = prim->code;
        if (reads) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, ompi_osc_ucp_handing_data(peer), record->bytes);
        }
        if (!ompi_osc_ucp_handing_post(peer, n)) {
            break;
        }
        if (fetches) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, ompi_osc_ucp_handing_data(peer) + record->bytes,
                                       record->bytes);
        }
        ompi_osc_ucp_handing_release(peer);
    }
    return done;
}

uint64_t ompi_osc_ucp_handoff_cells(const ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_prim_t *prim   = transfer->prim;
    const uint64_t             cells  = transfer->target_layout->size / prim->extent;
    const bool                 gaps   = ompi_osc_ucp_prim_has_gaps(prim);
    const bool                 copies = NULL != transfer->origin_layout && NULL == transfer->result_layout &&
                                        cells * prim->size > OMPI_OSC_UCP_HANDOFF_MAX;

    if (ompi_osc_ucp_threaded() || !ompi_osc_ucp_layout_is_contiguous(transfer->target_layout)) {
        return 0;
    }
    skip_less(&transfer->peer->handing);
    if (copies && (gaps || OMPI_OSC_UCP_OP_REPLACE != transfer->op) && !transfer->peer->handing.refused &&
        ompi_osc_ucp_lies_in_cells(transfer->origin_layout, prim)) {
        return cells_pulled(transfer, cells);
    }
    return gaps ? cells_copied(transfer, cells) : 0;
}
