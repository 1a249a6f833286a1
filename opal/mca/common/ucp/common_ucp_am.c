/* Active messages: sends them, and calls the handlers of those that arrive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Most messages are sent eagerly: their handler gets the data. Where the sender leaves the protocol to UCX, long data
 * go by rendezvous: they stay with the sender until the receiver names a buffer for them.
 */

#include "common_ucp_am.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common_ucp_rma.h"
#include "common_ucp_status.h"
#include "opal/constants.h"

/** Active message ids; the same on all processes. */
enum {
    AM_REQUEST = 0, /**< from an origin worker to a service worker */
    AM_REPLY   = 1  /**< from a service worker to an origin worker */
};

/** Remote data whose handler is running, by side. The handler cannot release them: its status tells UCX whether to keep
 *  them. */
static opal_common_ucp_remote_t *arriving[2];

static ucs_status_t arrived(opal_common_ucp_side_t side, const void *header, size_t header_len, void *data,
                            size_t len, const ucp_am_recv_param_t *param)
{
    bool                      remote  = 0 != (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV);
    opal_common_ucp_message_t message = {
        .header     = header,
        .header_len = header_len,
        .data       = remote ? NULL : data,
        .len        = len,
        .remote     = remote ? data : NULL
    };
    ucs_status_t              status;

    if (0 != (param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP)) {
        message.reply_ep = (opal_common_ucp_ep_t *) param->reply_ep;
    }
    arriving[side] = message.remote;
    opal_common_ucp_transport.handler[side](&message);
    status = NULL != arriving[side] ? UCS_INPROGRESS : UCS_OK;
    arriving[side] = NULL;
    return status;
}

static ucs_status_t request_arrived(void *arg, const void *header, size_t header_len, void *data, size_t len,
                                    const ucp_am_recv_param_t *param)
{
    (void) arg;
    return arrived(OPAL_COMMON_UCP_SERVICE, header, header_len, data, len, param);
}

static ucs_status_t reply_arrived(void *arg, const void *header, size_t header_len, void *data, size_t len,
                                  const ucp_am_recv_param_t *param)
{
    (void) arg;
    return arrived(OPAL_COMMON_UCP_ORIGIN, header, header_len, data, len, param);
}

ucs_status_t opal_common_ucp_handlers_set(opal_common_ucp_side_t side)
{
    bool                   service = OPAL_COMMON_UCP_SERVICE == side;
    ucp_am_handler_param_t param   = {
        .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                      UCP_AM_HANDLER_PARAM_FIELD_CB,
        .id         = service ? AM_REQUEST : AM_REPLY,
        .flags      = UCP_AM_FLAG_WHOLE_MSG,
        .cb         = service ? request_arrived : reply_arrived
    };

    return ucp_worker_set_am_recv_handler(opal_common_ucp_transport.worker[side], &param);
}

/** A message that is being sent. UCX 1.13 reads the header until the send completes. */
struct opal_common_ucp_send_t {
    opal_common_ucp_send_t      *next; /**< of the free ones, or of the deferred ones */
    opal_common_ucp_side_t       side;
    opal_common_ucp_how_t        how;
    ucp_ep_h                     ep;
    const void                  *data;
    size_t                       header_len, len;
    opal_common_ucp_sent_fn_t    sent;
    void                        *arg;
    opal_common_ucp_completion_t flushed; /**< if `how` is LEAVING */
    char                         header[OPAL_COMMON_UCP_HEADER_MAX];
};

/* By side; guarded like the worker of that side. */
static uint32_t                sends[2]; /**< how many are under way */
static opal_common_ucp_send_t *free_sends[2];

bool opal_common_ucp_origin_busy(void)
{
    return sends[OPAL_COMMON_UCP_ORIGIN] > 0 || opal_common_ucp_operations > 0;
}

static opal_common_ucp_send_t *send_get(opal_common_ucp_side_t side)
{
    opal_common_ucp_send_t *send = free_sends[side];

    if (NULL != send) {
        free_sends[side] = send->next;
        return send;
    }
    send = opal_common_ucp_malloc(sizeof(*send));
    if (NULL != send) {
        send->side = side;
    }
    return send;
}

