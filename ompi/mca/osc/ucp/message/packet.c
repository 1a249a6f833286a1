/* Packets: short operations to one target share a message. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "message/packet.h"

#include <stdlib.h>

#include "base/wait.h"
#include "message/fastbox.h"
#include "peer/pending.h"

/** Most packets of this process that are open or being sent. An operation that needs another one waits. */
#define PACKETS_MAX 256

typedef ompi_osc_ucp_packet_t packet_t;

_Static_assert(OMPI_OSC_UCP_PACKET_ROOM <= OMPI_OSC_UCP_PLACES_PER_PACKET, "each command has a place of its own");

static struct {
    packet_t *open; /**< of all peers */
    packet_t *free;
    uint32_t  used; /**< packets that are open or being sent */
} packets;

/** Make an open packet for the peer; NULL if memory is short. */
static packet_t *packet_open(ompi_osc_ucp_peer_t *peer)
{
    packet_t *packet = packets.free;

    if (NULL != packet) {
        packets.free = packet->next;
    } else if (NULL == (packet = opal_common_ucp_malloc(sizeof(*packet)))) {
        return NULL;
    }
    packets.used++;
    packet->peer       = peer;
    packet->awaited    = NULL;
    packet->used       = 0;
    packet->operations = 0;
    packet->last_end   = UINT32_MAX;
    packet->grant      = NULL;
    packet->head.ack   = 0;
    packet->prev       = NULL;
    packet->next       = packets.open;
    if (NULL != packet->next) {
        packet->next->prev = packet;
    }
    packets.open = packet;
    peer->packet = packet;
    return packet;
}

/** Note a lost connection, and pass on the outcome: the window will be lost, too (layer/survive.c). */
static int outcome(ompi_osc_ucp_peer_t *peer, int rc)
{
    if (OPAL_UNLIKELY(OMPI_ERR_WIN == rc)) {
        __atomic_store_n(&peer->window->failing, true, __ATOMIC_RELAXED);
    }
    return rc;
}

ompi_osc_ucp_packet_t *ompi_osc_ucp_packet_open(ompi_osc_ucp_peer_t *peer)
{
    return NULL != peer->ep && OMPI_SUCCESS == peer->broken && packets.used < PACKETS_MAX ? packet_open(peer) : NULL;
}

/** The packet was not sent: end what waits for replies to it. */
static void packet_lost(const packet_t *packet, int status)
{
    ompi_osc_ucp_command_t command;
    size_t                 at = 0;

    while (at < packet->used && ompi_osc_ucp_command_decode(packet->commands, packet->used, &at, &command)) {
        ompi_osc_ucp_reply_lost(command.reply_to.cookie, status);
    }
    ompi_osc_ucp_reply_lost(packet->head.ack, status);
}

/** The packet has left, or it was lost. After a lost one, the target would apply no later packet: none is sent. */
static void packet_sent(void *arg, int status)
{
    packet_t *packet = arg;

    if (OMPI_SUCCESS != status) {
        packet->peer->broken = outcome(packet->peer, status);
        packet->peer->error  = status;
        packet_lost(packet, status);
    }
    if (NULL != packet->awaited) {
        ompi_osc_ucp_awaited_less(packet->awaited);
    }
    packets.used--;
    packet->next = packets.free;
    packets.free = packet;
}

/** A socket takes at least so many bytes that nobody has read yet. Linux begins with room for about twice as many. */
#define SOCKET_HOLDS (32 * 1024)

/** Bytes that the kernel needs for a message, besides its own. */
#define MESSAGE_COST 1536

/** The peer has answered what traffic_ask asked. */
static void traffic_told(ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_peer_t *peer = pending->peer;

    peer->proc->traffic.asked = false;
    peer->asking--;
    if (OMPI_SUCCESS != pending->status) {
        peer->error = pending->status;
    }
}

bool ompi_osc_ucp_traffic_is_unsettled(const ompi_osc_ucp_peer_t *peer)
{
    return NULL != peer->ep && peer->proc->traffic.sent - peer->proc->traffic.arrived > SOCKET_HOLDS / 2;
}

/** Ask the peer to answer, long before a socket can be full. A message that must leave then needs no flush, in which
 *  the peer would have to take part. Nobody waits for the answer. Returns its cookie, or 0 if there is nothing to
 *  ask. */
