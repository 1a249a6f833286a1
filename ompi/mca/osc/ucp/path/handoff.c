/* Handoffs at the origin: see path/handoff.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "path/handing.h"
#include "path/handoff.h"

#include <string.h>

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
    ompi_osc_ucp_handoff_record_t *own  = (ompi_osc_ucp_handoff_record_t *) records, *theirs;
    const bool                     gets = OMPI_OSC_UCP_HANDOFF_GET == own->kind;

    if (!ompi_osc_ucp_handing_claim(peer)) {
        return false;
    }
    theirs = (ompi_osc_ucp_handoff_record_t *) ompi_osc_ucp_handing_fill(peer->handing.handoff, used, raises);
    *ompi_osc_ucp_handoff_first(peer->handing.handoff) = *own;
    if (gets) {
        gets_write(theirs, own, records + used);
    } else {
        memcpy(theirs, records, used);
    }
    if (!ompi_osc_ucp_handing_post(peer, pieces)) {
        return false;
    }
    if (gets) {
        gets_read(theirs, own, records + used);
    }
    ompi_osc_ucp_handing_release(peer);
    return true;
}

bool ompi_osc_ucp_handoff_leave(ompi_osc_ucp_peer_t *peer, const char *records, uint32_t used,
                                const ompi_osc_ucp_handoff_raises_t *raises)
{
    ompi_osc_ucp_handoff_t *handoff = peer->handing.handoff;

    if (!ompi_osc_ucp_handing_claim(peer)) {
        return false;
    }
    memcpy(ompi_osc_ucp_handing_fill(handoff, used, raises), records, used);
    *ompi_osc_ucp_handoff_first(handoff) = *(const ompi_osc_ucp_handoff_record_t *) records;
    ompi_osc_ucp_handing_leave(peer);
    return true;
}

bool ompi_osc_ucp_handoff_is_over(const ompi_osc_ucp_peer_t *peer)
{
    return OMPI_OSC_UCP_HANDOFF_DONE == __atomic_load_n(&peer->handing.handoff->state, __ATOMIC_RELAXED);
}

bool ompi_osc_ucp_handoff_end(ompi_osc_ucp_peer_t *peer, uint64_t pieces)
{
    __builtin_prefetch(&peer->handing.handoff->state, 1); /* it is written next */
    if (!ompi_osc_ucp_handing_end(peer, pieces)) {
        return false;
    }
    ompi_osc_ucp_handing_release(peer);
    return true;
}

bool ompi_osc_ucp_handoff_put(ompi_osc_ucp_peer_t *peer, uint64_t address, const void *origin, uint64_t bytes)
{
    if (bytes > OMPI_OSC_UCP_HANDOFF_COPY_MAX ||
        NULL == ompi_osc_ucp_handing_claim_one(peer, OMPI_OSC_UCP_HANDOFF_PUT, address, bytes, false)) {
        return false;
    }
    memcpy(ompi_osc_ucp_handing_data(peer), origin, bytes);
    if (!ompi_osc_ucp_handing_post(peer, 0)) {
        return false;
    }
    ompi_osc_ucp_handing_release(peer);
    return true;
}

bool ompi_osc_ucp_handoff_get(ompi_osc_ucp_peer_t *peer, uint64_t address, void *result, uint64_t bytes)
{
    if (bytes > OMPI_OSC_UCP_HANDOFF_COPY_MAX ||
        NULL == ompi_osc_ucp_handing_claim_one(peer, OMPI_OSC_UCP_HANDOFF_GET, address, bytes, false)) {
        return false;
    }
    if (!ompi_osc_ucp_handing_post(peer, 0)) {
        return false;
    }
    memcpy(result, ompi_osc_ucp_handing_data(peer), bytes);
    ompi_osc_ucp_handing_release(peer);
    return true;
}

bool ompi_osc_ucp_handoff_accumulate(ompi_osc_ucp_peer_t *peer, uint64_t address, uint8_t op,
                                     const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t bytes)
{
    const bool                     fetches = NULL != result;
    ompi_osc_ucp_handoff_record_t *record;

    if (bytes << fetches > OMPI_OSC_UCP_HANDOFF_MAX ||
        NULL == (record = ompi_osc_ucp_handing_claim_one(peer, OMPI_OSC_UCP_HANDOFF_ACCUMULATE, address, bytes,
                                                         fetches))) {
        return false;
    }
    record->op   = op;
    record->prim = prim->code;
    if (OMPI_OSC_UCP_OP_NO_OP != op) {
        memcpy(ompi_osc_ucp_handing_data(peer), origin, bytes);
    }
    if (!ompi_osc_ucp_handing_post(peer, 0)) {
        return false;
    }
    if (NULL != result) {
        memcpy(result, ompi_osc_ucp_handing_data(peer) + bytes, bytes);
    }
    ompi_osc_ucp_handing_release(peer);
    return true;
}

bool ompi_osc_ucp_handoff_swap(ompi_osc_ucp_peer_t *peer, uint64_t address, const ompi_osc_ucp_prim_t *prim,
                               const void *origin, const void *compare, void *result)
{
    ompi_osc_ucp_handoff_record_t *record = ompi_osc_ucp_handing_claim_one(peer, OMPI_OSC_UCP_HANDOFF_SWAP, address,
                                                                           prim->size, true);

    if (NULL == record) {
        return false;
    }
    record->prim = prim->code;
    memcpy(ompi_osc_ucp_handing_data(peer), origin, prim->size);
    memcpy(ompi_osc_ucp_handing_data(peer) + prim->size, compare, prim->size);
    if (!ompi_osc_ucp_handing_post(peer, 0)) {
        return false;
    }
    memcpy(result, ompi_osc_ucp_handing_data(peer) + prim->size, prim->size);
    ompi_osc_ucp_handing_release(peer);
    return true;
}
