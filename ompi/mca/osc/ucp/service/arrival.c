/* The arrival of packets at the service side, and the order of their execution.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/arrival.h"

#include <stdlib.h>

#include "peer/proc.h"
#include "service/apply.h"
#include "service/locks.h"
#include "service/refused.h"
#include "service/reply.h"

typedef ompi_osc_ucp_arrival_t arrival_t;
typedef ompi_osc_ucp_queued_t  queued_t;

/** Commands are being applied. Sources that become runnable meanwhile are resumed afterwards. */
static bool running;

/** Keep a copy of a packet until it may be applied. */
static void queue(ompi_osc_ucp_source_t *source, const arrival_t *arrival)
{
    size_t     payload_len = NULL != arrival->payload ? arrival->payload_len : 0;
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

/** Drop the packet's payload, if the sender still holds it. */
static void payload_drop(arrival_t *arrival)
{
    ompi_osc_ucp_remote_drop(arrival->remote);
    arrival->remote = NULL;
}

/** Find the data of a command in the packet's payload. Only a put without a layout may leave them with the sender. */
static bool payload_find(const arrival_t *arrival, ompi_osc_ucp_command_t *command)
{
    if (NULL == arrival->remote) {
        return ompi_osc_ucp_command_payload(command, arrival->payload, arrival->payload_len);
    }
    return OMPI_OSC_UCP_KIND_PUT == command->wire.kind && 0 == (command->wire.flags & OMPI_OSC_UCP_FLAG_LAYOUT) &&
           command->wire.len == arrival->payload_len;
}

/** Must the command wait until all data of earlier puts are in the window? It lets processes read them. */
static bool waits_for_puts(const ompi_osc_ucp_command_t *command)
{
    return OMPI_OSC_UCP_KIND_UNLOCK == command->wire.kind || OMPI_OSC_UCP_KIND_COMPLETE == command->wire.kind ||
           OMPI_OSC_UCP_KIND_RAISE == command->wire.kind;
}

/** The packet cannot be decoded. The next acknowledgement says so. */
static void packet_damaged(ompi_osc_ucp_source_t *source)
{
    source->error = OMPI_ERR_BAD_PARAM;
    ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
}

/** Apply the next command of a packet. False if it has to wait; it stays the next one then. */
static bool command_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, arrival_t *arrival)
{
    ompi_osc_ucp_context_t context = { .target = target, .source = source, .reply_ep = arrival->reply_ep,
                                       .place = ompi_osc_ucp_wire_place(arrival->head.sequence, arrival->next),
                                       .run = ompi_osc_ucp_target_run };
    ompi_osc_ucp_command_t command;
    size_t                 next = arrival->next;

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

/** Apply the remaining commands of a packet, and reply to its ack. False if some have to wait. */
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
        ompi_osc_ucp_reply_refused(arrival->reply_ep, arrival->head.ack, source->error, source->error_at);
        source->error    = OMPI_SUCCESS;
        source->error_at = 0;
    }
    payload_drop(arrival);
    return true;
}

/** Apply the queued packets of a source that may be applied now. */
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

/** Apply a packet that is not ordered. Only commands that never wait may come in one. */
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
    ompi_osc_ucp_reply_status(arrival->reply_ep, arrival->head.ack, OMPI_SUCCESS);
    payload_drop(arrival);
}

/** Apply an ordered packet, or queue it. */
static void packet_arrived(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, arrival_t *arrival)
{
    if ((int32_t) (arrival->head.sequence - source->sequence) < 0) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED); /* a packet with its number was applied before */
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

/** May a command arrive after its window was freed? No process waits for the arrival of these. */
static bool may_be_late(const ompi_osc_ucp_command_t *command)
{
    return OMPI_OSC_UCP_KIND_POST == command->wire.kind || OMPI_OSC_UCP_KIND_DOORBELL == command->wire.kind ||
           OMPI_OSC_UCP_KIND_ASK == command->wire.kind;
}

/** Reply OMPI_ERR_WIN to all that waits for a reply to the packet: there is no such window. */
static void packet_refuse(arrival_t *arrival)
{
    ompi_osc_ucp_command_t command;
    bool                   late = 0 == arrival->head.ordered;

    while (arrival->next < arrival->len &&
           ompi_osc_ucp_command_decode(arrival->commands, arrival->len, &arrival->next, &command)) {
        late = late && may_be_late(&command);
        ompi_osc_ucp_reply_status(arrival->reply_ep, command.reply_to.cookie,
                                  OMPI_OSC_UCP_KIND_ASK == command.wire.kind ? OMPI_ERR_NOT_AVAILABLE : OMPI_ERR_WIN);
    }
    if (!late || arrival->next < arrival->len) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_WINDOW);
    }
    ompi_osc_ucp_reply_status(arrival->reply_ep, arrival->head.ack, OMPI_ERR_WIN);
    ompi_osc_ucp_replies_send();
    payload_drop(arrival);
}

/** A message as a packet. Head and commands are its header and the payload its data, or, without a header, its data are
 *  head and commands. False if it is no packet. */
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
    if (ompi_osc_ucp_secret != arrival.head.secret) { /* one comparison: its time tells nothing */
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_SECRET);
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
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED); /* whoever has a fastbox has sent messages before */
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