static void send_over(opal_common_ucp_send_t *send, int status)
{
    opal_common_ucp_sent_fn_t sent = send->sent;
    void                     *arg  = send->arg;

    sends[send->side]--;
    send->next = free_sends[send->side];
    free_sends[send->side] = send;
    if (NULL != sent) {
        sent(arg, status);
    }
}

static void send_left(opal_common_ucp_completion_t *completion, int status)
{
    (void) status;
    send_over((opal_common_ucp_send_t *) (void *) ((char *) completion - offsetof(opal_common_ucp_send_t, flushed)),
              OPAL_SUCCESS);
}

/** UCX has completed the send. Over tcp part of the message may still be in UCX's buffers until the socket takes more,
 *  and the worker must be progressed until then. The completion of a flush tells that it has left. */
static void send_done(opal_common_ucp_send_t *send, int status)
{
    if (OPAL_COMMON_UCP_LEAVING == send->how && OPAL_SUCCESS == status) {
        send->flushed.done = send_left;
        if (OPAL_COMMON_UCP_UNDERWAY == opal_common_ucp_flush((opal_common_ucp_ep_t *) send->ep, &send->flushed)) {
            return;
        }
    }
    send_over(send, status);
}

static void send_completed(void *request, ucs_status_t status, void *user_data)
{
    ucp_request_free(request);
    send_done(user_data, opal_common_ucp_status(status));
}

/** Something will complete later, in progress. The service thread may be asleep, and only arriving messages wake it: so
 *  signal its worker. */
static void wake(opal_common_ucp_side_t side)
{
    if (OPAL_COMMON_UCP_SERVICE == side) {
        (void) ucp_worker_signal(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE]);
    }
}

/** Hand a send to UCX. OPAL_ERR_OUT_OF_RESOURCE: UCX has no memory for it now. Another error is tried a second time
 *  first: if a message is missing, two processes disagree on who holds a lock or waits for whom. */
static int send_start(opal_common_ucp_send_t *send)
{
    bool                reply = OPAL_COMMON_UCP_SERVICE == send->side;
    ucp_request_param_t param = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags        = (OPAL_COMMON_UCP_ANY == send->how ? 0 : UCP_AM_SEND_FLAG_EAGER) |
                        (reply ? 0 : UCP_AM_SEND_FLAG_REPLY),
        .cb.send      = send_completed,
        .user_data    = send
    };
    ucs_status_ptr_t    request;
    int                 tries = 0, rc;

    do {
        request = ucp_am_send_nbx(send->ep, reply ? AM_REPLY : AM_REQUEST,
                                  send->header, send->header_len, send->data, send->len, &param);
        rc = UCS_PTR_IS_ERR(request) ? opal_common_ucp_status(UCS_PTR_STATUS(request)) : OPAL_SUCCESS;
    } while (OPAL_SUCCESS != rc && OPAL_ERR_OUT_OF_RESOURCE != rc && ++tries < 2);
    if (OPAL_SUCCESS != rc) {
        return rc;
    }
    if (NULL == request) {
        send_done(send, OPAL_SUCCESS);
    } else {
        wake(send->side);
    }
    return OPAL_SUCCESS;
}

/* When UCX has no memory for a send, it is deferred, and so are the later ones, to keep their order. They cannot fail:
 * there is no call that could return the error, and other processes wait for these messages. */

opal_common_ucp_send_t *opal_common_ucp_deferred[2];

static void send_defer(opal_common_ucp_send_t *send)
{
    opal_common_ucp_send_t **at = &opal_common_ucp_deferred[send->side];

    while (NULL != *at) {
        at = &(*at)->next;
    }
    send->next = NULL;
    *at        = send;
    wake(send->side);
}

