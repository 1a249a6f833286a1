/* What all communication calls share: the checks, and finding the peer. Its path does the rest.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CALL_H
#define OSC_UCP_CALL_H

#include "base/host.h"
#include "base/threads.h"
#include "epoch/access.h"
#include "path/path.h"
#include "peer/transfer.h"

/** A buffer argument of a call. Without a type, the call has no such buffer. */
typedef struct ompi_osc_ucp_buffer_t {
    void            *address;
    size_t           count;
    ompi_datatype_t *type;
} ompi_osc_ucp_buffer_t;

/** Bytes of data in a buffer. */
static inline size_t ompi_osc_ucp_buffer_bytes(const ompi_osc_ucp_buffer_t *buffer)
{
    return buffer->count * buffer->type->super.size;
}

/** What a program gives to a call. */
typedef struct ompi_osc_ucp_args_t {
    const char           *name;    /**< of the call, without its prefix: "put" is MPI_Put or MPI_Rput */
    ompi_osc_ucp_buffer_t origin, result, target;
    ompi_op_t            *op;      /**< not of put, get and compare_and_swap */
    const void           *compare; /**< of compare_and_swap; else NULL */
    bool                  single;  /**< the call takes one element of a predefined type */
} ompi_osc_ucp_args_t;

/** A call that takes the long way. */
typedef struct ompi_osc_ucp_call_t {
    ompi_osc_ucp_window_t  *window;
    const ompi_osc_ucp_args_t *args;
    int                     target;   /**< rank */
    ptrdiff_t               disp;     /**< in the target's units */
    int64_t                 gap;      /**< bytes of the last cell that may lie outside the window */
    size_t                  bytes;    /**< of data at the target */
    int                     shaped;   /**< outcome of making the layouts; errors of epoch and rank go first */
    ompi_osc_ucp_transfer_t transfer; /**< its peer and disp are set by ompi_osc_ucp_call_run */

    /** Layouts of the buffers; empty for a buffer that the call does not have. They are made before the origin side is
     *  entered: op/layout_cache.c must not be called under its lock. */
    ompi_osc_ucp_layout_t origin, result, target_layout;

    int (*verb)(ompi_osc_ucp_transfer_t *transfer); /**< calls a function of the peer's path */
} ompi_osc_ucp_call_t;

/** Set up a call, with empty layouts. */
void ompi_osc_ucp_call_init(ompi_osc_ucp_call_t *call, const ompi_osc_ucp_args_t *args, ompi_win_t *win, int target,
                            ptrdiff_t disp, ompi_request_t **request_p);

/** Make the layout of a buffer that the call may not have. `target_layout` is the target's, if that is one of bytes,
 *  else NULL: an equal buffer shares it. */
int ompi_osc_ucp_buffer_layout(const ompi_osc_ucp_buffer_t *buffer, const ompi_osc_ucp_buffer_t *target,
                               const ompi_osc_ucp_layout_t *target_layout, ompi_osc_ucp_layout_t *layout);

/** Find the peer, check epoch and range, call the verb, and free the layouts. Enters the origin side. */
int ompi_osc_ucp_call_run(ompi_osc_ucp_call_t *call);

/** Explain why a call fails (call/explain.c). Returns `rc`. */
int ompi_osc_ucp_call_failed(const ompi_osc_ucp_call_t *call, int rc) __attribute__((cold, noinline));

/** ompi_osc_ucp_call_peer for a peer that was not found recently. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_call_find(ompi_osc_ucp_window_t *window, int target);

/** The peer of that rank, for the short ways, which run outside the origin side. NULL if memory is short. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_call_peer(ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, target);

    return OPAL_LIKELY(NULL != peer) ? peer : ompi_osc_ucp_call_find(window, target);
}

/** May an operation on a mapped peer be issued now? With threads false if the peer has to be locked first. */
static inline bool ompi_osc_ucp_may_access(ompi_osc_ucp_peer_t *peer)
{
    return ompi_osc_ucp_granted(peer) || (!ompi_osc_ucp_threaded() && OMPI_SUCCESS == ompi_osc_ucp_access(peer));
}

/** Where `bytes` > 0 at `disp` of the window of a peer begin, in bytes. It is known and not mapped. False if they are
 *  not all inside. */
static inline bool ompi_osc_ucp_block_inside(const ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes,
                                             int64_t *at_p)
{
    if (MPI_WIN_FLAVOR_DYNAMIC == peer->window->flavor) {
        return !__builtin_mul_overflow((int64_t) disp, peer->disp_unit, at_p); /* the target checks its regions */
    }
    *at_p = ompi_osc_ucp_block_at(disp, peer->disp_unit, peer->size, bytes);
    return *at_p >= 0;
}

/** May a short verb be called for `bytes` > 0 at `disp` of the peer's window? *at_p is that in bytes. Inside the origin
 *  side. */
bool ompi_osc_ucp_block_begin(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes, int64_t *at_p);

#endif /* OSC_UCP_CALL_H */
