/* Inline code for calls on mapped memory with contiguous data: it calls, allocates and waits for nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whatever needs more (a first contact, a lock that is not free, a wrong range) is left to the path's functions.
 */

#ifndef OSC_UCP_SHORT_H
#define OSC_UCP_SHORT_H

#include "base/stores.h"
#include "layout/block.h"
#include "layout/layout.h"
#include "message/packet.h"
#include "peer/peer.h"

/** Is the peer's window memory mapped here? Any thread: if so, the peer's fields can be read. */
static inline bool ompi_osc_ucp_is_mapped(const ompi_osc_ucp_peer_t *peer)
{
    return OPAL_LIKELY(__atomic_load_n(&peer->mapped, __ATOMIC_ACQUIRE));
}

/** Address of `bytes` > 0 at `disp` of a mapped peer's window, or NULL if they are not all inside. */
static inline char *ompi_osc_ucp_mapped_addr(const ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes)
{
    int64_t at = ompi_osc_ucp_block_at(disp, peer->disp_unit, peer->size, bytes);

    return OPAL_LIKELY(at >= 0) ? peer->memory + at : NULL;
}

/** Lock a mapped peer, if the lock is free. */
static inline bool ompi_osc_ucp_mapped_try_lock(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    if (!peer->mapped || OMPI_OSC_UCP_NOCHECK == lock ||
        !ompi_osc_ucp_lockword_try(&peer->control->lock, OMPI_OSC_UCP_EXCLUSIVE == lock)) {
        return false;
    }
    ompi_osc_ucp_peer_locked(peer, lock);
    return true;
}

/** Release the lock of a mapped peer. False: the caller has to ring the peer's doorbell. */
static inline bool ompi_osc_ucp_mapped_release(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_lock_t lock = peer->lock;

    ompi_osc_ucp_peer_locked(peer, OMPI_OSC_UCP_UNLOCKED);
    ompi_osc_ucp_lockword_leave(&peer->control->lock, OMPI_OSC_UCP_EXCLUSIVE == lock);
    return !ompi_osc_ucp_lockword_remote(&peer->control->lock);
}

/** Where the messages of the next operation on the peer begin, or, on the kernel path, how many operations were refused
 *  before it: for a path's `raise`. Inside. */
static inline int64_t ompi_osc_ucp_next_place(const ompi_osc_ucp_peer_t *peer)
{
    return peer->window->lean ? (int64_t) peer->refusals : ompi_osc_ucp_packet_place(peer);
}

/** Add to a notification counter whose memory is mapped here; all operations on its peer are over. The release lets
 *  whoever sees the count read their data. Any thread. */
static inline void ompi_osc_ucp_counter_add(const ompi_osc_ucp_peer_t *peer, uint32_t index, uint64_t times)
{
    __atomic_fetch_add(ompi_osc_ucp_counter(peer->control, peer->window->counters_max, index), times,
                       __ATOMIC_RELEASE);
}

/** Might the count, times 32 bits, overflow? In an Open MPI whose counts are ints, never. */
static inline bool ompi_osc_ucp_count_is_huge(size_t count)
{
    return sizeof(ompi_osc_ucp_count_t) > sizeof(int) && count > UINT32_MAX;
}

/** Bytes of a buffer that is contiguous from its address on; else 0, also if it is empty or its type or count huge. */
static inline uint64_t ompi_osc_ucp_block_bytes(const ompi_datatype_t *type, size_t count)
{
    const opal_datatype_t *super = &type->super;

    if (ompi_osc_ucp_count_is_huge(count) || 0 == (super->flags & OPAL_DATATYPE_FLAG_CONTIGUOUS) || 0 != super->lb ||
        0 != super->true_lb ||
        super->ub != (ptrdiff_t) super->size || super->true_ub != super->ub || super->size > UINT32_MAX) {
        return 0;
    }
    return super->size * (uint64_t) count; /* does not overflow */
}

#endif /* OSC_UCP_SHORT_H */
