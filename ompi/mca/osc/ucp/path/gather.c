/* Puts, gets and accumulates of a series, which the kernel copies together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A notification ends a series. One that follows another without a completion or progress in between does not: it is
 * kept, too. A program may wait for the answer to it in any call, so progress carries out what has notifications.
 */

#include "path/cma.h"
#include "path/gather.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "base/wait.h"
#include "memory/attached.h"
#include "memory/cma.h"
#include "memory/handoff.h"
#include "op/stripes.h"
#include "path/faster.h"
#include "path/handoff.h"
#include "path/short.h"
#include "service/handoff.h"

/** Most bytes of an accumulate that is kept: a longer one costs more to copy here than the kernel takes to begin. */
#define ACCUMULATE_MAX 1024

/** Most bytes of a put whose data are kept, and of a get that may be handed off with others. Of a longer one only the
 *  buffer is kept, which the program leaves alone until it has completed the operation. */
#define KEPT_MAX 512

/** Most bytes of a put or get that is kept, and of all in a series. For longer ones it makes no difference. */
#define REFERRED_MAX (32 * 1024)
#define SERIES_MAX   (128 * 1024)

/** Cells lie so many bytes apart, or more, with a gap between them: the kernel copies each by itself, so that an
 *  element is written in one piece (ompi_osc_ucp_cma_whole). Data of puts have a record between them. */
#define APART 16

typedef ompi_osc_ucp_handoff_record_t  record_t;
typedef struct ompi_osc_ucp_gathered_t gathered_t;

struct ompi_osc_ucp_gathered_t {
    ompi_osc_ucp_handoff_kind_t kind;      /**< of all: put, get or accumulate */
    bool                      refers;      /**< some are not among the records, but only in the vector */
    uint32_t                  used;        /**< bytes of `records` */
    uint32_t                  cells_used;  /**< bytes of `cells` */
    uint64_t                  first, end;  /**< addresses of the last cells */
    uint64_t                  highest;     /**< all cells end before */
    uint64_t                  set;         /**< stripes of all cells */
    uint32_t                  version;     /**< of the table in which all target memory was attached; dynamic windows */
    ompi_osc_ucp_peer_t      *peer;
    gathered_t               *next;        /**< in the list of those with notifications */
    bool                      listed;
    bool                      leaving;     /**< it is being carried out */
    bool                      notified;    /**< since the last completion or progress */
    ompi_osc_ucp_handoff_raises_t raises;  /**< notifications: those of one counter in a row are one */
    ompi_osc_ucp_cma_vector_t vector;      /**< from `records`, or the program's buffers; of accumulates: `cells` */
    _Alignas(64) char         records[OMPI_OSC_UCP_HANDOFF_ROOM], cells[OMPI_OSC_UCP_HANDOFF_ROOM];
};

/** Those that may have notifications. */
static gathered_t *with_notifications;

static void clear(gathered_t *gathered)
{
    ompi_osc_ucp_cma_begin(&gathered->vector);
    gathered->refers = false;
    gathered->used   = gathered->cells_used = gathered->raises.n = 0;
    gathered->end    = gathered->highest = gathered->set = 0;
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

    if (!ompi_osc_ucp_cma_stripes_lock(peer, gathered->set)) {
        return false;
    }
    done = ompi_osc_ucp_cma_copy(peer->pid, false, &gathered->vector);
    if (done) {
        accumulates_apply(gathered, &changed);
        done = 0 == changed.bytes || ompi_osc_ucp_cma_copy(peer->pid, true, &changed);
    }
    ompi_osc_ucp_stripes_unlock(peer->stripes, gathered->set);
    return done;
}

/** Have the target carry it out, and raise the counters. False: nothing was done. */
static bool hand_off(ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    const struct iovec *here = gathered->vector.here, *there = gathered->vector.there;

    if (!gathered->refers) {
        return ompi_osc_ucp_handoff_series(peer, gathered->records, gathered->used, gathered->vector.nthere,
                                           &gathered->raises);
    }
    if (gathered->used > 0 || 1 != gathered->vector.nhere || 1 != gathered->vector.nthere) {
        return false;
    }
    return OMPI_OSC_UCP_HANDOFF_PUT == gathered->kind
               ? ompi_osc_ucp_handoff_put(peer, (uintptr_t) there->iov_base, here->iov_base, here->iov_len,
                                          &gathered->raises)
               : ompi_osc_ucp_handoff_get(peer, (uintptr_t) there->iov_base, here->iov_base, here->iov_len,
                                          &gathered->raises);
}