static uint64_t traffic_ask(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_pending_t *pending = NULL;

    if (!peer->window->closing && ompi_osc_ucp_traffic_is_unsettled(peer) && !peer->proc->traffic.asked) {
        pending = ompi_osc_ucp_pending_new(peer, false);
    }
    if (NULL == pending) {
        return 0;
    }
    pending->ended   = traffic_told;
    pending->replies = 1;
    peer->asking++;
    peer->proc->traffic.asked = true;
    return pending->cookie;
}

static void count_message(ompi_osc_ucp_peer_t *peer, size_t bytes)
{
    peer->window->counters.messages++;
    peer->window->counters.message_bytes += bytes;
}

/** Send a message to the peer. A LEAVING message needs no flush if a socket can hold all that has not arrived yet. */
static int message_send(ompi_osc_ucp_peer_t *peer, const void *header, size_t header_len, const void *data, size_t len,
                        opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent, void *arg)
{
    ompi_osc_ucp_traffic_t *traffic = &peer->proc->traffic;

    traffic->sent += MESSAGE_COST + header_len + len;
    if (OPAL_COMMON_UCP_LEAVING == how) {
        if (traffic->sent - traffic->arrived <= SOCKET_HOLDS) {
            how = OPAL_COMMON_UCP_EAGER;
        } else {
            traffic->arrived = traffic->sent; /* true when the flush is over, for which the sender waits */
        }
    }
    count_message(peer, header_len + len);
    return opal_common_ucp_send(OPAL_COMMON_UCP_ORIGIN, peer->ep, header, header_len, data, len, how, sent, arg);
}

static void head_fill(ompi_osc_ucp_wire_packet_t *head, const ompi_osc_ucp_peer_t *peer, bool ordered)
{
    head->secret   = peer->proc->secret;
    head->window   = peer->window->id;
    head->origin   = (uint32_t) peer->window->rank & INT32_MAX;
    head->sequence = peer->sequence;
    head->ordered  = ordered;
}

static void granted(ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_locks.ungranted--;
    pending->peer->granting = false;
    if (OMPI_SUCCESS != pending->status) {
        pending->peer->error = pending->status;
    }
}

/** The packet requests a lock that it does not release: ask for a reply when it is granted. */
static void ask_for_grant(packet_t *packet)
{
    char *command = packet->commands + packet->lock_at;

    packet->grant->replies = 1;
    packet->peer->granting = true;
    packet->peer->window->counters.lock_waits++;
    memcpy(command + sizeof(ompi_osc_ucp_wire_command_t), &packet->grant->cookie, sizeof(packet->grant->cookie));
}

/** Send an open packet. packet_sent handles failures. `for_reply`: the caller waits for a reply next. */
static void packet_send(packet_t *packet, bool for_reply)
{
    ompi_osc_ucp_peer_t *peer = packet->peer;
    int                  rc   = peer->broken;

    peer->packet = NULL;
    if (NULL != packet->prev) {
        packet->prev->next = packet->next;
    } else {
        packets.open = packet->next;
    }
    if (NULL != packet->next) {
        packet->next->prev = packet->prev;
    }
    if (NULL != packet->grant) {
        ask_for_grant(packet);
    }
    head_fill(&packet->head, peer, true);
    peer->window->counters.coalesced += packet->operations > 1 ? packet->operations : 0;
    if (for_reply && OMPI_SUCCESS == rc &&
        ompi_osc_ucp_fastbox_post(peer, &packet->head, sizeof(packet->head) + packet->used)) {
        count_message(peer, sizeof(packet->head) + packet->used);
        peer->sequence++;
        packet_sent(packet, OMPI_SUCCESS);
        return;
    }
    if (OMPI_SUCCESS == rc) {
        rc = message_send(peer, NULL, 0, &packet->head, sizeof(packet->head) + packet->used,
                          NULL != packet->awaited ? OPAL_COMMON_UCP_LEAVING : OPAL_COMMON_UCP_EAGER, packet_sent,
                          packet);
    }
    if (OMPI_SUCCESS == rc) {
        peer->sequence++;
    } else {
        packet_sent(packet, rc);
    }
}

void ompi_osc_ucp_packet_release(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->packet) {
        packet_send(peer->packet, false);
    }
}

void ompi_osc_ucp_packet_release_for_reply(ompi_osc_ucp_peer_t *peer)
{
    if (NULL != peer->packet) {
        packet_send(peer->packet, true);
    }
}

