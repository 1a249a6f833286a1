/* The arrival of packets at the service side, and their order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/arrival.h"

#include <stdlib.h>

#include "service/apply.h"
#include "service/refused.h"
#include "service/reply.h"

typedef ompi_osc_ucp_arrival_t arrival_t;
typedef ompi_osc_ucp_queued_t  queued_t;

/** Commands are being applied: what else may go on does so when they are. */
static bool running;

/** Keep a packet until its turn. */
static void queue(ompi_osc_ucp_source_t *source, const arrival_t *arrival)
{
    size_t     payload_len = NULL != arrival->payload ? arrival->payload_len : 0; /* 0: the sender still has it, maybe */
    queued_t  *queued      = opal_common_ucp_malloc(sizeof(*queued) + arrival->len + payload_len);
    queued_t **at          = &source->queued;

    if (NULL == queued) {
        ompi_osc_ucp_give_up("out of memory");
    }
    queued->arrival          = *arrival;
    queued->arrival.commands = queued->data;
    memcpy(queued->data, arrival->commands, arrival->len);
    if (NULL != arrival->payload) {
        queued->arrival.payload = queued->data + arrival->len;
        memcpy(queued->data + arrival->len, arrival->payload, payload_len);
    }
    while (NULL != *at && (int32_t) ((*at)->arrival.head.sequence - arrival->head.sequence) < 0) {
        at = &(*at)->next;
    }
    queued->next = *at;
    *at          = queued;
}

/** Let go of a payload that nobody wants. */
static void payload_drop(arrival_t *arrival)
{
    ompi_osc_ucp_remote_drop(arrival->remote);
    arrival->remote = NULL;
}

/** Find the data of a command that are the packet's payload. Remote ones only a put without a layout may have. */
static bool payload_find(const arrival_t *arrival, ompi_osc_ucp_command_t *command)
{
    if (NULL == arrival->remote) {
        return ompi_osc_ucp_command_payload(command, arrival->payload, arrival->payload_len);
    }
    return OMPI_OSC_UCP_KIND_PUT == command->wire.kind && 0 == (command->wire.flags & OMPI_OSC_UCP_FLAG_LAYOUT) &&
           command->wire.len == arrival->payload_len;
}

/** Must a command wait until nothing is on its way to the window? Those that others learn from that it is there. */
static bool waits_for_puts(const ompi_osc_ucp_command_t *command)
{
    return OMPI_OSC_UCP_KIND_UNLOCK == command->wire.kind || OMPI_OSC_UCP_KIND_COMPLETE == command->wire.kind;
}

/** What is left of a packet makes no sense; the next acknowledgement tells. */
static void packet_damaged(ompi_osc_ucp_source_t *source)
{
    source->error = OMPI_ERR_BAD_PARAM;
    ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
}

/** Apply the next command. False if it has to wait, and stays the next one. */
static bool command_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, arrival_t *arrival)
{
    ompi_osc_ucp_context_t context = { .target = target, .source = source, .reply_ep = arrival->reply_ep,
                                       .run = ompi_osc_ucp_target_run };
    ompi_osc_ucp_command_t command;
    size_t                 next    = arrival->next;

    if (!ompi_osc_ucp_command_decode(arrival->commands, arrival->len, &next, &command)) {
        packet_damaged(source);
        arrival->next = arrival->len;
        return true;
    }
    if (source->receiving > 0 && waits_for_puts(&command)) {
        return false;
    }
    arrival->next = next;
    if (command.payload && !payload_find(arrival, &command)) {
        packet_damaged(source);
        return true;
    }
    if (command.payload) {
        context.remote = arrival->remote;
    }
    ompi_osc_ucp_apply(&context, &command);
    if (command.payload) {
        arrival->remote = context.remote;
    }
    return true;
}

/** Apply what is left of a packet. False if the rest has to wait. */
static bool packet_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, arrival_t *arrival)
{
    while (!source->waiting && arrival->next < arrival->len) {
        if (!command_run(target, source, arrival)) {
            return false;
        }
    }
    if (source->waiting) {
        return false;
    }
    if (0 != arrival->head.ack) {
        if (source->receiving > 0) {
            return false;
        }
        ompi_osc_ucp_reply_status(arrival->reply_ep, arrival->head.ack, source->error);
        source->error = OMPI_SUCCESS;
    }
    payload_drop(arrival);
    return true;
}

/** Apply what is queued and may be applied now. */
static void source_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source)
{
    queued_t *queued;

    while (NULL != (queued = source->queued) && queued->arrival.head.sequence == source->sequence &&
           packet_run(target, source, &queued->arrival)) {
        source->queued = queued->next;
        source->sequence++;
        free(queued);
    }
}

void ompi_osc_ucp_target_run(ompi_osc_ucp_target_t *target)
{
    ompi_osc_ucp_source_t *source;

    if (running) {
        return;
    }
    running = true;
    while (NULL != (source = target->runnable)) {
        target->runnable = source->next_runnable;
        source->runnable = false;
        source_run(target, source);
    }
    ompi_osc_ucp_replies_send();
    running = false;
}

/** Apply a packet that has no turn. What may have to wait does not come so. */
static void notice_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, arrival_t *arrival)
{
    ompi_osc_ucp_context_t context = { .target = target, .source = source, .reply_ep = arrival->reply_ep,
                                       .run = ompi_osc_ucp_target_run };
    ompi_osc_ucp_command_t command;

    while (arrival->next < arrival->len) {
        if (!ompi_osc_ucp_command_decode(arrival->commands, arrival->len, &arrival->next, &command) ||
            command.wire.kind < OMPI_OSC_UCP_KIND_POST) {
            packet_damaged(source);
            break;
        }
        ompi_osc_ucp_apply(&context, &command);
    }
    payload_drop(arrival);
}