/** Have the kernel copy, and raise the counters. */
static bool copy(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    const record_t *raise = gathered->raises.records, *end = raise + gathered->raises.n;
    bool            done;

    done = OMPI_OSC_UCP_HANDOFF_ACCUMULATE == gathered->kind
               ? cells_update(peer, gathered)
               : ompi_osc_ucp_cma_copy(peer->pid, OMPI_OSC_UCP_HANDOFF_PUT == gathered->kind, &gathered->vector);
    for (; done && raise < end; raise++) {
        ompi_osc_ucp_counter_add(peer, (uint32_t) raise->address, raise->cells);
    }
    return done;
}

/** The ways of carrying out such a series. */
static ompi_osc_ucp_faster_t *ways(const gathered_t *gathered)
{
    enum { KINDS = 3, BYTES = 18, PIECES = 7 }; /* for each power of two up to SERIES_MAX, and up to all pieces */
    static ompi_osc_ucp_faster_t all[KINDS][BYTES][PIECES];

    return &all[gathered->kind][ompi_osc_ucp_magnitude(gathered->vector.bytes)]
               [ompi_osc_ucp_magnitude(gathered->vector.nthere)];
}

/** Carry it out the faster way, or the way that there is. */
static bool carry_out(ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    ompi_osc_ucp_faster_t *faster;
    uint64_t               start;
    bool                   handed, done;

    if (gathered->vector.bytes <= OMPI_OSC_UCP_FASTER_ABOVE) {
        return hand_off(peer, gathered) || copy(peer, gathered);
    }
    if ((gathered->refers && gathered->vector.bytes > OMPI_OSC_UCP_HANDOFF_COPY_MAX) ||
        !ompi_osc_ucp_handoff_answers(peer)) {
        return copy(peer, gathered);
    }
    faster = ways(gathered);
    start  = ompi_osc_ucp_cpu_clock();
    handed = ompi_osc_ucp_faster_first(faster) && hand_off(peer, gathered);
    done   = handed || copy(peer, gathered);
    ompi_osc_ucp_faster_took(faster, handed, start);
    return done;
}

/** In a dynamic window. */
static ompi_osc_ucp_looked_t looked_of(const ompi_osc_ucp_peer_t *peer)
{
    return (ompi_osc_ucp_looked_t) {
        .attached = peer->attached, .insider = peer->insider, .owner = peer->pid, .waits = true
    };
}

/** Is memory of the target still attached, or has the program detached it in the midst of its operations? */
static bool enter_again(const ompi_osc_ucp_peer_t *peer, const gathered_t *gathered)
{
    const ompi_osc_ucp_looked_t looked = looked_of(peer);

    return ompi_osc_ucp_attached_enter_again(&looked, gathered->vector.there, gathered->vector.nthere,
                                             gathered->version);
}

/** Carry it out while the target memory is attached. */
static int carry_out_attached(ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    int rc = OMPI_ERR_RMA_RANGE;

    if (NULL == peer->attached) {
        return carry_out(peer, gathered) ? OMPI_SUCCESS : OMPI_ERR_UNREACH;
    }
    if (enter_again(peer, gathered)) {
        rc = carry_out(peer, gathered) ? OMPI_SUCCESS : OMPI_ERR_UNREACH;
        ompi_osc_ucp_attached_leave(peer->insider);
    } else {
        peer->refused              = true;
        peer->window->refused.rank = peer->rank;
        peer->window->refused.at   = (int64_t) ((uintptr_t) gathered->vector.there->iov_base - peer->remote);
    }
    return rc;
}

void ompi_osc_ucp_gather_out(ompi_osc_ucp_peer_t *peer)
{
    int rc;
    gathered_t *gathered = peer->gathered;

    (void) ompi_osc_ucp_handoff_serve(peer->window);
    if (NULL == gathered || 0 == gathered->vector.bytes) {
        return;
    }
    gathered->leaving = true;
    rc = carry_out_attached(peer, gathered);
    if (OMPI_SUCCESS != rc) {
        peer->error = rc;
    }
    clear(gathered);
    gathered->leaving = false;
}

