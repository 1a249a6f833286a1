/* The shortest ways of calls, on mapped memory with contiguous data: they call, wait for and allocate nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls use these, and so does the layer that counts them (layer/count.c): a call of another function would take
 * it longer than counting.
 */

#ifndef OSC_UCP_CALL_MAPPED_H
#define OSC_UCP_CALL_MAPPED_H

#include "base/record.h"
#include "base/stores.h"
#include "call/call.h"
#include "epoch/access.h"
#include "op/scalar.h"
#include "path/short.h"

/** Address of the block in the target's memory, if nothing has to be done before the copy; else NULL. */
static inline __attribute__((always_inline)) char *
ompi_osc_ucp_copy_addr(ompi_osc_ucp_count_t count, const ompi_datatype_t *type, int target, ptrdiff_t disp,
                       ompi_osc_ucp_count_t target_count, const ompi_datatype_t *target_type,
                       const ompi_osc_ucp_window_t *window, uint64_t *bytes_p)
{
    const ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, target);

    if (OPAL_UNLIKELY(type != target_type || count != target_count || NULL == peer)) {
        return NULL;
    }
    *bytes_p = ompi_osc_ucp_block_bytes(type, (size_t) count);
    return OPAL_LIKELY(0 != *bytes_p && ompi_osc_ucp_is_mapped(peer) && ompi_osc_ucp_granted(peer))
               ? ompi_osc_ucp_mapped_addr(peer, disp, *bytes_p)
               : NULL;
}

/** Copy a block that does not have a basic type's size (call/put_get.c). */
int ompi_osc_ucp_copy_block(void *to, const void *from, uint64_t bytes) __attribute__((noinline));

/** Put or get a block; `addr` is its address in the target's memory. */
static inline __attribute__((always_inline)) int ompi_osc_ucp_copy_mapped(bool put, char *addr, void *buffer,
                                                                          uint64_t bytes,
                                                                          ompi_osc_ucp_window_t *window)
{
    void       *to   = put ? addr : buffer;
    const void *from = put ? buffer : addr;

    ompi_osc_ucp_fence_used(window);
    if (put) {
        ompi_osc_ucp_stored();
    } else {
        ompi_osc_ucp_loads_follow();
    }
    return ompi_osc_ucp_block_copy_basic(to, from, bytes) ? OMPI_SUCCESS : ompi_osc_ucp_copy_block(to, from, bytes);
}

/** Put and get what ompi_osc_ucp_copy_addr leaves (call/put_get.c). */
int ompi_osc_ucp_put_other(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                           int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                           ompi_datatype_t *target_type, ompi_win_t *win) __attribute__((noinline));
int ompi_osc_ucp_get_other(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                           ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                           ompi_win_t *win) __attribute__((noinline));

/** Update `count` elements without gaps at `addr` in a peer's memory. */
static inline __attribute__((always_inline)) void
ompi_osc_ucp_update_mapped(ompi_osc_ucp_peer_t *peer, char *addr, uint8_t code, const ompi_osc_ucp_prim_t *prim,
                           const void *origin, void *result, size_t count)
{
    uintptr_t key = (uintptr_t) addr - peer->key_base;

    if (1 == count && ompi_osc_ucp_is_scalar(code, prim, key, addr)) {
        ompi_osc_ucp_scalar_apply(peer->stripes, key, code, prim, addr, origin, result);
    } else {
        ompi_osc_ucp_op_apply(peer->stripes, key, code, prim, addr, origin, result, count);
    }
    ompi_osc_ucp_updated();
    ompi_osc_ucp_fence_used(peer->window);
}

/** Try a short verb of a peer that is not mapped; `compare` is NULL but for compare_and_swap. Out of line, so that
 *  mapped peers do not pay for it. */
bool ompi_osc_ucp_accumulate_away(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint8_t code,
                                  const ompi_osc_ucp_prim_t *prim, const void *origin, const void *compare,
                                  void *result, uint64_t bytes) __attribute__((noinline));

/** The same for a peer of a lean window that grants access, without threads. */
bool ompi_osc_ucp_accumulate_granted(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint8_t code,
                                     const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t bytes)
    __attribute__((noinline));

/** ompi_osc_ucp_accumulate_fast for a type with gaps. */
bool ompi_osc_ucp_accumulate_cells(ompi_osc_ucp_window_t *window, int target, ptrdiff_t disp, uint8_t code,
                                   const ompi_osc_ucp_prim_t *prim, const void *origin, void *result, uint64_t count)
    __attribute__((noinline));

