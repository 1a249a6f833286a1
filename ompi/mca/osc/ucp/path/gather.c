/* Puts, gets and accumulates of a series, which the kernel copies together: what is kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/gather.h"

#include "op/stripes.h"
#include "path/cma.h"
#include "path/gathered.h"
#include "path/handoff.h"
#include "service/handoff.h"

/** Most bytes of an accumulate that is kept: a longer one costs more to copy here than the kernel takes to begin. */
#define ACCUMULATE_MAX 1024

/** Most bytes of a put whose data are kept, and of a get that may be handed off with others. Of a longer one only the
 *  buffer is kept, which the program leaves alone until it has completed the operation. */
#define KEPT_MAX 512

/** So many bytes are not kept any longer. */
#define SERIES_MAX (128 * 1024)

/** Cells lie so many bytes apart, or more, with a gap between them: the kernel copies each by itself, so that an
 *  element is written in one piece (ompi_osc_ucp_cma_whole). Data of puts have a record between them. */
#define APART 16

typedef ompi_osc_ucp_handoff_record_t record_t;
typedef ompi_osc_ucp_gathered_t       gathered_t;

/** The bytes that cells take. */
static uint32_t apart(uint64_t bytes)
{
    return (uint32_t) (bytes + APART) / APART * APART;
}

/** Where operations on the peer are kept; NULL: nothing can be. */
static gathered_t *gathered_of(ompi_osc_ucp_peer_t *peer)
{
    if (NULL == peer->gathered && NULL != (peer->gathered = ompi_osc_ucp_gathered_take())) {
        peer->gathered->peer    = peer;
        peer->gathered->version = 0;
    }
    return peer->gathered;
}

/** May memory of the target be among what is kept? In a dynamic window it must be attached, and be found so in the same
 *  table as that of all others; *version_p is the table's. */
static bool may_keep(const ompi_osc_ucp_peer_t *peer, uint64_t address, uint64_t bytes, uint32_t *version_p)
{
    const ompi_osc_ucp_looked_t looked = ompi_osc_ucp_gathered_looked(peer);

    return NULL == peer->attached || ompi_osc_ucp_attached_has(&looked, address, bytes, version_p);
}

/** Find room for an operation on target memory, which takes `room` bytes of records. What is kept, if it is of another
 *  kind or too much, is carried out first. */
static gathered_t *room_for(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_handoff_kind_t kind, uint64_t address,
                            uint64_t bytes, uint32_t room)
{
    gathered_t *gathered = gathered_of(peer);
    uint32_t    version  = 0;

    if (NULL == gathered || !may_keep(peer, address, bytes, &version)) {
        return NULL;
    }
    (void) ompi_osc_ucp_handoff_serve(peer->window);
    if (gathered->posted || kind != gathered->kind || version != gathered->version ||
        OMPI_OSC_UCP_HANDOFF_ROOM - gathered->used < room ||
        gathered->vector.bytes + bytes > SERIES_MAX || !ompi_osc_ucp_cma_room(&gathered->vector, 1)) {
        ompi_osc_ucp_gather_out(peer);
    }
    gathered->kind    = kind;
    gathered->version = version;
    return gathered;
}

/** Keep a put or a get as the program's buffer only. With several threads each copies for itself, side by side. */
static bool refer(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_handoff_kind_t kind, uint64_t address, void *here,
                  uint64_t bytes)
{
    gathered_t *gathered;

    if (bytes > OMPI_OSC_UCP_CMA_BYTES || ompi_osc_ucp_threaded() ||
        NULL == (gathered = room_for(peer, kind, address, bytes, 0))) {
        ompi_osc_ucp_gather_out(peer);
        return false;
    }
    gathered->refers = true;
    ompi_osc_ucp_cma_add(&gathered->vector, here, address, bytes);
    if (gathered->vector.bytes >= SERIES_MAX) {
        ompi_osc_ucp_gather_out(peer);
    }
    return true;
}

