/* The short way of calls whose data are one block, and whose target's memory is mapped here or which fit into a packet
 * that is open: nothing is called, allocated or waited for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whatever is in doubt (a first contact, a lock not yet taken, a wrong range) is left to the long way.
 */

#ifndef OSC_UCP_FAST_H
#define OSC_UCP_FAST_H

#include "osc_ucp_check.h"
#include "osc_ucp_stores.h"
#include "path/am.h"
#include "path/am_packet.h"
#include "path/path.h"

/** The peer, if operations on it may be plain copies. These need not enter the origin side: see there for what they
 *  read. Called outside. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_fast_peer(ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer =
        __atomic_load_n(&window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT], __ATOMIC_ACQUIRE);

    if (OPAL_UNLIKELY(NULL == peer || rank != peer->rank)) {
        ompi_osc_ucp_enter();
        peer = ompi_osc_ucp_peer_find(window, rank);
        ompi_osc_ucp_leave();
    }
    return OPAL_LIKELY(NULL != peer && __atomic_load_n(&peer->plain, __ATOMIC_ACQUIRE)) ? peer : NULL;
}

/** The peer that ompi_osc_ucp_fast_peer has just looked for, whatever may be done there; NULL: ask for it the long way.
 *  Called inside. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_fast_recent(const ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = window->recent[(unsigned) rank % OMPI_OSC_UCP_RECENT];

    return NULL != peer && rank == peer->rank ? peer : NULL;
}

/** The same, if the network puts and gets there by itself. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_fast_native(const ompi_osc_ucp_window_t *window, int rank)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_fast_recent(window, rank);

    return NULL != peer && NULL != peer->rkey ? peer : NULL;
}

/** Is the peer in an access epoch, and not yet to be locked for it? */
static inline bool ompi_osc_ucp_fast_granted(const ompi_osc_ucp_peer_t *peer)
{
    switch (__atomic_load_n(&peer->window->epoch, __ATOMIC_RELAXED)) {
    case OMPI_OSC_UCP_EPOCH_LOCK:
    case OMPI_OSC_UCP_EPOCH_LOCK_ALL:
        return OMPI_OSC_UCP_UNLOCKED != __atomic_load_n(&peer->lock, __ATOMIC_ACQUIRE);
    case OMPI_OSC_UCP_EPOCH_FENCE:
        return true;
    case OMPI_OSC_UCP_EPOCH_START:
        return peer->started;
    default:
        return false;
    }
}

/** Is the peer in an access epoch? To lock it lazily is for one thread at a time. */
static inline bool ompi_osc_ucp_fast_access(ompi_osc_ucp_peer_t *peer)
{
    return ompi_osc_ucp_fast_granted(peer) ||
           (OMPI_OSC_UCP_EPOCH_LOCK_ALL == __atomic_load_n(&peer->window->epoch, __ATOMIC_RELAXED) &&
            !ompi_osc_ucp_threaded() && OMPI_SUCCESS == ompi_osc_ucp_lock_lazily(peer));
}

/** Where `bytes` > 0 are in the peer's window memory; negative if they are not all in it. */
static inline int64_t ompi_osc_ucp_fast_offset(const ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes)
{
    int64_t at;

    if (OPAL_UNLIKELY(__builtin_mul_overflow((int64_t) disp, peer->disp_unit, &at) || at < 0 || at > peer->size ||
                      bytes > (uint64_t) (peer->size - at))) {
        return -1;
    }
    return at;
}

/** Where `bytes` > 0 of the peer's memory are, or NULL. */
static inline char *ompi_osc_ucp_fast_place(const ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes)
{
    int64_t at = ompi_osc_ucp_fast_offset(peer, disp, bytes);

    return OPAL_LIKELY(at >= 0) ? peer->memory + at : NULL;
}

/** Longer operations gain nothing from the short way into a packet. */
#define OMPI_OSC_UCP_FAST_MESSAGE_MAX 256

