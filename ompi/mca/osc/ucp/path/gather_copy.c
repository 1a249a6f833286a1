/* How the kernel copies what the kernel path keeps of a peer's operations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The target may carry out records as they are. So only the kernel's copies look for accumulates that meet: of these, a
 * copy has each cell once. Between copies this process serves others, who else would give up waiting, and copy, too.
 */

#include "op/stripes.h"
#include "path/cma.h"
#include "path/gathered.h"
#include "path/handoff.h"
#include "service/handoff.h"

typedef ompi_osc_ucp_handoff_record_t record_t;
typedef ompi_osc_ucp_gathered_t       gathered_t;

/** Add puts or gets to the vector, from `record` on, while there is room. Returns the first one that is not added. */
static record_t *copies_add(gathered_t *gathered, record_t *record)
{
    record_t *end = ompi_osc_ucp_gathered_end(gathered);

    while (record < end && ompi_osc_ucp_cma_room(&gathered->vector, 1)) {
        if (OMPI_OSC_UCP_HANDOFF_PUT == gathered->kind) {
            ompi_osc_ucp_cma_add(&gathered->vector, ompi_osc_ucp_handoff_data(record), record->address,
                                 record->bytes);
        } else {
            ompi_osc_ucp_cma_add_apart(&gathered->vector, *ompi_osc_ucp_handoff_result(record), record->address,
                                       record->bytes);
        }
        record = ompi_osc_ucp_gathered_next(record);
    }
    return record;
}

bool ompi_osc_ucp_gathered_refer(gathered_t *gathered)
{
    ompi_osc_ucp_cma_begin(&gathered->vector);
    gathered->refers = copies_add(gathered, (record_t *) gathered->records) == ompi_osc_ucp_gathered_end(gathered) &&
                       ompi_osc_ucp_cma_room(&gathered->vector, 1);
    return gathered->refers;
}

/** Have the kernel copy all puts or gets. */
static bool copies_do(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    const bool write  = OMPI_OSC_UCP_HANDOFF_PUT == gathered->kind;
    record_t  *record = (record_t *) gathered->records, *end = ompi_osc_ucp_gathered_end(gathered);

    if (gathered->refers) {
        return ompi_osc_ucp_cma_copy(peer->pid, write, &gathered->vector);
    }
    while (record < end) {
        ompi_osc_ucp_cma_begin(&gathered->vector);
        record = copies_add(gathered, record);
        if (!ompi_osc_ucp_cma_copy(peer->pid, write, &gathered->vector)) {
            return false;
        }
        (void) ompi_osc_ucp_handoff_serve(peer->window);
    }
    return true;
}

/** Cells lie so many bytes apart, or more, with a gap between them: the kernel copies each by itself, so that an
 *  element is written in one piece (ompi_osc_ucp_cma_whole). Data of puts have a record between them. */
#define APART 16

/** The bytes that cells take. */
static uint32_t apart(uint64_t bytes)
{
    return (uint32_t) (bytes + APART) / APART * APART;
}

/** Accumulates that the kernel copies at once: no cell is there twice. Their cells are the gathered ones. */
typedef struct batch_t {
    record_t *record, *end;      /**< the first, and behind the last */
    uint64_t  last, last_end;    /**< addresses of the last cells */
    uint64_t  highest;           /**< all cells end before */
    uint64_t  set;               /**< stripes of all cells */
    uint32_t  cells;             /**< bytes that they take */
} batch_t;

static inline bool are_last(const batch_t *batch, const record_t *record)
{
    return record->address == batch->last && record->address + record->bytes == batch->last_end;
}

/** Are some of these cells in the vector? */
static bool cells_overlap(const ompi_osc_ucp_cma_vector_t *vector, const batch_t *batch, const record_t *record)
{
    const struct iovec *there = vector->there, *end = there + vector->nthere;

    if (record->address >= batch->highest) {
        return false;
    }
    while (there < end && ((uintptr_t) there->iov_base >= record->address + record->bytes ||
                           (uintptr_t) there->iov_base + there->iov_len <= record->address)) {
        there++;
    }
    return there < end;
}

/** Add an accumulate. False: it must be in another batch. */
static bool batch_add(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, batch_t *batch, record_t *record)
{
    ompi_osc_ucp_cma_vector_t *vector = &gathered->vector;

    if (!are_last(batch, record)) {
        if (!ompi_osc_ucp_cma_room(vector, 1) || cells_overlap(vector, batch, record)) {
            return false;
        }
        ompi_osc_ucp_cma_add(vector, gathered->cells + batch->cells, record->address, record->bytes);
        batch->set     |= ompi_osc_ucp_stripes_of(record->address - peer->key_base, record->bytes);
        batch->cells   += apart(record->bytes);
        batch->last     = record->address;
        batch->last_end = record->address + record->bytes;
        batch->highest  = batch->last_end > batch->highest ? batch->last_end : batch->highest;
    }
    record->cells = (uint16_t) (batch->cells - apart(record->bytes));
    return true;
}

/** Begin a batch with as many accumulates as can be, from `record` on. */
static void batch_begin(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, batch_t *batch, record_t *record)
{
    record_t *end = ompi_osc_ucp_gathered_end(gathered);

    *batch = (batch_t) { .record = record, .end = record };
    ompi_osc_ucp_cma_begin(&gathered->vector);
    while (batch->end < end && batch_add(peer, gathered, batch, batch->end)) {
        batch->end = ompi_osc_ucp_gathered_next(batch->end);
    }
}

/** Apply accumulates in order to the cells that were read. `changed` gets those that have changed: memory that an
 *  accumulate does not change is not written. */
