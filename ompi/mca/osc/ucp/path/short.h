/* The short way of calls whose data are one block, and whose target's memory is mapped here: nothing is called, allocated
 * or waited for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Outside of this folder nobody else knows where a target's bytes lie. What is in doubt (a first contact, a lock not yet
 * taken, a wrong range) is left to the path's verbs.
 */

#ifndef OSC_UCP_SHORT_H
#define OSC_UCP_SHORT_H

#include "base/stores.h"
#include "layout/layout.h"
#include "peer/peer.h"

/** Is the peer's memory mapped here? Any thread: what it tells is there then. */
static inline bool ompi_osc_ucp_is_mapped(const ompi_osc_ucp_peer_t *peer)
{
    return OPAL_LIKELY(__atomic_load_n(&peer->mapped, __ATOMIC_ACQUIRE));
}

/** Where `bytes` > 0 of a mapped peer's memory are, or NULL if they are not all in it. */
static inline char *ompi_osc_ucp_mapped_addr(const ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes)
{
    int64_t at = ompi_osc_ucp_block_at(disp, peer->disp_unit, peer->size, bytes);

    return OPAL_LIKELY(at >= 0) ? peer->memory + at : NULL;
}

/** Lock a mapped peer, if nobody keeps this process waiting. */
static inline bool ompi_osc_ucp_mapped_try_lock(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    if (!peer->mapped || OMPI_OSC_UCP_NOCHECK == lock ||
        !ompi_osc_ucp_lockword_try(&peer->control->lock, OMPI_OSC_UCP_EXCLUSIVE == lock)) {
        return false;
    }
    ompi_osc_ucp_peer_locked(peer, lock);
    return true;
}

/** Release the lock of a mapped peer. False: its doorbell has to be rung. */
static inline bool ompi_osc_ucp_mapped_release(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_lock_t lock = peer->lock;

    ompi_osc_ucp_peer_locked(peer, OMPI_OSC_UCP_UNLOCKED);
    ompi_osc_ucp_lockword_leave(&peer->control->lock, OMPI_OSC_UCP_EXCLUSIVE == lock);
    return !ompi_osc_ucp_lockword_remote(&peer->control->lock);
}

/** Bytes of a buffer that is one block from its address on; 0 if it is not, or empty, or huge. */
static inline uint64_t ompi_osc_ucp_block_bytes(const ompi_datatype_t *type, size_t count)
{
    const opal_datatype_t *super = &type->super;

    if (0 == (super->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) || 0 != super->lb || 0 != super->true_lb ||
        super->ub != (ptrdiff_t) super->size || super->true_ub != super->ub || super->size > UINT32_MAX) {
        return 0;
    }
    return super->size * (uint64_t) count; /* count fits in 31 bits */
}

/** The sizes of the basic types are told to the compiler: one load and one store, which nobody sees in halves. False:
 *  it is another size, and nothing was done. */
static inline bool ompi_osc_ucp_block_copy_basic(void *to, const void *from, uint64_t bytes)
{
    switch (bytes) {
    case 4:
        memmove(to, from, 4);
        return true;
    case 8:
        memmove(to, from, 8);
        return true;
    case 16:
        memmove(to, from, 16);
        return true;
    default:
        return false;
    }
}

static inline void ompi_osc_ucp_block_copy(void *to, const void *from, uint64_t bytes)
{
    if (!ompi_osc_ucp_block_copy_basic(to, from, bytes)) {
        memmove(to, from, bytes);
    }
}

#endif /* OSC_UCP_SHORT_H */
