/* The interface of a path: how the operations on one target are carried out.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A peer has one path, chosen when it is made (osc_ucp_peer.c). A path's functions run on the origin side; epoch,
 * range, types and zero counts have been checked, so that only the work is left. They return OMPI_SUCCESS or an
 * OMPI_ERR_ code, and log nothing.
 */

#ifndef OSC_UCP_PATH_H
#define OSC_UCP_PATH_H

#include "../osc_ucp_peer.h"

/** One communication call after its checks. All belongs to the caller and is valid during the call. */
typedef struct ompi_osc_ucp_transfer_t {
    ompi_osc_ucp_peer_t *peer;

    /** What goes to the target: put, the accumulate family. NULL with MPI_NO_OP. */
    const void            *origin;
    ompi_osc_ucp_layout_t *origin_layout;

    /** What comes back: get, get_accumulate, fetch_and_op, compare_and_swap. NULL if nothing does. A path may take the
     *  layout away (leaving an empty one), if it needs it longer than the call. */
    void                  *result;
    ompi_osc_ucp_layout_t *result_layout;

    /** Where at the target: bytes from the window's base (dynamic windows: an address), and the shape from there; of
     *  cells (osc_ucp_op.h) for the accumulate family, else of bytes. */
    int64_t                disp;
    ompi_osc_ucp_layout_t *target_layout;

    uint8_t                    op;      /**< the accumulate family */
    const ompi_osc_ucp_prim_t *prim;    /**< the accumulate family and compare_and_swap */
    const void                *compare; /**< compare_and_swap: one element */

    ompi_request_t **request_p; /**< the R calls: to be set, on success; else NULL */
} ompi_osc_ucp_transfer_t;

struct ompi_osc_ucp_path_t {
    ompi_osc_ucp_via_t via;              /**< which way most of its operations go */
    bool               messages;         /**< short ones are messages, all of them */
    bool               loads_and_stores; /**< all of them do, by load and store: others count them */

    int (*put)(ompi_osc_ucp_transfer_t *transfer);
    int (*get)(ompi_osc_ucp_transfer_t *transfer);
    /** accumulate, get_accumulate and fetch_and_op: they differ in what is NULL. */
    int (*accumulate)(ompi_osc_ucp_transfer_t *transfer);
    int (*compare_swap)(ompi_osc_ucp_transfer_t *transfer);

    /** Acquire the target's lock; waits. */
    int (*lock)(ompi_osc_ucp_peer_t *peer, bool exclusive);

    /* The following begin something and return; *awaited counts it until it is over. The caller waits for that with
     * ompi_osc_ucp_await, also after an error, so that many peers are served at once. */

    /** Complete at the target what unlock and complete do not complete themselves: it must be over before they are
     *  called. NULL: there is nothing such. */
    int (*settle)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Complete all operations at the target. */
    int (*flush)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

    /** Complete all operations at the target, then release its lock. */
    int (*unlock)(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);

    /** Tell the target that an access epoch for it is posted (MPI_Win_post), or is over (MPI_Win_complete); the
     *  latter takes effect at the target after all operations before it. Over when a message has left: a caller that
     *  computes next would not progress it. */
    int (*post)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
    int (*complete)(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

};

/** The peer's memory and control block are mapped here, or it is the process itself: load, store, CPU atomics. */
extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_direct;

/** Its control block is mapped here, its memory is not: active messages, but locks and notices as above. */
extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_near;

/** Find out what a peer of the near path can do besides messages. `head` is that of its mapped chunk. */
void ompi_osc_ucp_near_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description,
                              ompi_osc_ucp_chunk_head_t *head);

/** A process whose memory the network reaches by itself: UCP's put and get, the rest by active messages. */
extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_rdma;

/** The same in the NIC domain: UCP's atomics and locks made of them, too. */
extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_nic;

/** Everything else: active messages. */
extern const ompi_osc_ucp_path_t ompi_osc_ucp_path_am;

static inline int ompi_osc_ucp_settle(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return NULL == peer->path->settle ? OMPI_SUCCESS : peer->path->settle(peer, awaited);
}

#endif /* OSC_UCP_PATH_H */
