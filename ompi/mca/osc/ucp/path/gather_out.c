/* How what the kernel path keeps of a peer's operations is carried out, with its notifications.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A program may compute behind a notification. So the first ones after a completion or progress leave at once: as many
 * together as there were between the two before. Later ones are kept. A program may wait for the answer to them in any
 * call, so progress carries out what has notifications.
 */

#include "path/gather.h"

#include <stdlib.h>

#include "base/cpu.h"
#include "base/wait.h"
#include "path/faster.h"
#include "path/gathered.h"
#include "path/handoff.h"
#include "path/short.h"
#include "service/handoff.h"

/** So many notifications may leave before the next completion or progress. Later ones wait for that. */
#define POSTS_MAX 8

/** Progress looks so many times whether what is posted is over, before it takes it back. */
#define LOOKS_MAX 8

typedef ompi_osc_ucp_handoff_record_t record_t;
typedef ompi_osc_ucp_gathered_t       gathered_t;

/** Those that may have notifications. */
static gathered_t *with_notifications;

/** One that keeps nothing: processes that are touched one after the other need no memory each. Or NULL. */
static gathered_t *spare;

/** Peers that may need one. */
static unsigned users;

gathered_t *ompi_osc_ucp_gathered_take(void)
{
    gathered_t *gathered = spare;

    spare = NULL;
    if (NULL == gathered && NULL != (gathered = aligned_alloc(64, sizeof(*gathered)))) {
        gathered->peer   = NULL;
        gathered->kind   = OMPI_OSC_UCP_HANDOFF_PUT;
        gathered->op     = gathered->prim = 0;
        gathered->listed = gathered->leaving = gathered->posted = false;
        gathered->notified = 0;
        gathered->expected = 1;
        ompi_osc_ucp_gathered_clear(gathered);
    }
    return gathered;
}

/** Let another peer have it, unless it knows something of this peer's notifications. Not with several threads: another
 *  thread may still use it, and wait. */
static void give_back(ompi_osc_ucp_peer_t *peer)
{
    if (NULL == spare && !peer->gathered->listed && 1 == peer->gathered->expected && !ompi_osc_ucp_threaded()) {
        spare          = peer->gathered;
        peer->gathered = NULL;
    }
}

/** Raise the counters: all operations are over. */
static void raise_all(const ompi_osc_ucp_peer_t *peer, const gathered_t *gathered)
{
    const record_t *record = gathered->raises.records, *end = record + gathered->raises.n;

    for (; record < end; record++) {
        ompi_osc_ucp_counter_add(peer, (uint32_t) record->address, record->cells);
    }
}

/** Have the target carry it out, and raise the counters. False: the kernel must copy all of it. */
static bool hand_off(ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    const record_t as = { .kind = (uint8_t) gathered->kind, .op = gathered->op, .prim = gathered->prim };

    return gathered->refers
               ? ompi_osc_ucp_handoff_stream(peer, &gathered->vector, &as, &gathered->raises)
               : ompi_osc_ucp_handoff_series(peer, gathered->records, gathered->used, gathered->pieces,
                                             &gathered->raises);
}

/** Have the kernel copy, and raise the counters. */
static bool copy(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    const bool done = ompi_osc_ucp_gathered_copy(peer, gathered);

    if (done) {
        raise_all(peer, gathered);
    }
    return done;
}

/** The ways of carrying out such a series. */
static ompi_osc_ucp_faster_t *ways(const gathered_t *gathered)
{
    enum { KINDS = 3, BYTES = 31, PIECES = 9 }; /* powers of two up to OMPI_OSC_UCP_CMA_BYTES, and to all records */
    static ompi_osc_ucp_faster_t all[KINDS][BYTES][PIECES];

    _Static_assert(OMPI_OSC_UCP_HANDOFF_ROOM / 32 < 1 << PIECES && OMPI_OSC_UCP_CMA_PIECES < 1 << PIECES, "pieces");
    return &all[gathered->kind][ompi_osc_ucp_magnitude(gathered->bytes)][ompi_osc_ucp_magnitude(gathered->pieces)];
}

/** Carry it out the faster way, or the way that there is. */
static bool carry_out(ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    ompi_osc_ucp_faster_t *faster;
    uint64_t               start;
    bool                   handed, done;

    if (gathered->posted) {
        gathered->posted = false;
        return ompi_osc_ucp_handoff_end(peer, gathered->pieces) || copy(peer, gathered);
    }
    if (gathered->bytes <= OMPI_OSC_UCP_FASTER_ABOVE * gathered->pieces) {
        return hand_off(peer, gathered) || copy(peer, gathered); /* the kernel looks up the page of each piece */
    }
    if (!ompi_osc_ucp_handoff_answers(peer)) {
        return copy(peer, gathered);
    }
    faster = ways(gathered);
    start  = ompi_osc_ucp_cpu_clock();
    handed = ompi_osc_ucp_faster_first(faster) && hand_off(peer, gathered);
    done   = handed || copy(peer, gathered);
    ompi_osc_ucp_faster_took(faster, handed, start);
    return done;
}