static void batch_apply(gathered_t *gathered, const batch_t *batch, ompi_osc_ucp_cma_vector_t *changed)
{
    record_t   *record = batch->record;
    const char *last   = NULL;

    ompi_osc_ucp_cma_begin(changed);
    for (; record < batch->end; record = ompi_osc_ucp_gathered_next(record)) {
        const ompi_osc_ucp_prim_t *prim  = &ompi_osc_ucp_prims[record->prim];
        char                      *cells = gathered->cells + record->cells;

        if (ompi_osc_ucp_op_apply_private(record->op, prim, cells, ompi_osc_ucp_handoff_data(record), NULL,
                                          record->bytes / prim->size) &&
            last != cells) {
            last = cells; /* the same cells follow one another */
            ompi_osc_ucp_cma_add(changed, cells, record->address, record->bytes);
        }
    }
}

/** Read the cells, update and write them, under their stripes. */
static bool batch_update(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, const batch_t *batch)
{
    ompi_osc_ucp_cma_vector_t changed;
    bool                      done;

    if (!ompi_osc_ucp_cma_stripes_lock(peer, batch->set)) {
        return false;
    }
    done = ompi_osc_ucp_cma_copy(peer->pid, false, &gathered->vector);
    if (done) {
        batch_apply(gathered, batch, &changed);
        done = 0 == changed.bytes || ompi_osc_ucp_cma_copy(peer->pid, true, &changed);
    }
    ompi_osc_ucp_stripes_unlock(peer->stripes, batch->set);
    return done;
}

/** Have the kernel copy for all accumulates, in order. */
static bool cells_update(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    record_t *record = (record_t *) gathered->records, *end = ompi_osc_ucp_gathered_end(gathered);
    batch_t   batch;

    for (; record < end; record = batch.end) {
        batch_begin(peer, gathered, &batch, record);
        if (!batch_update(peer, gathered, &batch)) {
            return false;
        }
        (void) ompi_osc_ucp_handoff_serve(peer->window);
    }
    return true;
}

/** A block of an accumulate that is kept as the program's buffer, if it is not longer, is updated together with others,
 *  as if its data were kept. */
#define TOGETHER_MAX 1024

/** Update a block from the program's buffer. */
static bool block_update(const gathered_t *gathered, const char *origin, uint64_t address, uint64_t bytes)
{
    ompi_osc_ucp_layout_t   layout;
    ompi_osc_ucp_transfer_t transfer = {
        .peer = gathered->peer, .disp = (int64_t) (address - gathered->peer->remote), .op = gathered->op,
        .prim = &ompi_osc_ucp_prims[gathered->prim], .target_layout = &layout, .origin = origin,
        .origin_layout = &layout
    };
    uint64_t                done;

    ompi_osc_ucp_layout_contiguous(&layout, 0, bytes);
    done = ompi_osc_ucp_handoff_cells(&transfer);
    return done * transfer.prim->size == bytes || OMPI_SUCCESS == ompi_osc_ucp_cma_update(&transfer, done);
}

/** Update the blocks whose data were copied to the records. */
static bool together_update(gathered_t *gathered)
{
    const bool done = cells_update(gathered->peer, gathered);

    gathered->used = 0;
    return done;
}

/** Copy a block's data to the records, which have room for them. */
static void together_add(gathered_t *gathered, const char *origin, uint64_t address, uint64_t bytes)
{
    record_t *record = ompi_osc_ucp_gathered_end(gathered);

    *record = (record_t) {
        .address = address, .bytes = (uint16_t) bytes, .kind = OMPI_OSC_UCP_HANDOFF_ACCUMULATE, .op = gathered->op,
        .prim = gathered->prim
    };
    memcpy(ompi_osc_ucp_handoff_data(record), origin, bytes);
    gathered->used += ompi_osc_ucp_handoff_takes((uint32_t) bytes, false);
}

static bool next_update(gathered_t *gathered, const char *origin, uint64_t address, uint64_t bytes)
{
    const bool together = bytes <= TOGETHER_MAX;

    if ((!together || OMPI_OSC_UCP_HANDOFF_ROOM - gathered->used < ompi_osc_ucp_handoff_takes(TOGETHER_MAX, false)) &&
        !together_update(gathered)) {
        return false;
    }
    if (together) {
        together_add(gathered, origin, address, bytes);
        return true;
    }
    (void) ompi_osc_ucp_handoff_serve(gathered->peer->window);
    return block_update(gathered, origin, address, bytes);
}

/** The same for accumulates that are kept as the program's buffers. */
static bool blocks_update(gathered_t *gathered)
{
    const ompi_osc_ucp_cma_vector_t all = gathered->vector; /* which the kernel's copies use */
    const struct iovec *here = all.here, *there = all.there;
    uint64_t            here_at = 0, there_at = 0, left, bytes;

    for (left = all.bytes; left > 0; left -= bytes) {
        bytes = here->iov_len - here_at < there->iov_len - there_at ? here->iov_len - here_at
                                                                    : there->iov_len - there_at;
        if (!next_update(gathered, (char *) here->iov_base + here_at, (uintptr_t) there->iov_base + there_at, bytes)) {
            return false;
        }
        here_at  += bytes;
        there_at += bytes;
        if (here_at == here->iov_len) {
            here++;
            here_at = 0;
        }
        if (there_at == there->iov_len) {
            there++;
            there_at = 0;
        }
    }
    return together_update(gathered);
}

bool ompi_osc_ucp_gathered_copy(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    if (OMPI_OSC_UCP_HANDOFF_ACCUMULATE != gathered->kind) {
        return copies_do(peer, gathered);
    }
    return gathered->refers ? blocks_update(gathered) : cells_update(peer, gathered);
}