void ompi_osc_ucp_packets_release_all(void)
{
    packet_t *packet, *next;

    for (packet = packets.open; NULL != packet; packet = next) {
        next = packet->next;
        if (!packet->peer->granting) {
            packet_send(packet, false);
        }
    }
}

/** Send the open packet as soon as the peer's lock is granted: the target would have to queue it until then. */
static void release_when_granted(ompi_osc_ucp_peer_t *peer)
{
    while (NULL != peer->packet && peer->granting) {
        ompi_osc_ucp_wait_step();
    }
    ompi_osc_ucp_packet_release(peer);
}

/** Connect to the peer, unless an ordered message was lost. */
static int peer_ready(ompi_osc_ucp_peer_t *peer)
{
    return OMPI_SUCCESS != peer->broken ? peer->broken : outcome(peer, ompi_osc_ucp_peer_connect(peer));
}

/** Room for a command of synchronization: does not wait for other packets, so PACKETS_MAX may be exceeded. */
static char *reserve_at_once(ompi_osc_ucp_peer_t *peer, size_t len, int *rc_p)
{
    packet_t *packet;
    char     *room;

    *rc_p = peer_ready(peer);
    if (OMPI_SUCCESS != *rc_p) {
        return NULL;
    }
    if (NULL != peer->packet && peer->packet->used + len > OMPI_OSC_UCP_PACKET_ROOM) {
        ompi_osc_ucp_packet_release(peer);
    }
    packet = NULL != peer->packet ? peer->packet : packet_open(peer);
    if (NULL == packet) {
        *rc_p = OMPI_ERR_OUT_OF_RESOURCE;
        return NULL;
    }
    room = packet->commands + packet->used;
    packet->used += (uint32_t) len;
    return room;
}

char *ompi_osc_ucp_packet_reserve(ompi_osc_ucp_peer_t *peer, size_t len, int *rc_p)
{
    packet_t *packet = peer->packet;
    char     *room;

    if (NULL != packet && packet->used + len <= OMPI_OSC_UCP_PACKET_ROOM) {
        room = packet->commands + packet->used;
        packet->used += (uint32_t) len;
        packet->operations++;
        *rc_p = OMPI_SUCCESS;
        return room;
    }
    /* While this waits, other threads may open and fill a packet for the same peer. */
    do {
        if (NULL != peer->packet) {
            release_when_granted(peer);
        }
        while (NULL == peer->packet && packets.used >= PACKETS_MAX) {
            ompi_osc_ucp_wait_step();
        }
    } while (NULL != peer->packet && peer->packet->used + len > OMPI_OSC_UCP_PACKET_ROOM);
    room = reserve_at_once(peer, len, rc_p);
    if (NULL != room) {
        peer->packet->operations++;
    }
    return room;
}

int ompi_osc_ucp_packet_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    const ompi_osc_ucp_command_t command = {
        .wire = { .kind  = OMPI_OSC_UCP_KIND_LOCK,
                  .flags = (uint8_t) (OMPI_OSC_UCP_FLAG_REPLY | (exclusive ? OMPI_OSC_UCP_FLAG_EXCLUSIVE : 0) |
                                      (ompi_osc_ucp_joins(exclusive) ? OMPI_OSC_UCP_FLAG_JOIN : 0)) }
    };
    ompi_osc_ucp_pending_t *grant = ompi_osc_ucp_pending_new(peer, false);
    char                   *room;
    int                     rc;

    if (NULL == grant) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    room = reserve_at_once(peer, sizeof(command.wire) + sizeof(command.reply_to), &rc);
    if (NULL == room) {
        ompi_osc_ucp_pending_part_done(grant, OMPI_SUCCESS);
        return rc;
    }
    ompi_osc_ucp_command_encode(&command, room);
    grant->ended          = granted;
    peer->packet->lock_at = (uint32_t) (room - peer->packet->commands);
    peer->packet->grant   = grant;
    ompi_osc_ucp_locks.ungranted++;
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_packet_await_grant(ompi_osc_ucp_peer_t *peer)
{
    while (peer->granting || (NULL != peer->packet && NULL != peer->packet->grant)) {
        if (!peer->granting) {
            ompi_osc_ucp_packet_release(peer);
        }
        ompi_osc_ucp_wait_step();
    }
}

void ompi_osc_ucp_packets_settle_locks(void)
{
    packet_t *packet, *next;

    while (ompi_osc_ucp_locks.ungranted > 0) {
        for (packet = packets.open; NULL != packet; packet = next) {
            next = packet->next;
            if (NULL != packet->grant) {
                packet_send(packet, false);
            }
        }
        ompi_osc_ucp_wait_step();
    }
}

