/* Puts, gets and accumulates of a series, which the kernel copies together: what is kept.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/gather.h"

#include "path/cma.h"
#include "path/gathered.h"
#include "path/handoff.h"
#include "service/handoff.h"

/** Most bytes of an accumulate whose data are kept if its buffer cannot be: with several threads. */
#define ACCUMULATE_MAX 1024

/** Most bytes of an accumulate whose data are kept otherwise. Many that are longer are more than a series of data. */
#define ACCUMULATE_KEPT_MAX 256

/** Most bytes of a put whose data are kept, and of a get that may be handed off with others. Of a longer one only the
 *  buffer is kept, which the program leaves alone until it has completed the operation. */
#define KEPT_MAX 512

/** So many bytes are not kept any longer. */
#define SERIES_MAX (512 * 1024)

typedef ompi_osc_ucp_handoff_record_t record_t;
typedef ompi_osc_ucp_gathered_t       gathered_t;

/** Where operations on the peer are kept; NULL: nothing can be. */
static gathered_t *gathered_of(ompi_osc_ucp_peer_t *peer)
{
    if (NULL == peer->gathered && NULL != (peer->gathered = ompi_osc_ucp_gathered_take())) {
        if (peer != peer->gathered->peer) {
            ompi_osc_ucp_found_init(&peer->gathered->found);
        }
        peer->gathered->peer    = peer;
        peer->gathered->version = 0;
    }
    return peer->gathered;
}

/** May memory of the target be among what is kept? In a dynamic window it must be attached. */
static inline bool may_keep(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    const ompi_osc_ucp_looked_t looked = ompi_osc_ucp_gathered_looked(peer);

    return NULL == peer->attached || ompi_osc_ucp_attached_still(peer->attached, address, bytes, &gathered->found) ||
           ompi_osc_ucp_attached_has(&looked, address, bytes, &gathered->found);
}

/** Must what is kept leave before the operation? In a dynamic window all is found in the same table. */
static inline bool must_leave(const ompi_osc_ucp_peer_t *peer, const gathered_t *gathered,
                              ompi_osc_ucp_handoff_kind_t kind, uint64_t bytes, uint32_t room)
{
    return gathered->posted || kind != gathered->kind || OMPI_OSC_UCP_HANDOFF_ROOM - gathered->used < room ||
           gathered->bytes + bytes > SERIES_MAX ||
           (gathered->refers && !ompi_osc_ucp_cma_room(&gathered->vector, 1)) ||
           (NULL != peer->attached && gathered->version != gathered->found.version);
}

/** Find room for an operation on target memory, which takes `room` bytes of records. What is kept, if it is of another
 *  kind or too much, is carried out first. */
static gathered_t *room_for(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_handoff_kind_t kind, uint64_t address,
                            uint64_t bytes, uint32_t room)
{
    gathered_t *gathered = gathered_of(peer);

    if (NULL == gathered || !may_keep(peer, gathered, address, bytes)) {
        return NULL;
    }
    (void) ompi_osc_ucp_handoff_serve(peer->window);
    if (must_leave(peer, gathered, kind, bytes, room)) {
        ompi_osc_ucp_gather_out(peer);
        gathered->kind    = kind;
        gathered->version = gathered->found.version;
    }
    return gathered;
}

/** One more operation is kept. */
static inline void count(gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    const uint64_t end = address + bytes;

    if (0 == gathered->bytes) {
        gathered->first  = address;
        gathered->pieces = 1;
    } else if (address != gathered->end && end != gathered->end) { /* neither behind the last one, nor the same */
        gathered->pieces++;
    }
    gathered->bytes += bytes;
    gathered->end     = end;
}

/** Keep an operation as the program's buffer only. With several threads each copies for itself, side by side. */
static bool refer(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_handoff_kind_t kind, uint64_t address, void *here,
                  uint64_t bytes)
{
    gathered_t *gathered;

    if (bytes > OMPI_OSC_UCP_CMA_BYTES || ompi_osc_ucp_threaded() ||
        NULL == (gathered = room_for(peer, kind, address, bytes, 0))) {
        ompi_osc_ucp_gather_out(peer);
        return false;
    }
    if (!gathered->refers && !ompi_osc_ucp_gathered_refer(gathered)) {
        ompi_osc_ucp_gather_out(peer);
        (void) ompi_osc_ucp_gathered_refer(gathered);
    }
    ompi_osc_ucp_cma_add(&gathered->vector, here, address, bytes);
    count(gathered, address, bytes);
    if (gathered->bytes >= SERIES_MAX) {
        ompi_osc_ucp_gather_out(peer);
    }
    return true;
}

/** Keep the operation. Its data must follow. */
static inline record_t *record_keep(gathered_t *gathered, uint64_t address, uint64_t bytes)
{
    record_t *record = (record_t *) (gathered->records + gathered->used);

    record->address = address;
    record->bytes   = (uint16_t) bytes;
    record->kind    = (uint8_t) gathered->kind;
    record->fetches = false;
    gathered->used += ompi_osc_ucp_handoff_takes((uint32_t) bytes, false);
    count(gathered, address, bytes);
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
    if (gathered->refers) {
        ompi_osc_ucp_cma_add(&gathered->vector, data, address, bytes);
    }
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
    if (gathered->refers) {
        ompi_osc_ucp_cma_add_apart(&gathered->vector, result, address, bytes);
    }
    return true;
}

/** Carry out the accumulates that are kept, unless one of which only the buffer is kept (`refers`) may follow them, or
 *  one with its data: all have their buffers, the same operation and type, or all have their data. */
static void accumulates_alike(ompi_osc_ucp_peer_t *peer, bool refers, uint8_t op, const ompi_osc_ucp_prim_t *prim)
{
    const gathered_t *gathered = peer->gathered;

    if (NULL != gathered && gathered->bytes > 0 && OMPI_OSC_UCP_HANDOFF_ACCUMULATE == gathered->kind &&
        (refers != gathered->refers || (refers && (op != gathered->op || prim->code != gathered->prim)))) {
        ompi_osc_ucp_gather_out(peer);
    }
}

/** Keep an accumulate as the program's buffer only. */
static bool accumulate_refer(ompi_osc_ucp_peer_t *peer, uint64_t address, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                             const void *origin, uint64_t bytes)
{
    gathered_t *gathered = gathered_of(peer);

    if (NULL == gathered) {
        return false;
    }
    accumulates_alike(peer, true, op, prim);
    gathered->op   = op;
    gathered->prim = prim->code;
    return refer(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, (void *) origin, bytes);
}

bool ompi_osc_ucp_gather_accumulate(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                    const ompi_osc_ucp_prim_t *prim, const void *origin, uint64_t bytes)
{
    const uint64_t address = peer->remote + (uint64_t) at;
    gathered_t    *gathered;
    record_t      *record;

    if (bytes > ACCUMULATE_KEPT_MAX && !ompi_osc_ucp_threaded()) {
        return accumulate_refer(peer, address, op, prim, origin, bytes);
    }
    accumulates_alike(peer, false, op, prim);
    if (bytes > ACCUMULATE_MAX ||
        NULL == (gathered = room_for(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, bytes,
                                     ompi_osc_ucp_handoff_takes((uint32_t) bytes, false)))) {
        return false;
    }
    record       = record_keep(gathered, address, bytes);
    record->op   = op;
    record->prim = prim->code;
    memcpy(ompi_osc_ucp_handoff_data(record), origin, bytes);
    return true;
}
