/* The interface of a path: how the operations on one target are carried out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A path offers itself: `attach` answers whether it can serve a peer. reach/reach.c asks the paths in the order of its
 * table, and nobody but these two folders names one.
 *
 * A path's functions run on the origin side. Epoch, range, types and zero counts have been checked, so that only the work
 * is left. They return OMPI_SUCCESS or an OMPI_ERR_ code, and log nothing.
 */

#ifndef OSC_UCP_PATH_H
#define OSC_UCP_PATH_H

#include "memory/description.h"
#include "peer/transfer.h"

struct ompi_osc_ucp_path_t {
    ompi_osc_ucp_via_t via;  /**< which way most of its operations go, for the user. VIA_DIRECT: others count them */
    bool               maps; /**< its peers' window memory is mapped here, and serves the short way of path/short.h */

    /**
     * Can this path serve the peer? Then fills in what the path needs in the peer, size and disp_unit included.
     * @param description  the peer's, or NULL: it was not asked yet. A path that needs none sets peer->known then; one
     *                     that serves the peer until it is asked does not.
     * @return OMPI_SUCCESS, OMPI_ERR_NOT_SUPPORTED (ask the next one), or why the peer cannot be served at all.
     */
    int (*attach)(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description);

    /** The window is freed, or the peer gets another path. NULL: nothing to let go. */
    void (*detach)(ompi_osc_ucp_peer_t *peer);

    int (*put)(ompi_osc_ucp_transfer_t *transfer);
    int (*get)(ompi_osc_ucp_transfer_t *transfer);
    /** accumulate, get_accumulate and fetch_and_op: they differ in what is NULL. */
    int (*accumulate)(ompi_osc_ucp_transfer_t *transfer);
    int (*compare_swap)(ompi_osc_ucp_transfer_t *transfer);

    /* The short verbs: one block at both ends, `at` bytes from the window's base, no request. False: nothing was done,
     * and the long verb does it. NULL: there is none. */

    bool (*put_block)(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
    bool (*get_block)(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes);
    /** `bytes` of whole elements without gaps; `origin` is NULL for NO_OP, `result` if nothing is fetched. */
    bool (*accumulate_block)(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                             const void *origin, void *result, uint64_t bytes);
    bool (*swap_block)(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim, const void *origin,
                       const void *compare, void *result);

    /** Acquire the target's lock; waits. */
    int (*lock)(ompi_osc_ucp_peer_t *peer, bool exclusive);

    /** Does this path lock all members of such a window at once? Then each member's path is this one, and rank 0 is
     *  attached before any other. NULL: no. */
    bool (*serves_all)(const ompi_osc_ucp_window_t *window);

    /** Lock and unlock all members of a window at once; wait. Only called if serves_all says yes. */
    int (*lock_all)(ompi_osc_ucp_window_t *window);
    int (*unlock_all)(ompi_osc_ucp_window_t *window);

    /* The following begin something and return; *awaited counts it until it is over. The caller waits for that with
     * ompi_osc_ucp_await, also after an error, so that many peers are served at once. */

    /** Complete at the target what unlock and complete do not complete themselves: it must be over before they are
     *  called. NULL: there is nothing such. */
    int (*settle)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Complete all operations at the target. NULL: a memory fence does. */
    int (*flush)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Complete the operations on one peer, and wait: the short way of flush. NULL: there is none. */
    int (*flush_alone)(ompi_osc_ucp_peer_t *peer);

    /** Complete all operations at the target, then release its lock. */
    int (*unlock)(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);

    /** Tell the target that an access epoch for it is posted (MPI_Win_post), or is over (MPI_Win_complete); the
     *  latter takes effect at the target after all operations before it. Over when a message has left: a caller that
     *  computes next would not progress it. */
    int (*post)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
    int (*complete)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Tell the target that this process has come so far in the window's barrier. */
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
