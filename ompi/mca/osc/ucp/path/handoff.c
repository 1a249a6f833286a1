/* Handoffs at the origin: see path/handoff.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/handoff.h"

#include <string.h>
#include <unistd.h>

#include "base/wait.h"
#include "memory/cma.h"
#include "op/op_layout.h"

/** Most nodes of a layout that is handed off at once. */
#define NODES_MAX 128

/** Bytes of a layout's encoding and of packed data. */
#define SHAPED_ROOM \
    (OMPI_OSC_UCP_HANDOFF_ROOM - sizeof(ompi_osc_ucp_handoff_record_t) - sizeof(ompi_osc_ucp_handoff_shape_t))

/** Bytes of pieces that the kernel copies as fast as the target would: on average. */
#define LONG_PIECE 1024

/** Steps of waiting for a target to take an operation: some 3 us. A copy by the kernel takes about 2 us. */
#define STEPS_MAX 96

/** Further steps for each piece of a layout or of a series, up to so many. The kernel takes about as long for it. So
 *  two processes that operate on each other meet in this wait, where each serves the other. */
#define STEPS_PER_PIECE 8
#define PIECES_MAX      1024

/** Most operations that are not handed off before one with a layout is: it may take the kernel a hundred times as
 *  long. */
#define SKIPPED_MAX 3

/** Steps between two looks whether a target that carries operations out is still alive: some milliseconds. */
#define STEPS_PER_LOOK (64 * 1024)

/** Most bytes of cells that a target copies for one handoff. */
#define PULLED_MAX (1024 * 1024)

/** After n operations in a row, up to this, that were not taken, the next 2^n - 1 are not handed off. */
#define MISSES_MAX 8

/** Does the target poll, as far as is known? While operations are skipped, each call counts as one. */
static bool answers(ompi_osc_ucp_handing_t *handing)
{
    uint32_t polls;

    if (handing->skip > 0) {
        handing->skip--;
        return false;
    }
    if (!handing->answers) {
        polls            = __atomic_load_n(&handing->handoff->polls, __ATOMIC_RELAXED);
        handing->answers = polls != handing->polls;
        handing->polls   = polls;
    }
    return handing->answers;
}

/** Claim the target's handoff, if the target polls. False: it must not be used. With several threads another one could
 *  pass the operation while this one waits. */