/** Keep the operation. Its data must follow. */
static record_t *record_keep(gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    record_t *record = (record_t *) (gathered->records + gathered->used);

    record->address = address;
    record->bytes   = (uint16_t) bytes;
    record->kind    = (uint8_t) gathered->kind;
    record->fetches = false;
    gathered->used += ompi_osc_ucp_handoff_takes((uint32_t) bytes, false);
    return record;
}

bool ompi_osc_ucp_gather_put(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    const uint64_t address = peer->remote + (uint64_t) at;
    gathered_t    *gathered;
    char          *data;

    if (bytes > KEPT_MAX) {
        return refer(peer, OMPI_OSC_UCP_HANDOFF_PUT, address, (void *) origin, bytes);
    }
    gathered = room_for(peer, OMPI_OSC_UCP_HANDOFF_PUT, address, bytes,
                        ompi_osc_ucp_handoff_takes((uint32_t) bytes, false));
    if (NULL == gathered) {
        return false;
    }
    data = ompi_osc_ucp_handoff_data(record_keep(gathered, address, bytes));
    memcpy(data, origin, bytes);
    ompi_osc_ucp_cma_add(&gathered->vector, data, address, bytes);
    return true;
}

bool ompi_osc_ucp_gather_get(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes)
{
    const uint64_t address = peer->remote + (uint64_t) at;
    gathered_t    *gathered;

    if (bytes > KEPT_MAX || ompi_osc_ucp_threaded()) {
        return refer(peer, OMPI_OSC_UCP_HANDOFF_GET, address, result, bytes);
    }
    gathered = room_for(peer, OMPI_OSC_UCP_HANDOFF_GET, address, bytes,
                        ompi_osc_ucp_handoff_takes((uint32_t) bytes, false));
    if (NULL == gathered) {
        return false;
    }
    *ompi_osc_ucp_handoff_result(record_keep(gathered, address, bytes)) = result;
    ompi_osc_ucp_cma_add_apart(&gathered->vector, result, address, bytes);
    return true;
}

/** Are these the last cells? */
static inline bool cells_are_last(const gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    return address == gathered->first && address + bytes == gathered->end;
}

/** Are some of these cells kept? */
static bool cells_overlap(const gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    const struct iovec *there = gathered->vector.there, *end = there + gathered->vector.nthere;

    if (address >= gathered->highest) {
        return false;
    }
    while (there < end && ((uintptr_t) there->iov_base >= address + bytes ||
                           (uintptr_t) there->iov_base + there->iov_len <= address)) {
        there++;
    }
    return there < end;
}

/** Have the cells at an address, which are the last ones or not kept yet. Returns where they are. */
static uint16_t cells_have(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    if (!cells_are_last(gathered, address, bytes)) {
        ompi_osc_ucp_cma_add(&gathered->vector, gathered->cells + gathered->cells_used, address, bytes);
        gathered->set        |= ompi_osc_ucp_stripes_of(address - peer->key_base, bytes);
        gathered->cells_used += apart(bytes);
        gathered->first       = address;
        gathered->end         = address + bytes;
        gathered->highest     = gathered->end > gathered->highest ? gathered->end : gathered->highest;
    }
    return (uint16_t) (gathered->cells_used - apart(bytes));
}

bool ompi_osc_ucp_gather_accumulate(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                    const ompi_osc_ucp_prim_t *prim, const void *origin, uint64_t bytes)
{
    const uint64_t address = peer->remote + (uint64_t) at;
    gathered_t    *gathered;
    record_t      *record;

    if (bytes > ACCUMULATE_MAX ||
        NULL == (gathered = room_for(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, bytes,
                                     ompi_osc_ucp_handoff_takes((uint32_t) bytes, false)))) {
        return false;
    }
    if (!cells_are_last(gathered, address, bytes) && cells_overlap(gathered, address, bytes)) {
        ompi_osc_ucp_gather_out(peer);
    }
    record        = record_keep(gathered, address, bytes);
    record->op    = op;
    record->prim  = prim->code;
    record->cells = cells_have(peer, gathered, address, bytes);
    memcpy(ompi_osc_ucp_handoff_data(record), origin, bytes);
    return true;
}
