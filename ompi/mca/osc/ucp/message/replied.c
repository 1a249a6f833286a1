/* Incoming replies. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "message/message.h"

#include <stdlib.h>

#include "peer/pending.h"
#include "service/refused.h"
#include "wire/wire.h"

/** Data of a reply that UCX is receiving. */
typedef struct incoming_t {
    ompi_osc_ucp_pending_t *pending;
    uint64_t                pos, len;
    char                   *staging; /**< malloc'd, if the result is not contiguous; else NULL */
} incoming_t;

static void reply_unpack(ompi_osc_ucp_pending_t *pending, uint64_t pos, const void *data, uint64_t len)
{
    ompi_osc_ucp_layout_iter_t iter;

    if (ompi_osc_ucp_layout_is_contiguous(&pending->result_layout)) {
        memcpy((char *) pending->result + pending->result_layout.lb + pos, data, len);
    } else {
        ompi_osc_ucp_layout_iter_init(&iter, &pending->result_layout, pos);
        ompi_osc_ucp_layout_unpack(&iter, pending->result, data, len);
    }
}

static void reply_received(void *arg, int status)
{
    incoming_t *incoming = arg;

    if (OMPI_SUCCESS == status && NULL != incoming->staging) {
        reply_unpack(incoming->pending, incoming->pos, incoming->staging, incoming->len);
    }
    ompi_osc_ucp_pending_reply(incoming->pending, status);
    free(incoming->staging);
    free(incoming);
}

static void dropped(void *arg, int status)
{
    (void) arg;
    (void) status;
}

/** Receive the data of a reply, which the target still holds. */
static void reply_receive(ompi_osc_ucp_pending_t *pending, uint64_t pos, const opal_common_ucp_message_t *message)
{
    bool        contiguous = ompi_osc_ucp_layout_is_contiguous(&pending->result_layout);
    incoming_t *incoming   = opal_common_ucp_malloc(sizeof(*incoming));
    char       *buffer     = NULL;

    if (NULL != incoming) {
        *incoming = (incoming_t) { .pending = pending, .pos = pos, .len = message->len };
        incoming->staging = contiguous ? NULL : opal_common_ucp_malloc(message->len);
        buffer = contiguous ? (char *) pending->result + pending->result_layout.lb + pos : incoming->staging;
    }
    if (NULL == buffer) {
        free(incoming);
        opal_common_ucp_receive(OPAL_COMMON_UCP_ORIGIN, message->remote, NULL, 0, dropped, NULL);
        ompi_osc_ucp_pending_reply(pending, OMPI_ERR_OUT_OF_RESOURCE);
        return;
    }
    opal_common_ucp_receive(OPAL_COMMON_UCP_ORIGIN, message->remote, buffer, message->len, reply_received, incoming);
}

/** Do the reply's data fit? The reply to a refused command has none. */
static bool reply_fits(const ompi_osc_ucp_wire_reply_t *reply, const ompi_osc_ucp_pending_t *pending)
{
    return OMPI_SUCCESS != reply->status ? 0 == reply->len
                                         : reply->pos <= pending->result_layout.size &&
                                               reply->len <= pending->result_layout.size - reply->pos;
}

/** The pending that the reply is for, if its data fit there; else the reply is refused, and this is NULL. */
static ompi_osc_ucp_pending_t *reply_find(const ompi_osc_ucp_wire_reply_t *reply)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_find(reply->cookie);

    if (NULL != pending && (0 == pending->replies || !reply_fits(reply, pending))) {
        pending = NULL;
    }
    if (NULL != pending && OPAL_UNLIKELY(OMPI_SUCCESS != reply->status)) {
        pending->peer->window->refused.rank = pending->peer->rank;
        pending->peer->window->refused.at   = (int64_t) reply->pos;
    }
    if (NULL == pending) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_ANSWER);
    } else if (pending->before > 0 && pending->before > pending->peer->proc->traffic.arrived) {
        pending->peer->proc->traffic.arrived = pending->before;
    }
    return pending;
}

/** A reply in a message of its own: the reply is the message's header, and its data are the message's data. */
static void reply_alone(const opal_common_ucp_message_t *message)
{
    ompi_osc_ucp_wire_reply_t reply;
    ompi_osc_ucp_pending_t   *pending = NULL;

    if (sizeof(reply) == message->header_len) {
        memcpy(&reply, message->header, sizeof(reply));
    }
    if (sizeof(reply) == message->header_len && reply.len == message->len) {
        pending = reply_find(&reply);
    } else {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
    }
    if (NULL == pending) {
        if (NULL != message->remote) {
            opal_common_ucp_receive(OPAL_COMMON_UCP_ORIGIN, message->remote, NULL, 0, dropped, NULL);
        }
    } else if (NULL != message->remote) {
        reply_receive(pending, reply.pos, message);
    } else {
        reply_unpack(pending, reply.pos, message->data, message->len);
        ompi_osc_ucp_pending_reply(pending, reply.status);
    }
}

void ompi_osc_ucp_replied(const opal_common_ucp_message_t *message)
{
    const char               *at   = message->data;
    size_t                    left = message->len;
    ompi_osc_ucp_wire_reply_t reply;
    ompi_osc_ucp_pending_t   *pending;

    if (message->header_len > 0 || NULL != message->remote) {
        reply_alone(message);
        return;
    }
    while (left >= sizeof(reply)) {
        memcpy(&reply, at, sizeof(reply));
        at   += sizeof(reply);
        left -= sizeof(reply);
        if (reply.len > left) {
            ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
            return;
        }
        pending = reply_find(&reply);
        if (NULL != pending) {
            if (reply.len > 0) {
                reply_unpack(pending, reply.pos, at, reply.len);
            }
            ompi_osc_ucp_pending_reply(pending, reply.status);
        }
        at   += reply.len;
        left -= reply.len;
    }
    if (left > 0) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
    }
}