static bool claim(ompi_osc_ucp_peer_t *peer)
{
    uint32_t none = 0;

    return !ompi_osc_ucp_threaded() && answers(&peer->handing) &&
           __atomic_compare_exchange_n(&peer->handing.handoff->claimed, &none, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/** Claim it for one operation, and begin to fill in its record; NULL: as above. */
static ompi_osc_ucp_handoff_record_t *claim_one(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_handoff_kind_t kind,
                                                uint64_t address, uint64_t bytes, bool fetches)
{
    ompi_osc_ucp_handoff_t        *handoff = peer->handing.handoff;
    ompi_osc_ucp_handoff_record_t *record  = (ompi_osc_ucp_handoff_record_t *) handoff->records;

    if (!claim(peer)) {
        return NULL;
    }
    handoff->used   = ompi_osc_ucp_handoff_takes((uint32_t) bytes, fetches);
    record->address = address;
    record->bytes   = (uint16_t) bytes;
    record->kind    = (uint8_t) kind;
    record->fetches = fetches;
    return record;
}

/** Notifications follow the records. */
static void raises_append(ompi_osc_ucp_handoff_t *handoff, const ompi_osc_ucp_handoff_raises_t *raises)
{
    const size_t bytes = NULL == raises ? 0 : raises->n * sizeof(raises->records[0]);

    if (bytes > 0) {
        memcpy(handoff->records + handoff->used, raises->records, bytes);
        handoff->used += (uint32_t) bytes;
    }
}

static void release(ompi_osc_ucp_handoff_t *handoff)
{
    __atomic_store_n(&handoff->claimed, 0, __ATOMIC_RELEASE);
}

/** The target has ended, or become another program, while it carried something out. It may have held a stripe, which
 *  nobody releases: no operation waits for that, and none reaches its process any more. */
static void forget(ompi_osc_ucp_peer_t *peer)
{
    static ompi_osc_ucp_stripe_t nobodys[OMPI_OSC_UCP_STRIPES];

    peer->stripes = nobodys;
    peer->pid     = 0;
}

/** Post the records, which the kernel would copy in so many pieces, and wait until the target takes them. True: the
 *  target has carried them out, and the caller must release the handoff. False: they were taken back, and the handoff
 *  is released; or the target has died, and nobody can claim it any more. */
static bool hand_off_patient(ompi_osc_ucp_peer_t *peer, uint64_t pieces)
{
    const unsigned          patience = STEPS_MAX + STEPS_PER_PIECE * (unsigned) (pieces < PIECES_MAX ? pieces
                                                                                                     : PIECES_MAX);
    ompi_osc_ucp_handing_t *handing  = &peer->handing;
    ompi_osc_ucp_handoff_t *handoff  = handing->handoff;
    uint32_t                posted   = OMPI_OSC_UCP_HANDOFF_POSTED;
    unsigned                steps    = 0;

    __atomic_store_n(&handoff->state, posted, __ATOMIC_RELEASE);
    while (posted == __atomic_load_n(&handoff->state, __ATOMIC_RELAXED) && steps < patience) {
        ompi_osc_ucp_spin(&steps);
    }
    if (__atomic_compare_exchange_n(&handoff->state, &posted, OMPI_OSC_UCP_HANDOFF_FREE, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        release(handoff);
        handing->misses  = (uint8_t) (handing->misses + (handing->misses < MISSES_MAX));
        handing->skip    = (uint16_t) ((1u << handing->misses) - 1);
        handing->answers = false;
        handing->polls   = __atomic_load_n(&handoff->polls, __ATOMIC_RELAXED);
        return false;
    }
    while (OMPI_OSC_UCP_HANDOFF_DONE != __atomic_load_n(&handoff->state, __ATOMIC_ACQUIRE)) {
        ompi_osc_ucp_spin(&steps);
        if (0 == steps % STEPS_PER_LOOK && !ompi_osc_ucp_cma_reaches(peer->pid, peer->proof_at, peer->proof)) {
            forget(peer);
            return false;
        }
    }
    handing->misses = 0;
    return true;
}

static bool hand_off(ompi_osc_ucp_peer_t *peer)
{
    return hand_off_patient(peer, 0);
}

bool ompi_osc_ucp_handoff_answers(ompi_osc_ucp_peer_t *peer)
{
    return !ompi_osc_ucp_threaded() && answers(&peer->handing);
}

/** The record behind that one. */
static ompi_osc_ucp_handoff_record_t *next(ompi_osc_ucp_handoff_record_t *record)
{
    return (ompi_osc_ucp_handoff_record_t *) ((char *) record + ompi_osc_ucp_handoff_takes(record->bytes, false));
}

/** Write records of gets, which have no data yet. */
static void gets_write(ompi_osc_ucp_handoff_record_t *to, ompi_osc_ucp_handoff_record_t *from, const char *end)
{
    for (; (char *) from < end; from = next(from), to = next(to)) {
        *to = *from;
    }
}

/** Read their results. */
static void gets_read(ompi_osc_ucp_handoff_record_t *done, ompi_osc_ucp_handoff_record_t *own, const char *end)
{
    for (; (char *) own < end; own = next(own), done = next(done)) {
        memcpy(*ompi_osc_ucp_handoff_result(own), ompi_osc_ucp_handoff_data(done), own->bytes);
    }
}

bool ompi_osc_ucp_handoff_series(ompi_osc_ucp_peer_t *peer, char *records, uint32_t used, uint64_t pieces,
                                 const ompi_osc_ucp_handoff_raises_t *raises)
{
    ompi_osc_ucp_handoff_t        *handoff = peer->handing.handoff;
    ompi_osc_ucp_handoff_record_t *own     = (ompi_osc_ucp_handoff_record_t *) records;
    ompi_osc_ucp_handoff_record_t *theirs  = (ompi_osc_ucp_handoff_record_t *) handoff->records;
    const bool                     gets    = OMPI_OSC_UCP_HANDOFF_GET == own->kind;

    if (!claim(peer)) {
        return false;
    }
    handoff->used = used;
    if (gets) {
        gets_write(theirs, own, records + used);
    } else {
        memcpy(handoff->records, records, used);
    }
    raises_append(handoff, raises);
    if (!hand_off_patient(peer, pieces)) {
        return false;
    }
    if (gets) {
        gets_read(theirs, own, records + used);
    }
    release(handoff);
    return true;
}

bool ompi_osc_ucp_handoff_put(ompi_osc_ucp_peer_t *peer, uint64_t address, const void *origin, uint64_t bytes,
                              const ompi_osc_ucp_handoff_raises_t *raises)
{
    ompi_osc_ucp_handoff_record_t *record;

    if (bytes > OMPI_OSC_UCP_HANDOFF_COPY_MAX ||
        NULL == (record = claim_one(peer, OMPI_OSC_UCP_HANDOFF_PUT, address, bytes, false))) {
        return false;
    }
    memcpy(ompi_osc_ucp_handoff_data(record), origin, bytes);
    raises_append(peer->handing.handoff, raises);
    if (!hand_off(peer)) {
        return false;
    }
    release(peer->handing.handoff);
    return true;
}

bool ompi_osc_ucp_handoff_get(ompi_osc_ucp_peer_t *peer, uint64_t address, void *result, uint64_t bytes,
                              const ompi_osc_ucp_handoff_raises_t *raises)
{
    ompi_osc_ucp_handoff_record_t *record;

    if (bytes > OMPI_OSC_UCP_HANDOFF_COPY_MAX ||
        NULL == (record = claim_one(peer, OMPI_OSC_UCP_HANDOFF_GET, address, bytes, false))) {
        return false;
    }
    raises_append(peer->handing.handoff, raises);
    if (!hand_off(peer)) {
        return false;
    }
    memcpy(result, ompi_osc_ucp_handoff_data(record), bytes);
    release(peer->handing.handoff);
    return true;
}

bool ompi_osc_ucp_handoff_accumulate(ompi_osc_ucp_peer_t *peer, uint64_t address, uint8_t op,
                                     const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t bytes)
{
    const bool                     fetches = NULL != result;
    ompi_osc_ucp_handoff_record_t *record;

    if (bytes << fetches > OMPI_OSC_UCP_HANDOFF_MAX ||
        NULL == (record = claim_one(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, bytes, fetches))) {
        return false;
    }
    record->op   = op;
    record->prim = prim->code;
    if (OMPI_OSC_UCP_OP_NO_OP != op) {
        memcpy(ompi_osc_ucp_handoff_data(record), origin, bytes);
    }
    if (!hand_off(peer)) {
        return false;
    }
    if (NULL != result) {
        memcpy(result, ompi_osc_ucp_handoff_data(record) + bytes, bytes);
    }
    release(peer->handing.handoff);
    return true;
}

bool ompi_osc_ucp_handoff_swap(ompi_osc_ucp_peer_t *peer, uint64_t address, const ompi_osc_ucp_prim_t *prim,
                               const void *origin, const void *compare, void *result)
{
    ompi_osc_ucp_handoff_record_t *record = claim_one(peer, OMPI_OSC_UCP_HANDOFF_SWAP, address, prim->size, true);

    if (NULL == record) {
        return false;
    }
    record->prim = prim->code;
    memcpy(ompi_osc_ucp_handoff_data(record), origin, prim->size);
    memcpy(ompi_osc_ucp_handoff_data(record) + prim->size, compare, prim->size);
    if (!hand_off(peer)) {
        return false;
    }
    memcpy(result, ompi_osc_ucp_handoff_data(record) + prim->size, prim->size);
    release(peer->handing.handoff);
    return true;
}

/* Transfers with layouts. */

/** Does a transfer go to so many short pieces that the kernel takes longer? Not with several threads: see claim. */
static bool is_scattered(const ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_layout_t *layout = transfer->target_layout;

    return !ompi_osc_ucp_threaded() && !ompi_osc_ucp_layout_is_contiguous(layout) &&
           layout->size / LONG_PIECE < ompi_osc_ucp_layout_runs(layout);
}

/** An operation follows that may take the kernel much longer than the target. */
static void skip_less(ompi_osc_ucp_handing_t *handing)
{
    handing->skip = handing->skip < SKIPPED_MAX ? handing->skip : SKIPPED_MAX;
}

/** Claim the handoff for the next bytes of a transfer, from packed byte `pos` on, and describe where they go. *bytes_p:
 *  how many there are. NULL: it must not be used, or memory is short. */
static ompi_osc_ucp_handoff_record_t *claim_shaped(const ompi_osc_ucp_transfer_t *transfer,
                                                   ompi_osc_ucp_handoff_kind_t kind, uint64_t pos, uint64_t *bytes_p)
{
    const ompi_osc_ucp_layout_t   *layout = transfer->target_layout;
    const uint64_t                 unit   = 0 == layout->size % sizeof(uint64_t) ? sizeof(uint64_t) : 1;
    const bool                     whole  = layout->nnodes <= NODES_MAX;
    const uint64_t                 most   = whole ? layout->nnodes : NODES_MAX;
    uint64_t                       bytes  = (SHAPED_ROOM - most * sizeof(*layout->nodes)) / unit * unit;
    ompi_osc_ucp_layout_t          piece;
    ompi_osc_ucp_handoff_record_t *record;
    ompi_osc_ucp_handoff_shape_t  *shape;

    bytes = layout->size - pos < bytes ? layout->size - pos : bytes;
    if (whole) {
        ompi_osc_ucp_layout_share(&piece, layout);
    } else if (!ompi_osc_ucp_layout_slice(layout, pos, unit, NODES_MAX, &bytes, &piece)) {
        return NULL;
    }
    skip_less(&transfer->peer->handing);
    record = claim_one(transfer->peer, kind, transfer->peer->remote + (uint64_t) transfer->disp,
                       sizeof(*shape) + ompi_osc_ucp_layout_encoded_size(&piece) + bytes, false);
    if (NULL != record) {
        shape        = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handoff_data(record);
        shape->pos   = whole ? pos : 0;
        shape->bytes = (uint32_t) ompi_osc_ucp_layout_encoded_size(&piece);
        shape->done  = false;
        ompi_osc_ucp_layout_encode(&piece, ompi_osc_ucp_handoff_layout(shape));
    }
    ompi_osc_ucp_layout_fini(&piece);
    *bytes_p = bytes;
    return record;
}

/** The handoff's record with a shape was carried out, or must be taken back: was it? */
static bool shaped_done(const ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_handoff_shape_t *shape)
{
    if (!hand_off_patient(transfer->peer, ompi_osc_ucp_layout_runs(transfer->target_layout))) {
        return false;
    }
    if (!shape->done) {
        release(transfer->peer->handing.handoff);
    }
    return shape->done;
}

bool ompi_osc_ucp_handoff_copy(const ompi_osc_ucp_transfer_t *transfer, bool write)
{
    const ompi_osc_ucp_handoff_kind_t kind = write ? OMPI_OSC_UCP_HANDOFF_SHAPED_PUT : OMPI_OSC_UCP_HANDOFF_SHAPED_GET;
    ompi_osc_ucp_handoff_record_t    *record;
    ompi_osc_ucp_handoff_shape_t     *shape;
    ompi_osc_ucp_layout_iter_t        iter;
    uint64_t                          pos, bytes;

    if (!is_scattered(transfer)) {
        return false;
    }
    ompi_osc_ucp_layout_iter_init(&iter, write ? transfer->origin_layout : transfer->result_layout, 0);
    for (pos = 0; pos < transfer->target_layout->size; pos += bytes) {
        record = claim_shaped(transfer, kind, pos, &bytes);
        if (NULL == record) {
            return false;
        }
        shape = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handoff_data(record);
        if (write) {
            ompi_osc_ucp_layout_pack(&iter, transfer->origin, ompi_osc_ucp_handoff_packed(shape), bytes);
        }
        if (!shaped_done(transfer, shape)) {
            return false;
        }
        if (!write) {
            ompi_osc_ucp_layout_unpack(&iter, transfer->result, ompi_osc_ucp_handoff_packed(shape), bytes);
        }
        release(transfer->peer->handing.handoff);
    }
    return true;
}

bool ompi_osc_ucp_handoff_update(const ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_layout_t   *layout = transfer->target_layout;
    ompi_osc_ucp_handoff_record_t *record;
    ompi_osc_ucp_handoff_shape_t  *shape;
    ompi_osc_ucp_layout_iter_t     iter;
    uint64_t                       bytes;

    if (NULL != transfer->result_layout || NULL == transfer->origin_layout || !is_scattered(transfer) ||
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
    shape        = (ompi_osc_ucp_handoff_shape_t *) ompi_osc_ucp_handoff_data(record);
    ompi_osc_ucp_layout_iter_init(&iter, transfer->origin_layout, 0);
    ompi_osc_ucp_layout_pack(&iter, transfer->origin, ompi_osc_ucp_handoff_packed(shape), bytes);
    if (!shaped_done(transfer, shape)) {
        return false;
    }
    release(transfer->peer->handing.handoff);
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
        record = claim_one(peer, OMPI_OSC_UCP_HANDOFF_PULLED_ACCUMULATE, target + done * prim->extent, sizeof(*pull),
                           false);
        if (NULL == record) {
            break;
        }
        n            = PULLED_MAX / prim->extent;
        n            = cells - done < n ? cells - done : n;
        pull         = (ompi_osc_ucp_handoff_pull_t *) ompi_osc_ucp_handoff_data(record);
        record->op   = transfer->op;
        record->prim = prim->code;
        pull->from   = from + done * prim->extent;
        pull->cells  = n;
        pull->done   = 0;
        pull->pid    = getpid();
        if (!hand_off_patient(peer, gaps ? n : 0)) {
            break;
        }
        peer->handing.refused = pull->done < n;
        n                     = pull->done;
        release(peer->handing.handoff);
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
        record = claim_one(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, target + done * prim->extent, n * prim->size,
                           fetches);
        if (NULL == record) {
            break;
        }
        record->op   = transfer->op;
        record->prim = prim->code;
        if (reads) {
            ompi_osc_ucp_layout_pack(&origin, transfer->origin, ompi_osc_ucp_handoff_data(record), record->bytes);
        }
        if (!hand_off_patient(peer, n)) {
            break;
        }
        if (fetches) {
            ompi_osc_ucp_layout_unpack(&result, transfer->result, ompi_osc_ucp_handoff_data(record) + record->bytes,
                                       record->bytes);
        }
        release(peer->handing.handoff);
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