/** Append a command without reply and data. */
static int append_bare(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, uint8_t flags)
{
    const ompi_osc_ucp_command_t command = { .wire = { .kind = (uint8_t) kind, .flags = flags } };
    int                          rc;
    char                        *room = reserve_at_once(peer, sizeof(command.wire), &rc);

    if (NULL != room) {
        ompi_osc_ucp_command_encode(&command, room);
    }
    return rc;
}

int ompi_osc_ucp_packet_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    uint8_t                 flags = exclusive ? OMPI_OSC_UCP_FLAG_EXCLUSIVE : 0;
    int                     rc    = append_bare(peer, OMPI_OSC_UCP_KIND_UNLOCK, flags);
    ompi_osc_ucp_pending_t *grant;

    if (OMPI_SUCCESS == rc && NULL != (grant = peer->packet->grant)) {
        peer->packet->grant = NULL;
        grant->ended        = NULL;
        ompi_osc_ucp_pending_part_done(grant, OMPI_SUCCESS);
        ompi_osc_ucp_locks.ungranted--;
    }
    return rc;
}

int ompi_osc_ucp_packet_complete(ompi_osc_ucp_peer_t *peer)
{
    return append_bare(peer, OMPI_OSC_UCP_KIND_COMPLETE, 0);
}

void ompi_osc_ucp_packet_release_awaited(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    peer->packet->awaited  = awaited;
    peer->packet->head.ack = traffic_ask(peer);
    (*awaited)++;
    packet_send(peer->packet, false);
}

int ompi_osc_ucp_packet_release_for_ack(ompi_osc_ucp_peer_t *peer, uint64_t ack)
{
    int rc;

    if (NULL != reserve_at_once(peer, 0, &rc)) {
        peer->packet->head.ack = ack;
        packet_send(peer->packet, true);
    }
    return rc;
}

/** A head and a command, as one header. */
typedef struct message_t {
    ompi_osc_ucp_wire_packet_t head;
    char                       command[OMPI_OSC_UCP_COMMAND_MAX];
} message_t;

_Static_assert(sizeof(message_t) <= OPAL_COMMON_UCP_HEADER_MAX, "it travels as a header");

/** Send a command as a message of its own. One that is LEAVING may ask the peer to answer. */
static int command_send(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command, bool ordered,
                        const void *payload, size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent,
                        void *arg)
{
    message_t message = { .head.ack = OPAL_COMMON_UCP_LEAVING == how ? traffic_ask(peer) : 0 };
    size_t    header_len;
    int       rc;

    head_fill(&message.head, peer, ordered);
    header_len = sizeof(message.head) + ompi_osc_ucp_command_encode(command, message.command);
    rc = message_send(peer, &message, header_len, payload, len, how, sent, arg);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_reply_lost(message.head.ack, rc);
    }
    return outcome(peer, rc);
}

int ompi_osc_ucp_packet_frag(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command, const void *payload,
                             size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent, void *arg)
{
    int rc = peer_ready(peer);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    do {
        release_when_granted(peer);
        while (peer->granting) {
            ompi_osc_ucp_wait_step();
        }
    } while (NULL != peer->packet); /* another thread may have opened one */
    if (OMPI_SUCCESS != peer->broken) {
        return peer->broken; /* lost while this waited */
    }
    rc = command_send(peer, command, true, payload, len, how, sent, arg);
    if (OMPI_SUCCESS == rc) {
        peer->sequence++;
    }
    return rc;
}

int ompi_osc_ucp_packet_notify(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command,
                               opal_common_ucp_sent_fn_t sent, void *arg)
{
    int rc = peer->window->lost ? OMPI_ERR_WIN : outcome(peer, ompi_osc_ucp_peer_connect(peer));

    return OMPI_SUCCESS == rc ? command_send(peer, command, false, NULL, 0,
                                             NULL != sent ? OPAL_COMMON_UCP_LEAVING : OPAL_COMMON_UCP_EAGER, sent, arg)
                              : rc;
}

void ompi_osc_ucp_packets_fini(void)
{
    packet_t *packet;

    while (NULL != (packet = packets.free)) {
        packets.free = packet->next;
        free(packet);
    }
    packets.used = 0;
    packets.open = NULL;
}