/** The peer whose memory at `disp` short operations reach by message and may now; *disp_p is that in bytes. NULL: take
 *  the long way. Called inside. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_fast_messaged(ompi_osc_ucp_window_t *window, int rank, ptrdiff_t disp,
                                                              uint64_t bytes, int64_t *disp_p)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_fast_recent(window, rank);

    if (NULL == peer || !peer->known || !peer->path->messages || !ompi_osc_ucp_fast_access(peer) ||
        __builtin_mul_overflow((int64_t) disp, peer->disp_unit, disp_p) ||
        (MPI_WIN_FLAVOR_DYNAMIC != window->flavor && !ompi_osc_ucp_in_range(peer->size, *disp_p, 0, (int64_t) bytes))) {
        return NULL;
    }
    return peer;
}

/** Put or accumulate by message, if that is how it is done. `wire` needs all but `disp`. */
static inline bool ompi_osc_ucp_fast_message(ompi_osc_ucp_window_t *window, int rank, ptrdiff_t disp,
                                             ompi_osc_ucp_wire_command_t *wire, const void *data)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_fast_messaged(window, rank, disp, wire->len, &wire->disp);

    if (NULL == peer || !ompi_osc_ucp_packet_append(peer, wire, data)) {
        return false;
    }
    ompi_osc_ucp_fence_used(window);
    return true;
}

/** Get, fetch and accumulate, or compare and swap by message, if that is how it is done. `wire` needs all but `disp` and
 *  `flags`; `len` bytes of data belong to it. */
static inline bool ompi_osc_ucp_fast_fetch(ompi_osc_ucp_window_t *window, int rank, ptrdiff_t disp,
                                           ompi_osc_ucp_wire_command_t *wire, const void *data, size_t len,
                                           void *result)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_fast_messaged(window, rank, disp, wire->len, &wire->disp);

    if (NULL == peer || OMPI_SUCCESS != ompi_osc_ucp_am_fetch_block(peer, wire, data, len, result)) {
        return false;
    }
    ompi_osc_ucp_fence_used(window);
    return true;
}

/** Lock the peer, if nobody keeps this process waiting. */
static inline bool ompi_osc_ucp_fast_lock(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_lock_t lock)
{
    if (!peer->plain || OMPI_OSC_UCP_NOCHECK == lock ||
        !ompi_osc_ucp_lockword_try(&peer->control->lock, OMPI_OSC_UCP_EXCLUSIVE == lock)) {
        return false;
    }
    ompi_osc_ucp_peer_locked(peer, lock);
    return true;
}

/** Release the lock of a plain peer. False: ompi_osc_ucp_turn_tell has to follow. */
static inline bool ompi_osc_ucp_fast_release(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_lock_t lock = peer->lock;

    ompi_osc_ucp_peer_locked(peer, OMPI_OSC_UCP_UNLOCKED);
    ompi_osc_ucp_lockword_leave(&peer->control->lock, OMPI_OSC_UCP_EXCLUSIVE == lock);
    return !ompi_osc_ucp_lockword_remote(&peer->control->lock);
}

/** Unlock the peer, if all operations on it are over. */
static inline bool ompi_osc_ucp_fast_unlock(ompi_osc_ucp_peer_t *peer)
{
    if (!peer->plain || OMPI_OSC_UCP_NOCHECK == peer->lock) {
        return false;
    }
    if (OPAL_UNLIKELY(!ompi_osc_ucp_fast_release(peer))) {
        ompi_osc_ucp_turn_tell(peer);
    }
    return true;
}

/** Bytes of a buffer that is one block from its address on; 0 if it is not, or empty, or huge. */
static inline uint64_t ompi_osc_ucp_fast_bytes(const ompi_datatype_t *type, size_t count)
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
static inline bool ompi_osc_ucp_fast_copy_basic(void *to, const void *from, uint64_t bytes)
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

static inline void ompi_osc_ucp_fast_copy(void *to, const void *from, uint64_t bytes)
{
    if (!ompi_osc_ucp_fast_copy_basic(to, from, bytes)) {
        memmove(to, from, bytes);
    }
}

#endif /* OSC_UCP_FAST_H */
