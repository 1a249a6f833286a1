/* Short puts and accumulates of a series, which the kernel copies together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/gather.h"

#include <stdlib.h>

#include "memory/cma.h"
#include "memory/handoff.h"
#include "path/handoff.h"
#include "op/stripes.h"

/** Most bytes of an operation that is kept: a longer one costs more to copy here than the kernel takes to begin. */
#define KEPT_MAX 1024

/** Cells lie so many bytes apart, or more, with a gap between them: the kernel copies each by itself, so that an
 *  element is written in one piece (ompi_osc_ucp_cma_whole). Data have a record between them. */
#define APART 16

typedef ompi_osc_ucp_handoff_record_t record_t;

struct ompi_osc_ucp_gathered_t {
    bool                      accumulates; /**< else puts */
    uint32_t                  used;        /**< bytes of `records` */
    uint32_t                  cells_used;  /**< bytes of `cells` */
    uint64_t                  first, end;  /**< addresses of the last cells */
    uint64_t                  set;         /**< stripes of all cells */
    ompi_osc_ucp_cma_vector_t vector;      /**< of puts: from `records`; of accumulates: `cells` */
    _Alignas(64) char         records[OMPI_OSC_UCP_HANDOFF_ROOM], cells[OMPI_OSC_UCP_HANDOFF_ROOM];
};

typedef struct ompi_osc_ucp_gathered_t gathered_t;

static void clear(gathered_t *gathered)
{
    ompi_osc_ucp_cma_begin(&gathered->vector);
    gathered->used = gathered->cells_used = 0;
    gathered->end  = gathered->set = 0;
}

/** Apply all accumulates in order to the cells that were read. `changed` gets those that have changed: memory that an
 *  accumulate does not change is not written. */
static void accumulates_apply(gathered_t *gathered, ompi_osc_ucp_cma_vector_t *changed)
{
    char *at = gathered->records, *end = at + gathered->used, *last = NULL;

    ompi_osc_ucp_cma_begin(changed);
    while (at < end) {
        record_t                  *record = (record_t *) at;
        const ompi_osc_ucp_prim_t *prim   = &ompi_osc_ucp_prims[record->prim];
        char                      *cells  = gathered->cells + record->cells;

        if (ompi_osc_ucp_op_apply_private(record->op, prim, cells, ompi_osc_ucp_handoff_data(record), NULL,
                                          record->bytes / prim->size) &&
            last != cells) {
            last = cells; /* the same cells follow one another */
            ompi_osc_ucp_cma_add(changed, cells, record->address, record->bytes);
        }
        at += ompi_osc_ucp_handoff_takes(record->bytes, false);
    }
}

/** Read the cells, update and write them, under their stripes. */
static bool cells_update(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    ompi_osc_ucp_cma_vector_t changed;
    bool                      done;

    ompi_osc_ucp_stripes_lock(peer->stripes, gathered->set);
    done = ompi_osc_ucp_cma_copy(peer->pid, false, &gathered->vector);
    if (done) {
        accumulates_apply(gathered, &changed);
        done = 0 == changed.bytes || ompi_osc_ucp_cma_copy(peer->pid, true, &changed);
    }
    ompi_osc_ucp_stripes_unlock(peer->stripes, gathered->set);
    return done;
}

void ompi_osc_ucp_gather_out(ompi_osc_ucp_peer_t *peer)
{
    gathered_t *gathered = peer->gathered;
    bool        done;

    if (NULL == gathered || 0 == gathered->used) {
        return;
    }
    done = ompi_osc_ucp_handoff_series(peer, gathered->records, gathered->used);
    if (!done) {
        done = gathered->accumulates ? cells_update(peer, gathered)
                                     : ompi_osc_ucp_cma_copy(peer->pid, true, &gathered->vector);
    }
    if (!done) {
        peer->error = OMPI_ERR_UNREACH;
    }
    clear(gathered);
}

void ompi_osc_ucp_gather_free(ompi_osc_ucp_peer_t *peer)
{
    free(peer->gathered);
    peer->gathered = NULL;
}

/** The bytes that cells take. */
static uint32_t apart(uint64_t bytes)
{
    return (uint32_t) (bytes + APART) / APART * APART;
}

/** Find room for an operation. What is kept, if it is of the other kind or too much, is carried out first. */
static gathered_t *room_for(ompi_osc_ucp_peer_t *peer, bool accumulates, uint64_t bytes)
{
    gathered_t *gathered = peer->gathered;

    if (bytes > KEPT_MAX || NULL != peer->attached) {
        ompi_osc_ucp_gather_out(peer);
        return NULL;
    }
    if (NULL == gathered) {
        gathered = peer->gathered = aligned_alloc(64, sizeof(*gathered));
        if (NULL == gathered) {
            return NULL;
        }
        clear(gathered);
    }
    if (accumulates != gathered->accumulates ||
        OMPI_OSC_UCP_HANDOFF_ROOM - gathered->used < ompi_osc_ucp_handoff_takes((uint32_t) bytes, false) ||
        !ompi_osc_ucp_cma_room(&gathered->vector, 1)) {
        ompi_osc_ucp_gather_out(peer);
    }
    gathered->accumulates = accumulates;
    return gathered;
}

/** Keep the operation and its data. */
static record_t *record_keep(gathered_t *gathered, ompi_osc_ucp_handoff_kind_t kind, uint64_t address,
                             const void *origin, uint64_t bytes)
{
    record_t *record = (record_t *) (gathered->records + gathered->used);

    record->address = address;
    record->bytes   = (uint16_t) bytes;
    record->kind    = (uint8_t) kind;
    record->fetches = false;
    memcpy(ompi_osc_ucp_handoff_data(record), origin, bytes);
    gathered->used += ompi_osc_ucp_handoff_takes((uint32_t) bytes, false);
    return record;
}

bool ompi_osc_ucp_gather_put(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    const uint64_t address  = peer->remote + (uint64_t) at;
    gathered_t    *gathered = room_for(peer, false, bytes);

    if (NULL == gathered) {
        return false;
    }
    ompi_osc_ucp_cma_add(&gathered->vector,
                         ompi_osc_ucp_handoff_data(record_keep(gathered, OMPI_OSC_UCP_HANDOFF_PUT, address, origin,
                                                               bytes)), address, bytes);
    return true;
}

/** Have the cells at an address, which is the last one's or lies behind. Returns where they are. */
static uint16_t cells_have(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    if (address >= gathered->end) {
        ompi_osc_ucp_cma_add(&gathered->vector, gathered->cells + gathered->cells_used, address, bytes);
        gathered->set        |= ompi_osc_ucp_stripes_of(address - peer->key_base, bytes);
        gathered->cells_used += apart(bytes);
        gathered->first       = address;
        gathered->end         = address + bytes;
    }
    return (uint16_t) (gathered->cells_used - apart(bytes));
}

bool ompi_osc_ucp_gather_accumulate(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                    const ompi_osc_ucp_prim_t *prim, const void *origin, uint64_t bytes)
{
    const uint64_t address  = peer->remote + (uint64_t) at;
    gathered_t    *gathered = room_for(peer, true, bytes);
    record_t      *record;

    if (NULL == gathered) {
        return false;
    }
    if (address < gathered->end && (address != gathered->first || address + bytes != gathered->end)) {
        ompi_osc_ucp_gather_out(peer); /* cells that may be among those that are kept */
    }
    record        = record_keep(gathered, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, origin, bytes);
    record->op    = op;
    record->prim  = prim->code;
    record->cells = cells_have(peer, gathered, address, bytes);
    return true;
}