void ompi_osc_ucp_gather_complete(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_gather_out(peer);
    if (NULL != peer->gathered) {
        peer->gathered->notified = false;
    }
}

static void unlist(gathered_t *gathered)
{
    gathered_t **at = &with_notifications;

    while (NULL != *at && gathered != *at) {
        at = &(*at)->next;
    }
    if (NULL != *at) {
        *at = gathered->next;
    }
    gathered->listed = false;
}

void ompi_osc_ucp_gather_free(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->gathered) {
        unlist(peer->gathered);
        free(peer->gathered);
        peer->gathered = NULL;
    }
}

/** Carry out all that has notifications: a source of progress. A handoff makes progress, too, so this may be called
 *  while it runs. */
static unsigned notifications_leave(void)
{
    gathered_t *gathered = with_notifications;
    unsigned    events   = 0;

    while (NULL != gathered) {
        if (gathered->leaving) {
            gathered = gathered->next;
            continue;
        }
        unlist(gathered);
        gathered->notified = false;
        events            += gathered->raises.n > 0;
        if (gathered->raises.n > 0) {
            ompi_osc_ucp_gather_out(gathered->peer);
        }
        gathered = with_notifications;
    }
    return events;
}

static void list(gathered_t *gathered)
{
    if (!gathered->listed) {
        ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, notifications_leave);
        gathered->listed   = true;
        gathered->next     = with_notifications;
        with_notifications = gathered;
    }
}

bool ompi_osc_ucp_gather_raise(ompi_osc_ucp_peer_t *peer, uint32_t index)
{
    gathered_t *gathered = peer->gathered;
    record_t   *end;
    bool        follows;

    if (NULL == gathered || 0 == gathered->vector.bytes || ompi_osc_ucp_threaded() ||
        !ompi_osc_ucp_waiting.started) {
        return false;
    }
    end     = &gathered->raises.records[gathered->raises.n];
    follows = gathered->raises.n > 0 && end[-1].address == index && end[-1].cells < UINT16_MAX;
    if (!follows && OMPI_OSC_UCP_HANDOFF_RAISES == gathered->raises.n) {
        return false;
    }
    if (!follows) {
        *end++ = (record_t) { .address = index, .kind = OMPI_OSC_UCP_HANDOFF_RAISE };
        gathered->raises.n++;
    }
    end[-1].cells++;
    list(gathered);
    if (!gathered->notified) {
        gathered->notified = true;
        ompi_osc_ucp_gather_out(peer);
    }
    return true;
}

/** The bytes that cells take. */
static uint32_t apart(uint64_t bytes)
{
    return (uint32_t) (bytes + APART) / APART * APART;
}

/** What is kept; NULL: nothing can be. */
static gathered_t *gathered_of(ompi_osc_ucp_peer_t *peer)
{
    if (NULL == peer->gathered && NULL != (peer->gathered = aligned_alloc(64, sizeof(gathered_t)))) {
        peer->gathered->kind   = OMPI_OSC_UCP_HANDOFF_PUT;
        peer->gathered->peer    = peer;
        peer->gathered->version = 0;
        peer->gathered->listed = peer->gathered->leaving = peer->gathered->notified = false;
        clear(peer->gathered);
    }
    return peer->gathered;
}

/** May memory of the target be among what is kept? In a dynamic window it must be attached, and be found so in the same
 *  table as that of all others; *version_p is the table's. */
static bool may_keep(const ompi_osc_ucp_peer_t *peer, uint64_t address, uint64_t bytes, uint32_t *version_p)
{
    const ompi_osc_ucp_looked_t looked = looked_of(peer);

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
    if (kind != gathered->kind || version != gathered->version || OMPI_OSC_UCP_HANDOFF_ROOM - gathered->used < room ||
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

    if (bytes > REFERRED_MAX || ompi_osc_ucp_threaded() ||
        NULL == (gathered = room_for(peer, kind, address, bytes, 0))) {
        ompi_osc_ucp_gather_out(peer);
        return false;
    }
    gathered->refers = true;
    ompi_osc_ucp_cma_add(&gathered->vector, here, address, bytes);
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
