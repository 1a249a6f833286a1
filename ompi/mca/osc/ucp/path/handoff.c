/* Handoffs at the origin: see path/handoff.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/handoff.h"

#include <string.h>

#include "base/wait.h"
#include "memory/handoff.h"

/** Steps of waiting for a target to take an operation: some 3 us. A copy by the kernel takes about 2 us. */
#define STEPS_MAX 96

/** After n operations in a row, up to this, that were not taken, the next 2^n - 1 are not handed off. */
#define MISSES_MAX 8

/** Does the target poll, as far as is known? */
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

/** Claim the target's handoff for an operation, and begin to fill it in; NULL: it must not be handed off. With several
 *  threads another one could pass the operation while this one waits. */
static ompi_osc_ucp_handoff_t *claim(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_handoff_kind_t kind, uint64_t address,
                                     uint64_t bytes)
{
    ompi_osc_ucp_handoff_t *handoff = peer->handing.handoff;
    uint32_t                none    = OMPI_OSC_UCP_HANDOFF_FREE;

    if (bytes > OMPI_OSC_UCP_HANDOFF_MAX || ompi_osc_ucp_threaded() || !answers(&peer->handing) ||
        !__atomic_compare_exchange_n(&handoff->state, &none, OMPI_OSC_UCP_HANDOFF_CLAIMED, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED)) {
        return NULL;
    }
    handoff->kind    = (uint8_t) kind;
    handoff->bytes   = (uint32_t) bytes;
    handoff->address = address;
    return handoff;
}

static void release(ompi_osc_ucp_handoff_t *handoff)
{
    __atomic_store_n(&handoff->state, OMPI_OSC_UCP_HANDOFF_FREE, __ATOMIC_RELEASE);
}

/** Post the operation. True: the target has carried it out, and the caller must release the handoff. False: it was
 *  taken back, and the handoff is released. */
static bool hand_off(ompi_osc_ucp_handing_t *handing)
{
    ompi_osc_ucp_handoff_t *handoff = handing->handoff;
    uint32_t                posted  = OMPI_OSC_UCP_HANDOFF_POSTED;
    unsigned                steps   = 0;

    __atomic_store_n(&handoff->state, posted, __ATOMIC_RELEASE);
    while (posted == __atomic_load_n(&handoff->state, __ATOMIC_RELAXED) && steps < STEPS_MAX) {
        ompi_osc_ucp_spin(&steps);
    }
    if (__atomic_compare_exchange_n(&handoff->state, &posted, OMPI_OSC_UCP_HANDOFF_FREE, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED)) {
        handing->misses  = (uint8_t) (handing->misses + (handing->misses < MISSES_MAX));
        handing->skip    = (uint16_t) ((1u << handing->misses) - 1);
        handing->answers = false;
        handing->polls   = __atomic_load_n(&handoff->polls, __ATOMIC_RELAXED);
        return false;
    }
    while (OMPI_OSC_UCP_HANDOFF_DONE != __atomic_load_n(&handoff->state, __ATOMIC_ACQUIRE)) {
        ompi_osc_ucp_spin(&steps);
    }
    handing->misses = 0;
    return true;
}

bool ompi_osc_ucp_handoff_put(ompi_osc_ucp_peer_t *peer, uint64_t address, const void *origin, uint64_t bytes)
{
    ompi_osc_ucp_handoff_t *handoff = claim(peer, OMPI_OSC_UCP_HANDOFF_PUT, address, bytes);

    if (NULL == handoff) {
        return false;
    }
    memcpy(handoff->data, origin, bytes);
    if (!hand_off(&peer->handing)) {
        return false;
    }
    release(handoff);
    return true;
}

bool ompi_osc_ucp_handoff_get(ompi_osc_ucp_peer_t *peer, uint64_t address, void *result, uint64_t bytes)
{
    ompi_osc_ucp_handoff_t *handoff = claim(peer, OMPI_OSC_UCP_HANDOFF_GET, address, bytes);

    if (NULL == handoff || !hand_off(&peer->handing)) {
        return false;
    }
    memcpy(result, handoff->data, bytes);
    release(handoff);
    return true;
}

bool ompi_osc_ucp_handoff_accumulate(ompi_osc_ucp_peer_t *peer, uint64_t address, uint8_t op,
                                     const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t bytes)
{
    ompi_osc_ucp_handoff_t *handoff = claim(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, bytes);

    if (NULL == handoff) {
        return false;
    }
    handoff->op      = op;
    handoff->prim    = prim->code;
    handoff->fetches = NULL != result;
    if (OMPI_OSC_UCP_OP_NO_OP != op) {
        memcpy(handoff->data, origin, bytes);
    }
    if (!hand_off(&peer->handing)) {
        return false;
    }
    if (NULL != result) {
        memcpy(result, handoff->data + bytes, bytes);
    }
    release(handoff);
    return true;
}

bool ompi_osc_ucp_handoff_swap(ompi_osc_ucp_peer_t *peer, uint64_t address, const ompi_osc_ucp_prim_t *prim,
                               const void *origin, const void *compare, void *result)
{
    ompi_osc_ucp_handoff_t *handoff = claim(peer, OMPI_OSC_UCP_HANDOFF_SWAP, address, prim->size);

    if (NULL == handoff) {
        return false;
    }
    handoff->prim = prim->code;
    memcpy(handoff->data, origin, prim->size);
    memcpy(handoff->data + prim->size, compare, prim->size);
    if (!hand_off(&peer->handing)) {
        return false;
    }
    memcpy(result, handoff->data + prim->size, prim->size);
    release(handoff);
    return true;
}
