/* The service side of a window: its life, the arrival of requests and their order, and what its owner does to it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "am_target.h"

#include <stdlib.h>

#include "am.h"
#include "am_apply.h"
#include "am_refused.h"
#include "am_reply.h"
#include "near_mail.h"

/** A packet on its way through the service side. */
typedef struct packet_t {
    ompi_osc_ucp_wire_packet_t head;
    const char                *commands;
    size_t                     len;     /**< of the commands */
    size_t                     next;    /**< offset of the next command to apply */
    const char                *payload; /**< NULL if there is none, or it is remote */
    size_t                     payload_len;
    opal_common_ucp_remote_t  *remote;  /**< the payload, if the sender still has it */
    opal_common_ucp_ep_t      *reply_ep;
} packet_t;

/** A packet whose turn has not come, with its data. */
typedef struct ompi_osc_ucp_held_t {
    struct ompi_osc_ucp_held_t *next; /**< in order of sequence */
    packet_t                    packet;
    char                        data[];
} held_t;

/** The windows of this process by id. */
static opal_hash_table_t targets;
static bool              targets_made;

/** Commands are being applied: what else may go on does so when they are. */
static bool running;

/* Arrival and order. */

static ompi_osc_ucp_source_t *source_find(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    ompi_osc_ucp_source_t *found = ompi_osc_ucp_ranks_find(&target->sources, rank);

    if (NULL != found) {
        return found;
    }
    found = opal_common_ucp_calloc(sizeof(*found));
    if (NULL != found && !ompi_osc_ucp_ranks_add(&target->sources, rank, found) &&
        !(opal_common_ucp_reserve_release() && ompi_osc_ucp_ranks_add(&target->sources, rank, found))) {
        free(found);
        found = NULL;
    }
    return found;
}

/** Keep a packet until its turn. */
static void hold(ompi_osc_ucp_source_t *source, const packet_t *packet)
{
    size_t   payload_len = NULL != packet->payload ? packet->payload_len : 0; /* 0: the sender still has it, maybe */
    held_t  *held        = opal_common_ucp_malloc(sizeof(*held) + packet->len + payload_len);
    held_t **at          = &source->held;

    if (NULL == held) {
        ompi_osc_ucp_give_up("out of memory");
    }
    held->packet          = *packet;
    held->packet.commands = held->data;
    memcpy(held->data, packet->commands, packet->len);
    if (NULL != packet->payload) {
        held->packet.payload = held->data + packet->len;
        memcpy(held->data + packet->len, packet->payload, payload_len);
    }
    while (NULL != *at && (int32_t) ((*at)->packet.head.sequence - packet->head.sequence) < 0) {
        at = &(*at)->next;
    }
    held->next = *at;
    *at        = held;
}

static void dropped(void *arg, int status)
{
    (void) arg;
    (void) status;
}

/** Let go of a payload that nobody wants. */
static void payload_drop(packet_t *packet)
{
    if (NULL != packet->remote) {
        opal_common_ucp_receive(OPAL_COMMON_UCP_SERVICE, packet->remote, NULL, 0, dropped, NULL);
        packet->remote = NULL;
    }
}

/** Find the data of a command that are the packet's payload. Remote ones only a put without a layout may have. */
static bool payload_find(const packet_t *packet, ompi_osc_ucp_command_t *command)
{
    if (NULL == packet->remote) {
        return ompi_osc_ucp_command_payload(command, packet->payload, packet->payload_len);
    }
    return OMPI_OSC_UCP_KIND_PUT == command->wire.kind && 0 == (command->wire.flags & OMPI_OSC_UCP_FLAG_LAYOUT) &&
           command->wire.len == packet->payload_len;
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
static bool command_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, packet_t *packet)
{
    ompi_osc_ucp_context_t context = { .target = target, .source = source, .reply_ep = packet->reply_ep };
    ompi_osc_ucp_command_t command;
    size_t                 next    = packet->next;

    if (!ompi_osc_ucp_command_decode(packet->commands, packet->len, &next, &command)) {
        packet_damaged(source);
        packet->next = packet->len;
        return true;
    }
    if (source->receiving > 0 && waits_for_puts(&command)) {
        return false;
    }
    packet->next = next;
    if (command.payload && !payload_find(packet, &command)) {
        packet_damaged(source);
        return true;
    }
    if (command.payload) {
        context.remote = packet->remote;
    }
    ompi_osc_ucp_apply(&context, &command);
    if (command.payload) {
        packet->remote = context.remote;
    }
    return true;
}