/** What the short way has done. */
typedef enum ompi_osc_ucp_fast_t {
    OMPI_OSC_UCP_FAST_NOT,     /**< nothing: the caller takes the long way */
    OMPI_OSC_UCP_FAST_COUNTED, /**< the same, and the operation is counted */
    OMPI_OSC_UCP_FAST_DONE
} ompi_osc_ucp_fast_t;

/** ompi_osc_ucp_accumulate_fast for a peer that is not mapped. */
static inline __attribute__((always_inline)) ompi_osc_ucp_fast_t
ompi_osc_ucp_accumulate_unmapped(int call, const void *origin, void *result, uint64_t bytes,
                                 const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_peer_t *peer, ptrdiff_t disp,
                                 uint8_t code)
{
    const ompi_osc_ucp_window_t *window = peer->window;

    if (OMPI_OSC_UCP_CALLED_NONE == call) {
        return ompi_osc_ucp_accumulate_away(peer, disp, code, prim, origin, NULL, result, bytes)
                   ? OMPI_OSC_UCP_FAST_DONE
                   : OMPI_OSC_UCP_FAST_NOT;
    }
    /* In a lean window this is the kernel path, which waits for nobody. */
    if (!window->lean || !ompi_osc_ucp_granted(peer) ||
        !ompi_osc_ucp_tally(window->tally, call, peer->rank != window->rank, bytes)) {
        return OMPI_OSC_UCP_FAST_NOT;
    }
    return ompi_osc_ucp_accumulate_granted(peer, disp, code, prim, origin, result, bytes) ? OMPI_OSC_UCP_FAST_DONE
                                                                                         : OMPI_OSC_UCP_FAST_COUNTED;
}

/** The short way, for `count` elements of the same predefined type in all buffers. `origin` is NULL for MPI_NO_OP.
 *  `call`, a constant, is the call as which the operation is counted; OMPI_OSC_UCP_CALLED_NONE: it is not counted, and
 *  may wait for a lock. */
static inline __attribute__((always_inline)) ompi_osc_ucp_fast_t
ompi_osc_ucp_accumulate_fast(int call, const void *origin, void *result, ompi_osc_ucp_count_t count,
                             const ompi_datatype_t *type, int target, ptrdiff_t disp, const ompi_op_t *op,
                             ompi_win_t *win)
{
    const bool                 counts = OMPI_OSC_UCP_CALLED_NONE != call;
    ompi_osc_ucp_window_t     *window = ompi_osc_ucp_window(win);
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_predefined(type);
    uint8_t                    code   = ompi_osc_ucp_op_code(op);
    uint64_t                   bytes;
    ompi_osc_ucp_peer_t       *peer;
    char                      *addr;

    if (NULL == prim || 0 == count || ompi_osc_ucp_count_is_huge((size_t) count) ||
        !ompi_osc_ucp_op_valid(code, prim)) {
        return OMPI_OSC_UCP_FAST_NOT;
    }
    if (ompi_osc_ucp_prim_has_gaps(prim)) {
        return !counts && ompi_osc_ucp_accumulate_cells(window, target, disp, code, prim, origin, result,
                                                        (uint64_t) count)
                   ? OMPI_OSC_UCP_FAST_DONE
                   : OMPI_OSC_UCP_FAST_NOT;
    }
    bytes = prim->size * (uint64_t) count;
    peer  = counts ? ompi_osc_ucp_peer_recent(window, target) : ompi_osc_ucp_call_peer(window, target);
    if (NULL == peer) {
        return OMPI_OSC_UCP_FAST_NOT;
    }
    if (!ompi_osc_ucp_is_mapped(peer)) {
        return ompi_osc_ucp_accumulate_unmapped(call, origin, result, bytes, prim, peer, disp, code);
    }
    addr = (counts ? ompi_osc_ucp_granted(peer) : ompi_osc_ucp_may_access(peer))
               ? ompi_osc_ucp_mapped_addr(peer, disp, bytes)
               : NULL;
    if (NULL == addr || (counts && !ompi_osc_ucp_tally(window->tally, call, target != window->rank, bytes))) {
        return OMPI_OSC_UCP_FAST_NOT;
    }
    ompi_osc_ucp_update_mapped(peer, addr, code, prim, origin, result, (size_t) count);
    return OMPI_OSC_UCP_FAST_DONE;
}

#endif /* OSC_UCP_CALL_MAPPED_H */