/** Apply an ordered packet, or hold it until its turn. */
static void packet_arrived(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, arrival_t *arrival)
{
    if ((int32_t) (arrival->head.sequence - source->sequence) < 0) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED); /* its turn is over */
        payload_drop(arrival);
        return;
    }
    if (arrival->head.sequence != source->sequence || !packet_run(target, source, arrival)) {
        queue(source, arrival);
        return;
    }
    source->sequence++;
    if (NULL != source->queued) {
        source_run(target, source);
    }
}

/** May a command come when the window is freed? Nobody waits for these to arrive, but for what they tell. */
static bool may_be_late(const ompi_osc_ucp_command_t *command)
{
    return OMPI_OSC_UCP_KIND_POST == command->wire.kind || OMPI_OSC_UCP_KIND_DOORBELL == command->wire.kind;
}

/** Tell all who wait for something from a packet that there is no such window. */
static void packet_refuse(arrival_t *arrival)
{
    ompi_osc_ucp_command_t command;
    bool                   late = 0 == arrival->head.ordered && 0 == arrival->head.ack;

    while (arrival->next < arrival->len &&
           ompi_osc_ucp_command_decode(arrival->commands, arrival->len, &arrival->next, &command)) {
        late = late && may_be_late(&command);
        ompi_osc_ucp_reply_status(arrival->reply_ep, command.reply_to.cookie, OMPI_ERR_WIN);
    }
    if (!late || arrival->next < arrival->len) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_WINDOW);
    }
    ompi_osc_ucp_reply_status(arrival->reply_ep, arrival->head.ack, OMPI_ERR_WIN);
    ompi_osc_ucp_replies_send();
    payload_drop(arrival);
}

/** A message as a packet: its commands are the header, or if that is empty the data. False if it is none. */
static bool packet_of(const opal_common_ucp_message_t *message, arrival_t *arrival_p)
{
    bool        bare  = 0 == message->header_len;
    const char *bytes = bare ? message->data : message->header;
    size_t      len   = bare ? message->len : message->header_len;

    *arrival_p = (arrival_t) { .remote = message->remote, .reply_ep = message->reply_ep };
    if (NULL == bytes || len < sizeof(arrival_p->head) || NULL == message->reply_ep) {
        return false;
    }
    memcpy(&arrival_p->head, bytes, sizeof(arrival_p->head));
    arrival_p->commands = bytes + sizeof(arrival_p->head);
    arrival_p->len      = len - sizeof(arrival_p->head);
    if (!bare) {
        arrival_p->payload     = message->data;
        arrival_p->payload_len = message->len;
    }
    return true;
}

void ompi_osc_ucp_arrive(const opal_common_ucp_message_t *message)
{
    arrival_t              arrival;
    ompi_osc_ucp_target_t *target;
    ompi_osc_ucp_source_t *source;

    if (!packet_of(message, &arrival)) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
        payload_drop(&arrival);
        return;
    }
    target = ompi_osc_ucp_target_find(arrival.head.window, arrival.head.origin);
    if (NULL == target) {
        packet_refuse(&arrival);
        return;
    }
    source = ompi_osc_ucp_source_find(target, arrival.head.origin);
    if (NULL == source) {
        ompi_osc_ucp_give_up("out of memory");
    }
    source->reply_ep = arrival.reply_ep;
    running = true;
    if (0 != arrival.head.ordered) {
        packet_arrived(target, source, &arrival);
    } else {
        notice_run(target, source, &arrival);
    }
    running = false;
    ompi_osc_ucp_target_run(target);
}

ompi_osc_ucp_target_t *ompi_osc_ucp_arrive_by_fastbox(const char *bytes, size_t len, ompi_osc_ucp_fastbox_t *box,
                                                      char *more)
{
    arrival_t              arrival = { .commands = bytes + sizeof(arrival.head) };
    ompi_osc_ucp_target_t *target  = NULL;
    ompi_osc_ucp_source_t *source  = NULL;

    __atomic_store_n(&box->replied, 0, __ATOMIC_RELAXED);
    if (len >= sizeof(arrival.head)) {
        memcpy(&arrival.head, bytes, sizeof(arrival.head));
        arrival.len = len - sizeof(arrival.head);
        target      = ompi_osc_ucp_target_find(arrival.head.window, arrival.head.origin);
        source      = NULL == target ? NULL : ompi_osc_ucp_ranks_find(&target->sources, arrival.head.origin);
    }
    if (NULL == source || NULL == source->reply_ep || 0 == arrival.head.ordered) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED); /* who has a fastbox has sent messages before */
        return NULL;
    }
    arrival.reply_ep = source->reply_ep;
    running = true;
    packet_arrived(target, source, &arrival);
    running = false;
    __atomic_store_n(&box->replied, (uint32_t) ompi_osc_ucp_replies_take(arrival.reply_ep, box->replies,
                                                                          sizeof(box->replies), more,
                                                                          OMPI_OSC_UCP_FASTBOX_MORE), __ATOMIC_RELAXED);
    return target;
}

void ompi_osc_ucp_target_look(ompi_osc_ucp_target_t *target)
{
    opal_common_ucp_service_lock();
    ompi_osc_ucp_locks_look(target);
    ompi_osc_ucp_target_run(target);
    opal_common_ucp_service_unlock();
}