/** Apply what is left of a packet. False if the rest has to wait. */
static bool packet_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, packet_t *packet)
{
    while (!source->waiting && packet->next < packet->len) {
        if (!command_run(target, source, packet)) {
            return false;
        }
    }
    if (source->waiting) {
        return false;
    }
    if (0 != packet->head.ack) {
        if (source->receiving > 0) {
            return false;
        }
        ompi_osc_ucp_reply_status(packet->reply_ep, packet->head.ack, source->error);
        source->error = OMPI_SUCCESS;
    }
    payload_drop(packet);
    return true;
}

/** Apply what is held and may be applied now. */
static void source_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source)
{
    held_t *held;

    while (NULL != (held = source->held) && held->packet.head.sequence == source->sequence &&
           packet_run(target, source, &held->packet)) {
        source->held = held->next;
        source->sequence++;
        free(held);
    }
}

void ompi_osc_ucp_source_resume(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source)
{
    if (!source->runnable) {
        source->runnable      = true;
        source->next_runnable = target->runnable;
        target->runnable      = source;
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
static void notice_run(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, packet_t *packet)
{
    ompi_osc_ucp_context_t context = { .target = target, .source = source, .reply_ep = packet->reply_ep };
    ompi_osc_ucp_command_t command;

    while (packet->next < packet->len) {
        if (!ompi_osc_ucp_command_decode(packet->commands, packet->len, &packet->next, &command) ||
            command.wire.kind < OMPI_OSC_UCP_KIND_POST) {
            packet_damaged(source);
            break;
        }
        ompi_osc_ucp_apply(&context, &command);
    }
    payload_drop(packet);
}

/** Apply an ordered packet, or hold it until its turn. */
static void packet_arrived(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source, packet_t *packet)
{
    if ((int32_t) (packet->head.sequence - source->sequence) < 0) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED); /* its turn is over */
        payload_drop(packet);
        return;
    }
    if (packet->head.sequence != source->sequence || !packet_run(target, source, packet)) {
        hold(source, packet);
        return;
    }
    source->sequence++;
    if (NULL != source->held) {
        source_run(target, source);
    }
}

/** May a command come when the window is freed? Nobody waits for these to arrive, but for what they tell. */
static bool may_be_late(const ompi_osc_ucp_command_t *command)
{
    return OMPI_OSC_UCP_KIND_POST == command->wire.kind || OMPI_OSC_UCP_KIND_LOOK == command->wire.kind;
}

/** Tell all who wait for something from a packet that there is no such window. */
static void packet_refuse(packet_t *packet)
{
    ompi_osc_ucp_command_t command;
    bool                   late = 0 == packet->head.ordered && 0 == packet->head.ack;

    while (packet->next < packet->len &&
           ompi_osc_ucp_command_decode(packet->commands, packet->len, &packet->next, &command)) {
        late = late && may_be_late(&command);
        ompi_osc_ucp_reply_status(packet->reply_ep, command.reply_to.cookie, OMPI_ERR_WIN);
    }
    if (!late || packet->next < packet->len) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_WINDOW);
    }
    ompi_osc_ucp_reply_status(packet->reply_ep, packet->head.ack, OMPI_ERR_WIN);
    ompi_osc_ucp_replies_send();
    payload_drop(packet);
}

