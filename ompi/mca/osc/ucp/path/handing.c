/* How an origin hands its operations off: see path/handing.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/handing.h"

#include <string.h>

#include "base/wait.h"
#include "path/cma.h"
#include "path/handoff.h"

/** Steps of waiting for a target to take an operation: some 3 us. A copy by the kernel takes about 2 us. */
#define STEPS_MAX 96

/** Further steps for each piece of a layout or of a series, up to so many. The kernel takes about as long for it. So
 *  two processes that operate on each other meet in this wait, where each serves the other. */
#define STEPS_PER_PIECE 8
#define PIECES_MAX      1024

/** Steps between two looks whether a target that carries operations out is still alive: some milliseconds. */
#define STEPS_PER_LOOK (64 * 1024)

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

bool ompi_osc_ucp_handoff_answers(ompi_osc_ucp_peer_t *peer)
{
    return !ompi_osc_ucp_threaded() && answers(&peer->handing);
}

bool ompi_osc_ucp_handing_claim(ompi_osc_ucp_peer_t *peer)
{
    uint32_t none = 0;

    return ompi_osc_ucp_handoff_answers(peer) &&
           __atomic_compare_exchange_n(&peer->handing.handoff->claimed, &none, 1, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

static uint32_t raises_bytes(const ompi_osc_ucp_handoff_raises_t *raises)
{
    return NULL == raises ? 0 : raises->n * (uint32_t) sizeof(raises->records[0]);
}

uint32_t ompi_osc_ucp_handing_append(char *at, const ompi_osc_ucp_handoff_raises_t *raises)
{
    const uint32_t bytes = raises_bytes(raises);

    if (bytes > 0) {
        memcpy(at, raises->records, bytes);
    }
    return bytes;
}

char *ompi_osc_ucp_handing_fill(ompi_osc_ucp_handoff_t *handoff, uint32_t bytes,
                                const ompi_osc_ucp_handoff_raises_t *raises)
{
    char *records = ompi_osc_ucp_handoff_records(handoff, bytes + raises_bytes(raises));

    handoff->used = bytes + ompi_osc_ucp_handing_append(records + bytes, raises);
    return records;
}

ompi_osc_ucp_handoff_record_t *ompi_osc_ucp_handing_claim_one(ompi_osc_ucp_peer_t *peer,
                                                              ompi_osc_ucp_handoff_kind_t kind, uint64_t address,
                                                              uint64_t bytes, bool fetches)
{
    ompi_osc_ucp_handoff_record_t *record = ompi_osc_ucp_handoff_first(peer->handing.handoff);

    if (!ompi_osc_ucp_handing_claim(peer)) {
        return NULL;
    }
    (void) ompi_osc_ucp_handing_fill(peer->handing.handoff, ompi_osc_ucp_handoff_takes((uint32_t) bytes, fetches),
                                     NULL);
    record->address = address;
    record->bytes   = (uint16_t) bytes;
    record->kind    = (uint8_t) kind;
    record->fetches = fetches;
    return record;
}

void ompi_osc_ucp_handing_release(ompi_osc_ucp_peer_t *peer)
{
    __atomic_store_n(&peer->handing.handoff->claimed, 0, __ATOMIC_RELEASE);
}

void ompi_osc_ucp_handing_missed(ompi_osc_ucp_handing_t *handing)
{
    handing->misses  = (uint8_t) (handing->misses + (handing->misses < MISSES_MAX));
    handing->skip    = (uint16_t) ((1u << handing->misses) - 1);
    handing->answers = false;
    handing->polls   = __atomic_load_n(&handing->handoff->polls, __ATOMIC_RELAXED);
}

ompi_osc_ucp_handed_t ompi_osc_ucp_handing_await(ompi_osc_ucp_peer_t *peer, uint32_t *state, unsigned patience)
{
    uint32_t posted = OMPI_OSC_UCP_HANDOFF_POSTED;
    unsigned steps  = 0;

    while (posted == __atomic_load_n(state, __ATOMIC_RELAXED) && steps < patience) {
        ompi_osc_ucp_spin(&steps);
    }
    if (steps >= patience &&
        __atomic_compare_exchange_n(state, &posted, OMPI_OSC_UCP_HANDOFF_FREE, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        return OMPI_OSC_UCP_HANDED_BACK;
    }
    while (OMPI_OSC_UCP_HANDOFF_DONE != __atomic_load_n(state, __ATOMIC_ACQUIRE)) {
        ompi_osc_ucp_spin(&steps);
        if (0 == steps % STEPS_PER_LOOK && !ompi_osc_ucp_cma_exists(peer)) {
            peer->pid = 0; /* no operation reaches what has its number now */
            return OMPI_OSC_UCP_HANDED_DEAD;
        }
    }
    peer->handing.misses = 0;
    return OMPI_OSC_UCP_HANDED_DONE;
}

void ompi_osc_ucp_handing_leave(ompi_osc_ucp_peer_t *peer)
{
    __atomic_store_n(&peer->handing.handoff->state, OMPI_OSC_UCP_HANDOFF_POSTED, __ATOMIC_RELEASE);
}

unsigned ompi_osc_ucp_handing_patience(uint64_t pieces)
{
    return STEPS_MAX + STEPS_PER_PIECE * (unsigned) (pieces < PIECES_MAX ? pieces : PIECES_MAX);
}

bool ompi_osc_ucp_handing_end(ompi_osc_ucp_peer_t *peer, uint64_t pieces)
{
    const ompi_osc_ucp_handed_t handed = ompi_osc_ucp_handing_await(peer, &peer->handing.handoff->state,
                                                                    ompi_osc_ucp_handing_patience(pieces));

    if (OMPI_OSC_UCP_HANDED_BACK == handed) {
        ompi_osc_ucp_handing_release(peer);
        ompi_osc_ucp_handing_missed(&peer->handing);
    }
    return OMPI_OSC_UCP_HANDED_DONE == handed;
}

bool ompi_osc_ucp_handing_post(ompi_osc_ucp_peer_t *peer, uint64_t pieces)
{
    ompi_osc_ucp_handing_leave(peer);
    return ompi_osc_ucp_handing_end(peer, pieces);
}
