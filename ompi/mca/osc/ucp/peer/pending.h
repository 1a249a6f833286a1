/* Pendings: what waits for replies, or for sends to leave. And the requests of the R calls. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PENDING_H
#define OSC_UCP_PENDING_H

#include "layout/layout.h"
#include "peer/peer.h"

/** A pending: an operation, or a query to a peer, until all its parts are over. Messages name it by its cookie, not its
 *  address, so that a stray reply does no harm. */
struct ompi_osc_ucp_pending_t {
    opal_common_ucp_completion_t completion; /**< first; for native operations (path/rdma.c) */
    uint64_t                     cookie;
    ompi_osc_ucp_peer_t         *peer;
    uint64_t                    *open;    /**< an operation's count in its peer; NULL for a query */
    ompi_request_t              *request; /**< the caller's, or NULL */
    uint32_t                     parts;   /**< outstanding: sends that use the caller's buffers, and replies */
    uint32_t                     replies; /**< outstanding replies; further ones are ignored */
    int                          status;  /**< OMPI_SUCCESS, or the last error of a part */
    void                       (*replied)(void); /**< called for each reply; may be NULL */
    uint64_t                     before;  /**< traffic.sent when this began: a reply shows that it has arrived */
    void                        *result;  /**< where the replies' data go, as `result_layout` says */
    ompi_osc_ucp_layout_t        result_layout;
    void                       (*ended)(ompi_osc_ucp_pending_t *pending); /**< called at the end; may be NULL */
    void                        *arg;     /**< for `ended` */
};

/** Make a pending with one part, which the caller ends with ompi_osc_ucp_pending_part_done. `operation`: it uses a
 *  buffer of the program's, for local completion. NULL if memory is short. */
ompi_osc_ucp_pending_t *ompi_osc_ucp_pending_new(ompi_osc_ucp_peer_t *peer, bool operation);

/** The pending that a cookie names; NULL if there is none or it has ended. */
ompi_osc_ucp_pending_t *ompi_osc_ucp_pending_find(uint64_t cookie);

/** A part is over, with an OMPI_ code. The last one ends the pending and frees it. */
void ompi_osc_ucp_pending_part_done(ompi_osc_ucp_pending_t *pending, int status);

/** A reply has arrived, or is lost; `status` is its result or the reason. */
void ompi_osc_ucp_pending_reply(ompi_osc_ucp_pending_t *pending, int status);

/** A reply to the pending that `cookie` names is lost. Nothing if there is none, such as for cookie 0. */
void ompi_osc_ucp_reply_lost(uint64_t cookie, int status);

/** Free the table of pendings. */
void ompi_osc_ucp_pendings_fini(void);

/** End all waits for replies in a window with `status`, as no member answers any more. Sends go on. */
void ompi_osc_ucp_pendings_abandon(const ompi_osc_ucp_window_t *window, int status);

/** Is there any pending? */
bool ompi_osc_ucp_pendings_exist(void);

/** Make an active request of the window. NULL if memory is short. */
ompi_request_t *ompi_osc_ucp_request_new(ompi_osc_ucp_window_t *window);

/** Complete the request of an operation on `peer`, with an OMPI_ code. An error is in the request's status. It is also
 *  returned by a later call that completes the operation, unless the program frees the request first, or `peer` is
 *  NULL: the request is of no operation. */
void ompi_osc_ucp_request_complete(ompi_request_t *request, int status, ompi_osc_ucp_peer_t *peer);

/** The error of an operation on the peer with a request, which no completing call has returned yet; else
 *  OMPI_SUCCESS. */
int ompi_osc_ucp_requests_take_error(const ompi_osc_ucp_peer_t *peer);

/** Remove the window's peers, which are freed next, from failed requests. */
void ompi_osc_ucp_requests_forget(const ompi_osc_ucp_window_t *window);

/** The window's object is freed next: failed requests must not name it, nor those of a lost window that fail later. */
void ompi_osc_ucp_requests_part(ompi_osc_ucp_window_t *window);

/** No request is waited for any more. */
void ompi_osc_ucp_requests_fini(void);

/** Has the request, which the program has not seen yet, failed already? Then it is freed, and the call that made it
 *  tells the error: else the program might free it, and no call would. */
int ompi_osc_ucp_request_failed(ompi_request_t **request_p);

/** Free a request that the program never saw; it may be NULL. */
void ompi_osc_ucp_request_discard(ompi_request_t *request);

/** The call is complete: if it wants a request, give it an empty one. Returns OMPI_SUCCESS. */
static inline int ompi_osc_ucp_request_none(ompi_request_t **request_p)
{
    if (NULL != request_p) {
        *request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

#endif /* OSC_UCP_PENDING_H */
