/* The interface of a path: how the operations on one peer are carried out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * reach/reach.c offers a peer to the paths in the order of reach/paths.c. No other folder names a path.
 *
 * A path's functions run inside the origin side; put, get and the accumulate family on mapped memory also outside.
 * Epoch, range, types and zero counts have been checked. They return OMPI_SUCCESS or an OMPI_ERR_ code. Only an attach
 * that finds a peer unreachable prints something.
 */

#ifndef OSC_UCP_PATH_H
#define OSC_UCP_PATH_H

#include "memory/description.h"
#include "peer/transfer.h"

struct ompi_osc_ucp_path_t {
    ompi_osc_ucp_via_t via;  /**< how reports name it. With VIA_DIRECT, layer/count.c counts the operations */
    bool               maps; /**< its peers' window memory is mapped here, and path/short.h may use it */

    /**
     * Can this path serve the peer? If so, fill in the peer's fields that the path needs.
     * @param description  the peer's, or NULL if it was not asked yet. Without one, a path that can serve the peer for
     *                     good sets size, disp_unit and known; a provisional one leaves known false.
     * @return OMPI_SUCCESS, OMPI_ERR_NOT_SUPPORTED (ask the next path), or why the peer cannot be served at all.
     */
    int (*attach)(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description);

    /** Release what attach acquired; the window is freed. NULL: there is nothing to release. */
    void (*detach)(ompi_osc_ucp_peer_t *peer);

    int (*put)(ompi_osc_ucp_transfer_t *transfer);
    int (*get)(ompi_osc_ucp_transfer_t *transfer);
    /** accumulate, get_accumulate and fetch_and_op: they differ in which buffers are NULL. */
    int (*accumulate)(ompi_osc_ucp_transfer_t *transfer);
    int (*compare_swap)(ompi_osc_ucp_transfer_t *transfer);

    /* Short verbs: contiguous at both ends, `at` bytes from the window's base, no request. False: nothing was done, and
     * the caller uses the long verb. NULL: there is none. */

    bool (*put_block)(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
    bool (*get_block)(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes);
    /** `bytes` of whole elements without gaps; `origin` is NULL for NO_OP, `result` if nothing is fetched. */
    bool (*accumulate_block)(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                             const void *origin, void *result, uint64_t bytes);
    bool (*swap_block)(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim, const void *origin,
                       const void *compare, void *result);

    /** Acquire the target's lock. Waits for it, or has all later operations wait for it at the target. */
    int (*lock)(ompi_osc_ucp_peer_t *peer, bool exclusive);

    /** Does this path lock all members of the window at once? Then it must serve every member, and rank 0 is attached
     *  before any other. NULL: no. */
    bool (*serves_all)(const ompi_osc_ucp_window_t *window);

    /** Lock and unlock all members of a window at once, and wait. Only called if serves_all returns true. lock_all may
     *  fail with OMPI_ERR_WOULD_BLOCK: then members are locked by themselves. */
    int (*lock_all)(ompi_osc_ucp_window_t *window);
    int (*unlock_all)(ompi_osc_ucp_window_t *window);

    /** The number of the peer's notification counters. May ask the peer, and wait. */
    int (*counters)(ompi_osc_ucp_peer_t *peer, uint32_t *count_p);

    /** Raise a notification counter of the peer behind all operations of this process, unless the last operation was
     *  refused. Its messages begin at that place (wire/wire.h). The index is in range. May wait for operations, but not
     *  for the counter. */
    int (*raise)(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin);

    /** Carry out operations that the path keeps: their buffers are complete, but who polls for their effects must not
     *  wait for a later call. NULL: it keeps none. */
    void (*leave)(ompi_osc_ucp_peer_t *peer);

    /* The following functions begin something and return. *awaited counts it until it is over. The caller waits for
     * that with ompi_osc_ucp_await, also after an error. So many peers can be served at once. */

    /** Complete at the target the operations that unlock and complete do not complete. The caller waits for that before
     *  it calls them. NULL: there are none. */
    int (*settle)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Complete all operations at the target. NULL: a memory fence does. */
    int (*flush)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Flush one peer, wait, and return its error: the short way of flush. NULL: there is none. */
    int (*flush_alone)(ompi_osc_ucp_peer_t *peer);

    /** Complete all operations at the target, then release its lock. */
    int (*unlock)(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);

    /** Send the notice of MPI_Win_post, or of MPI_Win_complete, which takes effect after all earlier operations. A
     *  notice that is a message counts until it has left: a caller that computes next would not progress it. */
    int (*post)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
    int (*complete)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Send the notice of a round of the window's barrier (epoch/barrier.c). */
    int (*arrive)(ompi_osc_ucp_peer_t *peer, int round, uint32_t *awaited);
};

static inline int ompi_osc_ucp_settle(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return NULL == peer->path->settle ? OMPI_SUCCESS : peer->path->settle(peer, awaited);
}

static inline int ompi_osc_ucp_flush_begin(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return NULL == peer->path->flush ? OMPI_SUCCESS : peer->path->flush(peer, awaited);
}

#endif /* OSC_UCP_PATH_H */
