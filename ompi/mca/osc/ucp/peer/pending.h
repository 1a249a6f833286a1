/* What waits for a message from a peer, or for one to leave. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PENDING_H
#define OSC_UCP_PENDING_H

#include "layout/layout.h"
#include "peer/window.h"
#include "peer/peer.h"

/**
 * An operation, or a question to a peer, until all its parts are over. Messages name it by a cookie, never by its
 * address, so that a stray reply finds nothing.
 */
struct ompi_osc_ucp_pending_t {
    opal_common_ucp_completion_t completion; /**< first; of native operations (path/rdma.c) */
    uint64_t              cookie;
    ompi_osc_ucp_peer_t  *peer;
    uint64_t             *open;      /**< an operation's count in its peer; NULL for a question */
    ompi_request_t       *request;   /**< the caller's, or NULL */
    uint32_t              parts;     /**< outstanding: sends that use the caller's buffers, replies to come */
    uint32_t              replies;   /**< of these; a reply beyond that is none */
    int                   status;
    void (*replied)(void);           /**< called for each reply; may be NULL */
    uint64_t              before;    /**< its peer's traffic when this began: a reply tells that it has arrived */
    void                 *result;    /**< where replies go, laid out as follows */
    ompi_osc_ucp_layout_t result_layout;
    void (*ended)(ompi_osc_ucp_pending_t *pending); /**< called once, before it is released; may be NULL */
    void                 *arg;       /**< for `ended` */
};

/** A new one with one part, which its maker ends with ompi_osc_ucp_pending_part_done. NULL if memory is short. */
ompi_osc_ucp_pending_t *ompi_osc_ucp_pending_new(ompi_osc_ucp_peer_t *peer, bool operation);
ompi_osc_ucp_pending_t *ompi_osc_ucp_pending_find(uint64_t cookie);
void ompi_osc_ucp_pending_part_done(ompi_osc_ucp_pending_t *pending, int status);

/** A reply is here, or will not come: `status` is why. */
void ompi_osc_ucp_pending_reply(ompi_osc_ucp_pending_t *pending, int status);

/** The same for what the cookie names; 0, and what has ended, are nobody's. */
void ompi_osc_ucp_reply_lost(uint64_t cookie, int status);

void ompi_osc_ucp_pendings_fini(void);

/** Nobody answers any more in this window: end what waits for that, with `status`. What UCX has to send goes on. */
void ompi_osc_ucp_pendings_abandon(const ompi_osc_ucp_window_t *window, int status);

/** Does anything wait for a message? */
bool ompi_osc_ucp_pendings_exist(void);

/** An active request of the window; completed by ompi_osc_ucp_request_complete. NULL if memory is short. */
ompi_request_t *ompi_osc_ucp_request_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_request_complete(ompi_request_t *request, int status);

/** Give back a request that the caller never saw; NULL is nothing. */
void ompi_osc_ucp_request_discard(ompi_request_t *request);

/** The call that wants a request, if it wants one, is over. */
static inline int ompi_osc_ucp_request_none(ompi_request_t **request_p)
{
    if (NULL != request_p) {
        *request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

#endif /* OSC_UCP_PENDING_H */
