/* The shortest ways of calls, on mapped memory with contiguous data: they call, wait for and allocate nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls use these, and so does the layer that counts them (layer/count.c): a call of another function would take
 * it longer than counting.
 */

#ifndef OSC_UCP_CALL_MAPPED_H
#define OSC_UCP_CALL_MAPPED_H

#include "base/stores.h"
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

#endif /* OSC_UCP_CALL_MAPPED_H */