/** A message as a packet: its commands are the header, or if that is empty the data. False if it is none. */
static bool packet_of(const opal_common_ucp_message_t *message, packet_t *packet_p)
{
    bool        bare  = 0 == message->header_len;
    const char *bytes = bare ? message->data : message->header;
    size_t      len   = bare ? message->len : message->header_len;

    *packet_p = (packet_t) { .remote = message->remote, .reply_ep = message->reply_ep };
    if (NULL == bytes || len < sizeof(packet_p->head) || NULL == message->reply_ep) {
        return false;
    }
    memcpy(&packet_p->head, bytes, sizeof(packet_p->head));
    packet_p->commands = bytes + sizeof(packet_p->head);
    packet_p->len      = len - sizeof(packet_p->head);
    if (!bare) {
        packet_p->payload     = message->data;
        packet_p->payload_len = message->len;
    }
    return true;
}

static ompi_osc_ucp_target_t *target_find(uint64_t id, uint32_t origin)
{
    void                  *found = NULL;
    ompi_osc_ucp_target_t *target;

    if (targets_made) {
        (void) opal_hash_table_get_value_uint64(&targets, id, &found);
    }
    target = found;
    return NULL != target && origin < target->members ? target : NULL;
}

void ompi_osc_ucp_am_requested(const opal_common_ucp_message_t *message)
{
    packet_t               packet;
    ompi_osc_ucp_target_t *target;
    ompi_osc_ucp_source_t *source;

    if (!packet_of(message, &packet)) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
        payload_drop(&packet);
        return;
    }
    target = target_find(packet.head.window, packet.head.origin);
    if (NULL == target) {
        packet_refuse(&packet);
        return;
    }
    source = source_find(target, packet.head.origin);
    if (NULL == source) {
        ompi_osc_ucp_give_up("out of memory");
    }
    source->reply_ep = packet.reply_ep;
    running = true;
    if (0 != packet.head.ordered) {
        packet_arrived(target, source, &packet);
    } else {
        notice_run(target, source, &packet);
    }
    running = false;
    ompi_osc_ucp_target_run(target);
    if (ompi_osc_ucp_mail_lies()) {
        (void) ompi_osc_ucp_mails_take_locked();
    }
}

ompi_osc_ucp_target_t *ompi_osc_ucp_am_mailed(const char *bytes, size_t len, ompi_osc_ucp_mail_t *mail, char *more)
{
    packet_t               packet = { .commands = bytes + sizeof(packet.head) };
    ompi_osc_ucp_target_t *target = NULL;
    ompi_osc_ucp_source_t *source = NULL;

    __atomic_store_n(&mail->replied, 0, __ATOMIC_RELAXED);
    if (len >= sizeof(packet.head)) {
        memcpy(&packet.head, bytes, sizeof(packet.head));
        packet.len = len - sizeof(packet.head);
        target     = target_find(packet.head.window, packet.head.origin);
        source     = NULL == target ? NULL : ompi_osc_ucp_ranks_find(&target->sources, packet.head.origin);
    }
    if (NULL == source || NULL == source->reply_ep || 0 == packet.head.ordered) {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED); /* who hands over mails has sent messages before */
        return NULL;
    }
    packet.reply_ep = source->reply_ep;
    running = true;
    packet_arrived(target, source, &packet);
    running = false;
    __atomic_store_n(&mail->replied, (uint32_t) ompi_osc_ucp_replies_take(packet.reply_ep, mail->replies,
                                                                          sizeof(mail->replies), more,
                                                                          OMPI_OSC_UCP_MAIL_MORE), __ATOMIC_RELAXED);
    return target;
}

/* What the process does to its own. */

bool ompi_osc_ucp_target_take_post(ompi_osc_ucp_target_t *target, uint32_t rank)
{
    ompi_osc_ucp_source_t *source;
    bool                   taken = false;

    opal_common_ucp_service_lock();
    source = source_find(target, rank);
    if (NULL != source && source->posts > 0) {
        source->posts--;
        taken = true;
    }
    opal_common_ucp_service_unlock();
    return taken;
}

