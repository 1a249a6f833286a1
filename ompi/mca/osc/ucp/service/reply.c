/* The replies of the service side. Replies to one packet share a message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/reply.h"

#include <stdio.h>
#include <stdlib.h>

/** Most bytes of replies in one message. */
#define ROOM (2 * OMPI_OSC_UCP_REPLY_SHARED_MAX)

_Static_assert(OMPI_OSC_UCP_FASTBOX_REPLIES + OMPI_OSC_UCP_FASTBOX_MORE >=
                   OMPI_OSC_UCP_REPLY_SHARED_MAX + 2 * sizeof(ompi_osc_ucp_wire_reply_t),
               "room for the longest shared reply and an acknowledgement");

/** A message of replies: being filled, on its way, or kept for reuse. */
typedef struct batch_t {
    struct batch_t       *next; /**< in the list of free ones */
    opal_common_ucp_ep_t *ep;
    size_t                used;
    char                  bytes[ROOM];
} batch_t;

static struct {
    batch_t *open; /**< the one being filled, or NULL */
    batch_t *free;
} batches;

static uint64_t sent; /* messages; atomic */

uint64_t ompi_osc_ucp_replies_sent(void)
{
    return __atomic_load_n(&sent, __ATOMIC_RELAXED);
}

/** Send a message. */
static void message_send(opal_common_ucp_ep_t *ep, const void *header, size_t header_len, const void *data, size_t len,
                         opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t over, void *arg)
{
    __atomic_store_n(&sent, sent + 1, __ATOMIC_RELAXED);
    if (OMPI_SUCCESS !=
        opal_common_ucp_send(OPAL_COMMON_UCP_SERVICE, ep, header, header_len, data, len, how, over, arg)) {
        ompi_osc_ucp_give_up("no connection");
    }
}

void ompi_osc_ucp_give_up(const char *reason)
{
    fprintf(stderr, "osc/ucp: %s for a peer's message: the job cannot go on\n", reason);
    abort();
}

static void batch_sent(void *arg, int status)
{
    batch_t *batch = arg;

    (void) status;
    batch->next  = batches.free;
    batches.free = batch;
}

void ompi_osc_ucp_replies_send(void)
{
    batch_t *batch = batches.open;

    if (NULL == batch) {
        return;
    }
    batches.open = NULL;
    message_send(batch->ep, NULL, 0, batch->bytes, batch->used, OPAL_COMMON_UCP_EAGER, batch_sent, batch);
}

size_t ompi_osc_ucp_replies_take(opal_common_ucp_ep_t *ep, char *room, size_t len, char *more, size_t more_len)
{
    batch_t *batch = batches.open;

    if (NULL == batch || ep != batch->ep || batch->used > len + more_len) {
        return 0;
    }
    ompi_osc_ucp_fastbox_spread(room, len, more, batch->bytes, batch->used);
    batches.open = NULL;
    batch_sent(batch, OMPI_SUCCESS);
    return batch->used;
}

char *ompi_osc_ucp_reply_add(opal_common_ucp_ep_t *ep, const ompi_osc_ucp_wire_reply_to_t *to, int status,
                             uint32_t len)
{
    const ompi_osc_ucp_wire_reply_t reply = { .cookie = to->cookie, .pos = to->pos, .len = len, .status = status };
    batch_t                        *batch = batches.open;
    char                           *room;

    if (NULL != batch && (ep != batch->ep || sizeof(reply) + len > ROOM - batch->used)) {
        ompi_osc_ucp_replies_send();
        batch = NULL;
    }
    if (NULL == batch) {
        batch = batches.free;
        if (NULL != batch) {
            batches.free = batch->next;
        } else if (NULL == (batch = opal_common_ucp_malloc(sizeof(*batch)))) {
            ompi_osc_ucp_give_up("out of memory");
        }
        batch->ep    = ep;
        batch->used  = 0;
        batches.open = batch;
    }
    memcpy(batch->bytes + batch->used, &reply, sizeof(reply));
    room = batch->bytes + batch->used + sizeof(reply);
    batch->used += sizeof(reply) + len;
    return room;
}

void ompi_osc_ucp_reply_refused(opal_common_ucp_ep_t *ep, uint64_t cookie, int status, int64_t disp)
{
    const ompi_osc_ucp_wire_reply_to_t to = { .cookie = cookie, .pos = (uint64_t) disp };

    if (NULL != ep && 0 != cookie) {
        (void) ompi_osc_ucp_reply_add(ep, &to, status, 0);
    }
}

void ompi_osc_ucp_reply_status(opal_common_ucp_ep_t *ep, uint64_t cookie, int status)
{
    ompi_osc_ucp_reply_refused(ep, cookie, status, 0);
}

static void alone_sent(void *arg, int status)
{
    (void) status;
    free(arg);
}

void ompi_osc_ucp_reply_alone(opal_common_ucp_ep_t *ep, const ompi_osc_ucp_wire_reply_to_t *to, const void *data,
                              uint32_t len, void *owned)
{
    const ompi_osc_ucp_wire_reply_t reply = { .cookie = to->cookie, .pos = to->pos, .len = len };
    opal_common_ucp_how_t           how   = len < OMPI_OSC_UCP_RENDEZVOUS_MIN ? OPAL_COMMON_UCP_EAGER
                                                                            : OPAL_COMMON_UCP_ANY;

    message_send(ep, &reply, sizeof(reply), data, len, how, alone_sent, owned);
}

void ompi_osc_ucp_replies_fini(void)
{
    batch_t *batch;

    while (NULL != (batch = batches.free)) {
        batches.free = batch->next;
        free(batch);
    }
}