/** Is all target memory attached, as seen from inside? */
static bool all_attached(const ompi_osc_ucp_looked_t *looked, gathered_t *gathered)
{
    const struct iovec *piece  = gathered->vector.there;
    record_t           *record = (record_t *) gathered->records, *end = ompi_osc_ucp_gathered_end(gathered);
    unsigned            i;

    for (i = 0; gathered->refers && i < gathered->vector.nthere; i++) {
        if (!ompi_osc_ucp_attached_inside(looked, (uintptr_t) piece[i].iov_base, piece[i].iov_len)) {
            return false;
        }
    }
    for (; !gathered->refers && record < end; record = ompi_osc_ucp_gathered_next(record)) {
        if (!ompi_osc_ucp_attached_inside(looked, record->address, record->bytes)) {
            return false;
        }
    }
    return true;
}

/** Is memory of the target still attached, or has the program detached it in the midst of its operations? */
static bool enter_again(const ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    const ompi_osc_ucp_looked_t looked = ompi_osc_ucp_gathered_looked(peer);

    if (ompi_osc_ucp_attached_enter_again(&looked, gathered->version) || all_attached(&looked, gathered)) {
        return true;
    }
    ompi_osc_ucp_attached_leave(peer->insider);
    return false;
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
        peer->refusals++;
        peer->window->refused.rank = peer->rank;
        peer->window->refused.at   = (int64_t) (gathered->first - peer->remote);
    }
    return rc;
}

void ompi_osc_ucp_gather_out(ompi_osc_ucp_peer_t *peer)
{
    int rc;
    gathered_t *gathered = peer->gathered;

    (void) ompi_osc_ucp_handoff_serve(peer->window);
    if (NULL == gathered || 0 == gathered->bytes) {
        return;
    }
    gathered->leaving = true;
    rc = carry_out_attached(peer, gathered);
    if (OMPI_SUCCESS != rc) {
        peer->error = rc;
    }
    ompi_osc_ucp_gathered_clear(gathered);
    gathered->leaving = false;
}

/** Programs repeat what they do: as many notifications as there were will follow one another the next time. */
static void expect(gathered_t *gathered)
{
    if (gathered->notified > 0) {
        gathered->expected = gathered->notified;
        gathered->notified = 0;
    }
}

void ompi_osc_ucp_gather_complete(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_gather_out(peer);
    if (NULL != peer->gathered) {
        expect(peer->gathered);
        give_back(peer);
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

void ompi_osc_ucp_gather_init(void)
{
    users++;
}

void ompi_osc_ucp_gather_free(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->gathered) {
        unlist(peer->gathered);
        free(peer->gathered);
        peer->gathered = NULL;
    }
    if (NULL != spare && peer == spare->peer) {
        spare->peer = NULL; /* another one may lie there, and know no region of that window */
    }
    if (0 == --users) {
        free(spare);
        spare = NULL;
    }
}

/** May it be posted? */
static bool is_short(const gathered_t *gathered)
{
    return NULL == gathered->peer->attached && !gathered->refers && OMPI_OSC_UCP_HANDOFF_GET != gathered->kind &&
           gathered->bytes <= OMPI_OSC_UCP_FASTER_ABOVE;
}

/** Post operations with their notifications, if they are short, and the target polls. No wait is needed: they are first
 *  expected by the target, and it carries them out whenever it looks at its counters. */
static bool post(ompi_osc_ucp_peer_t *peer, gathered_t *gathered)
{
    gathered->looks  = 0;
    gathered->posted = is_short(gathered) &&
                       ompi_osc_ucp_handoff_leave(peer, gathered->records, gathered->used, &gathered->raises);
    return gathered->posted;
}

/** One more notification: does it leave at once? All that are expected leave together. */
static bool is_time(gathered_t *gathered)
{
    gathered->notified++;
    return gathered->notified == gathered->expected;
}

/** Must what has notifications be carried out now? If the target polls, it is only posted. */
static bool must_leave(gathered_t *gathered)
{
    if (gathered->leaving) {
        return false;
    }
    if (gathered->posted) {
        return ompi_osc_ucp_handoff_is_over(gathered->peer) || ++gathered->looks >= LOOKS_MAX;
    }
    expect(gathered);
    return 0 == gathered->raises.n || !post(gathered->peer, gathered);
}

/** Carry out all that has notifications: a source of progress. A handoff makes progress, too, so this may be called
 *  while it runs. */
static unsigned notifications_leave(void)
{
    gathered_t *gathered = with_notifications;
    unsigned    events   = 0;

    while (NULL != gathered) {
        if (!must_leave(gathered)) {
            gathered = gathered->next;
            continue;
        }
        unlist(gathered);
        expect(gathered);
        if (gathered->raises.n > 0) {
            events++;
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

    if (NULL == gathered || 0 == gathered->bytes || gathered->posted || ompi_osc_ucp_threaded() ||
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
    if (gathered->notified < POSTS_MAX && is_time(gathered) && !post(peer, gathered)) {
        ompi_osc_ucp_gather_out(peer);
    }
    return true;
}
