/* What put, get and the accumulate family have in common: check and peer, of the way check, peer, path.
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

/** A buffer argument of a call; one that is absent has no type. */
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

/** A call on its long way. */
typedef struct ompi_osc_ucp_call_t {
    ompi_osc_ucp_window_t  *window;
    int                     target;   /**< rank */
    ptrdiff_t               disp;     /**< in the target's units */
    int64_t                 gap;      /**< so many bytes of the last cell may lie outside of the window */
    size_t                  bytes;    /**< of data at the target */
    int                     shaped;   /**< what became of the layouts; an error of theirs comes after others */
    ompi_osc_ucp_transfer_t transfer; /**< its peer and disp are set on the way */

    /** The shapes of the buffers; one that is absent has the empty one. They are made before the origin side is entered
     *  (op/layout_cache.c). */
    ompi_osc_ucp_layout_t origin, result, target_layout;

    int (*verb)(ompi_osc_ucp_transfer_t *transfer); /**< calls the peer's path */
} ompi_osc_ucp_call_t;

/** A call whose layouts are empty. */
void ompi_osc_ucp_call_init(ompi_osc_ucp_call_t *call, ompi_win_t *win, int target, ptrdiff_t disp,
                            ompi_request_t **request_p);

/** The layout of a buffer that may be absent, given the target's, which is of bytes; NULL if it is not. */
int ompi_osc_ucp_buffer_layout(const ompi_osc_ucp_buffer_t *buffer, const ompi_osc_ucp_buffer_t *target,
                               const ompi_osc_ucp_layout_t *target_layout, ompi_osc_ucp_layout_t *layout);

/** Check epoch and range, find the peer, carry the call out, and free its layouts. */
int ompi_osc_ucp_call_run(ompi_osc_ucp_call_t *call);

/** As ompi_osc_ucp_call_peer, for one that is not among the recent ones. */
ompi_osc_ucp_peer_t *ompi_osc_ucp_call_find(ompi_osc_ucp_window_t *window, int target);

/** The target, for the short ways: asked for outside the origin side. NULL if memory is short. */
static inline ompi_osc_ucp_peer_t *ompi_osc_ucp_call_peer(ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, target);

    return OPAL_LIKELY(NULL != peer) ? peer : ompi_osc_ucp_call_find(window, target);
}

/** May an operation on a mapped peer be issued now? With threads, only what needs no lock first. */
static inline bool ompi_osc_ucp_may_access(ompi_osc_ucp_peer_t *peer)
{
    return ompi_osc_ucp_granted(peer) || (!ompi_osc_ucp_threaded() && OMPI_SUCCESS == ompi_osc_ucp_access(peer));
}

/** May a short verb do with `bytes` > 0 at `disp` of the peer's window now? *at_p is that in bytes. Inside. */
bool ompi_osc_ucp_block_begin(ompi_osc_ucp_peer_t *peer, ptrdiff_t disp, uint64_t bytes, int64_t *at_p);

#endif /* OSC_UCP_CALL_H */
