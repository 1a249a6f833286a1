/* Packets: short operations to one target share a message. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Commands are appended to a peer's open packet, of which there is at most one. The packet leaves when it is full, when
 * a call waits for it, and with the next progress. So an operation with its flush is one message, as is a lock with its
 * first operations and its unlock.
 *
 * Functions that return int return OMPI_SUCCESS, OMPI_ERR_OUT_OF_RESOURCE, the reason why the peer cannot be reached,
 * or OMPI_ERR_WIN if the window is lost.
 */

#ifndef OSC_UCP_PACKET_H
#define OSC_UCP_PACKET_H

#include "peer/peer.h"
#include "wire/wire.h"

/** Most bytes of commands in a packet. */
#define OMPI_OSC_UCP_PACKET_ROOM (16384 - sizeof(ompi_osc_ucp_wire_packet_t))

/** One packet. It is sent from here: `head`, and behind it the commands. */
struct ompi_osc_ucp_packet_t {
    ompi_osc_ucp_packet_t     *next, *prev; /**< in the list of open ones, or of free ones (next only) */
    ompi_osc_ucp_peer_t       *peer;
    uint32_t                  *awaited;     /**< a count to lower when it has left, or NULL */
    uint32_t                   used;        /**< bytes of commands */
    uint32_t                   operations;  /**< among the commands */
    uint32_t                   last_at;     /**< offset of the last command of packet_append, ... */
    uint32_t                   last_end;    /**< ... which is the last one of all if this is `used` */
    uint32_t                   lock_at;     /**< if `grant`: offset of the LOCK command */
    ompi_osc_ucp_pending_t    *grant;       /**< it has a LOCK command, and no UNLOCK after it: what will wait for the
                                             *   grant; else NULL */
    ompi_osc_ucp_wire_packet_t head;
    char                       commands[OMPI_OSC_UCP_PACKET_ROOM];
};

/** Open a packet for the peer, which has none. NULL if the caller would have to wait or connect first. */
ompi_osc_ucp_packet_t *ompi_osc_ucp_packet_open(ompi_osc_ucp_peer_t *peer);

/**
 * Append a put or an accumulate that returns nothing and is contiguous at both ends: the short way. False if it does
 * not fit into the packet, or there can be none now.
 */
static inline bool ompi_osc_ucp_packet_append(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_wire_command_t *wire,
                                              const void *data)
{
    ompi_osc_ucp_packet_t *packet = NULL != peer->packet ? peer->packet : ompi_osc_ucp_packet_open(peer);
    char                  *room;

    if (NULL == packet || packet->used + sizeof(*wire) + wire->len > OMPI_OSC_UCP_PACKET_ROOM) {
        return false;
    }
    room = packet->commands + packet->used;
    memcpy(room, wire, sizeof(*wire));
    memcpy(room + sizeof(*wire), data, wire->len);
    packet->last_at   = packet->used;
    packet->used     += (uint32_t) sizeof(*wire) + wire->len;
    packet->last_end  = packet->used;
    packet->operations++;
    peer->unacknowledged = true;
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_AM, wire->len);
    return true;
}

/** Let the last command of the peer's open packet raise a notification counter, if that is a put that came by the short
 *  way, at this place. False: it is not. One behind it may be another thread's. */
static inline bool ompi_osc_ucp_packet_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin)
{
    ompi_osc_ucp_packet_t      *packet = peer->packet;
    ompi_osc_ucp_wire_command_t wire;

    if (NULL == packet || packet->used != packet->last_end ||
        ompi_osc_ucp_wire_place(peer->sequence, packet->last_at) != begin) {
        return false;
    }
    memcpy(&wire, packet->commands + packet->last_at, sizeof(wire));
    if (OMPI_OSC_UCP_KIND_PUT != wire.kind || !ompi_osc_ucp_wire_raise(&wire, index)) {
        return false;
    }
    memcpy(packet->commands + packet->last_at, &wire, sizeof(wire));
    return true;
}

/**
 * Room for `len` <= OMPI_OSC_UCP_PACKET_ROOM bytes of an operation at the end of the peer's open packet. The caller
 * fills it before it calls anything else. May send the packet before, and may wait. On failure NULL, and *rc_p says
 * why.
 */
char *ompi_osc_ucp_packet_reserve(ompi_osc_ucp_peer_t *peer, size_t len, int *rc_p);

/** Append a lock request. Commands behind it wait at the target until the lock is granted. */
int ompi_osc_ucp_packet_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);

/** Wait until a requested lock is granted. For native operations, which cannot wait at the target. */
void ompi_osc_ucp_packet_await_grant(ompi_osc_ucp_peer_t *peer);

/** Send all lock requests, and wait until all are granted. Programs that lock several targets rely on their order. */
void ompi_osc_ucp_packets_settle_locks(void);

/** The place (wire/wire.h) where the next ordered command to the peer will be, or before it. */
static inline int64_t ompi_osc_ucp_packet_place(const ompi_osc_ucp_peer_t *peer)
{
    return ompi_osc_ucp_wire_place(peer->sequence, NULL == peer->packet ? 0 : peer->packet->used);
}

/** Append the release of the lock. */
int ompi_osc_ucp_packet_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive);

/** Append the notice of MPI_Win_complete. */
int ompi_osc_ucp_packet_complete(ompi_osc_ucp_peer_t *peer);

/** Send the peer's open packet; there must be one. *awaited counts it until it has left. */
void ompi_osc_ucp_packet_release_awaited(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

/** Send the peer's open packet, if there is one. */
void ompi_osc_ucp_packet_release(ompi_osc_ucp_peer_t *peer);

/** The same for a caller that next waits for a reply to it. The packet may go by fastbox. */
void ompi_osc_ucp_packet_release_for_reply(ompi_osc_ucp_peer_t *peer);

/** Send the open packet, or an empty one. The target replies to `ack` when all up to there is applied. May go by
 *  fastbox. */
int ompi_osc_ucp_packet_release_for_ack(ompi_osc_ucp_peer_t *peer, uint64_t ack);

/** Send all open packets, except to peers whose lock is not granted yet. Called by progress. */
void ompi_osc_ucp_packets_release_all(void);

/** Send a command with its payload as an ordered message of its own, after the open packet. May wait before that.
 *  `sent` is called with `arg` when the payload may be used again, unless this fails. */
int ompi_osc_ucp_packet_frag(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command, const void *payload,
                             size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent, void *arg);

/** Send a command without a payload, not ordered. `sent`, if not NULL, is called when it has left. */
int ompi_osc_ucp_packet_notify(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command,
                               opal_common_ucp_sent_fn_t sent, void *arg);

/** Has so much been sent to the peer's process since its last answer that a socket may be half full? */
bool ompi_osc_ucp_traffic_is_unsettled(const ompi_osc_ucp_peer_t *peer);

/** Free what is kept for reuse. */
void ompi_osc_ucp_packets_fini(void);

#endif /* OSC_UCP_PACKET_H */