void opal_common_ucp_sends_retry(opal_common_ucp_side_t side)
{
    opal_common_ucp_send_t *send;
    int                     rc;

    while (NULL != (send = opal_common_ucp_deferred[side])) {
        opal_common_ucp_deferred[side] = send->next;
        rc = send_start(send);
        if (OPAL_ERR_OUT_OF_RESOURCE == rc) {
            send->next = opal_common_ucp_deferred[side];
            opal_common_ucp_deferred[side] = send;
            return;
        }
        if (OPAL_SUCCESS != rc) {
            send_done(send, rc);
        }
    }
}

int opal_common_ucp_send(opal_common_ucp_side_t side, opal_common_ucp_ep_t *ep, const void *header, size_t header_len,
                         const void *data, size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent,
                         void *arg)
{
    opal_common_ucp_send_t *send = send_get(side);
    int                     rc   = OPAL_ERR_OUT_OF_RESOURCE;

    if (NULL == send) {
        return rc;
    }
    if (header_len > 0) {
        memcpy(send->header, header, header_len);
    }
    send->ep         = (ucp_ep_h) ep;
    send->header_len = header_len;
    send->data       = data;
    send->len        = len;
    send->how        = how;
    send->sent       = sent;
    send->arg        = arg;
    sends[side]++;
    if (NULL == opal_common_ucp_deferred[side]) {
        rc = send_start(send);
    }
    if (OPAL_ERR_OUT_OF_RESOURCE == rc) {
        send_defer(send);
        rc = OPAL_SUCCESS;
    } else if (OPAL_SUCCESS != rc && OPAL_COMMON_UCP_SERVICE == side && opal_common_ucp_surviving) {
        send_over(send, rc); /* the receiver has died */
        rc = OPAL_SUCCESS;
    } else if (OPAL_SUCCESS != rc) {
        send->sent = NULL;
        send_over(send, OPAL_SUCCESS);
    }
    return rc;
}

/** A receive in progress. */
typedef struct receive_t {
    opal_common_ucp_received_fn_t received;
    void                         *arg;
} receive_t;

static void receive_done(receive_t *receive, int status)
{
    receive->received(receive->arg, status);
    free(receive);
}

/** Tell UCX that remote data will not be received. */
static void remote_drop(opal_common_ucp_side_t side, opal_common_ucp_remote_t *remote)
{
    if (remote == arriving[side]) {
        arriving[side] = NULL;
    } else {
        ucp_am_data_release(opal_common_ucp_transport.worker[side], remote);
    }
}

static void receive_completed(void *request, ucs_status_t status, size_t len, void *user_data)
{
    (void) len;
    ucp_request_free(request);
    receive_done(user_data, opal_common_ucp_status(status));
}

void opal_common_ucp_receive(opal_common_ucp_side_t side, opal_common_ucp_remote_t *remote, void *buffer, size_t len,
                             opal_common_ucp_received_fn_t received, void *arg)
{
    receive_t          *receive = opal_common_ucp_malloc(sizeof(*receive));
    ucp_request_param_t param   = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
        .cb.recv_am   = receive_completed,
        .user_data    = receive
    };
    ucs_status_ptr_t    request;

    if (NULL == buffer || NULL == receive) {
        free(receive);
        remote_drop(side, remote);
        received(arg, NULL == buffer ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE);
        return;
    }
    receive->received = received;
    receive->arg      = arg;
    request = ucp_am_recv_data_nbx(opal_common_ucp_transport.worker[side], remote, buffer, len, &param);
    if (UCS_PTR_IS_ERR(request)) {
        remote_drop(side, remote); /* else the sender waits forever */
        receive_done(receive, opal_common_ucp_status(UCS_PTR_STATUS(request)));
    } else {
        wake(side);
    }
}

void opal_common_ucp_sends_free(void)
{
    opal_common_ucp_send_t *send;
    int                     side;

    for (side = 0; side < 2; side++) {
        while (NULL != (send = opal_common_ucp_deferred[side])) {
            opal_common_ucp_deferred[side] = send->next;
            free(send);
        }
        while (NULL != (send = free_sends[side])) {
            free_sends[side] = send->next;
            free(send);
        }
    }
}