bool ompi_osc_ucp_target_place(uint64_t id, uint32_t rank, uint64_t disp, uint64_t bytes, char **place_p,
                               int32_t *pid_p)
{
    const ompi_osc_ucp_target_t *target;
    const ompi_osc_ucp_source_t *source = NULL;
    bool                         good   = false;

    if (!opal_common_ucp_service_trylock()) {
        return false;
    }
    target = target_find(id, rank);
    if (NULL != target && NULL != target->base && !target->device) {
        source = ompi_osc_ucp_ranks_find(&target->sources, rank);
    }
    if (NULL != source && 0 != source->process.head && disp <= (uint64_t) target->bytes &&
        bytes <= (uint64_t) target->bytes - disp) {
        *place_p = target->base + disp;
        *pid_p   = source->process.pid;
        good     = true;
    }
    opal_common_ucp_service_unlock();
    return good;
}

void ompi_osc_ucp_target_look(ompi_osc_ucp_target_t *target)
{
    opal_common_ucp_service_lock();
    ompi_osc_ucp_locks_look(target);
    ompi_osc_ucp_target_run(target);
    opal_common_ucp_service_unlock();
}

/* Life. */

ompi_osc_ucp_target_t *ompi_osc_ucp_target_new(ompi_osc_ucp_window_t *window)
{
    bool                   dynamic = MPI_WIN_FLAVOR_DYNAMIC == window->flavor;
    ompi_osc_ucp_target_t *target  = calloc(1, sizeof(*target));

    if (NULL == target) {
        return NULL;
    }
    target->window      = window;
    target->members     = (uint32_t) window->size;
    target->base        = dynamic ? NULL : window->base;
    target->bytes       = window->bytes;
    target->device      = window->device;
    target->control     = window->control;
    target->stripes     = window->stripes;
    target->key_base    = window->key_base;
    target->regions     = dynamic ? ompi_osc_ucp_regions_new() : NULL;
    if (dynamic && NULL == target->regions) {
        ompi_osc_ucp_target_free(target);
        return NULL;
    }
    return target;
}

static void source_free(ompi_osc_ucp_source_t *source)
{
    held_t *held;

    while (NULL != (held = source->held)) {
        source->held = held->next;
        payload_drop(&held->packet);
        free(held);
    }
    free(source);
}

void ompi_osc_ucp_target_free(ompi_osc_ucp_target_t *target)
{
    ompi_osc_ucp_source_t *source;
    uint32_t               at = 0;

    while (NULL != (source = ompi_osc_ucp_ranks_next(&target->sources, &at))) {
        source_free(source);
    }
    ompi_osc_ucp_ranks_fini(&target->sources);
    if (NULL != target->regions) {
        ompi_osc_ucp_regions_free(target->regions);
    }
    free(target);
}

static int target_add(ompi_osc_ucp_target_t *target, uint64_t id)
{
    void *found = NULL;

    if (!targets_made) {
        OBJ_CONSTRUCT(&targets, opal_hash_table_t);
        if (OPAL_SUCCESS != opal_hash_table_init(&targets, 32)) {
            OBJ_DESTRUCT(&targets);
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        targets_made = true;
    }
    if (OPAL_SUCCESS == opal_hash_table_get_value_uint64(&targets, id, &found)) {
        return OMPI_EXISTS;
    }
    return opal_hash_table_set_value_uint64(&targets, id, target);
}

int ompi_osc_ucp_target_publish(ompi_osc_ucp_target_t *target, uint64_t id)
{
    int rc;

    opal_common_ucp_service_lock();
    rc = target_add(target, id);
    if (OMPI_SUCCESS == rc) {
        target->id = id;
    }
    opal_common_ucp_service_unlock();
    return rc;
}

void ompi_osc_ucp_target_withdraw(ompi_osc_ucp_target_t *target)
{
    opal_common_ucp_service_lock();
    opal_hash_table_remove_value_uint64(&targets, target->id);
    opal_common_ucp_service_unlock();
}

void ompi_osc_ucp_targets_fini(void)
{
    if (targets_made) {
        OBJ_DESTRUCT(&targets);
        targets_made = false;
    }
}
