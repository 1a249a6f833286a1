/* Packets: small operations to one target share a message. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A peer has at most one open packet, which commands are appended to. It leaves when it is full, when something waits
 * for it, and with the next call to progress: an operation that is followed by its flush, and a lock with its first
 * operations and its unlock, are one message.
 */

#ifndef OSC_UCP_PACKET_H
#define OSC_UCP_PACKET_H

#include "peer/peer.h"
#include "wire/wire.h"

/** Bytes of commands that a packet can take. */
#define OMPI_OSC_UCP_PACKET_ROOM (16384 - sizeof(ompi_osc_ucp_wire_packet_t))

/** One packet; sent as it lies here. */
struct ompi_osc_ucp_packet_t {
    ompi_osc_ucp_packet_t     *next, *prev; /**< of the open ones, or of the free ones (next only) */
    ompi_osc_ucp_peer_t       *peer;
    uint32_t                  *awaited;     /**< a count to lower when it has left, or NULL */
    uint32_t                   used;        /**< bytes of commands */
    uint32_t                   operations;  /**< among the commands */
    uint32_t                   lock_at;     /**< where the command begins that requests a lock; see `locks` */
    bool                       locks;       /**< a lock is requested here, and not released */
    ompi_osc_ucp_wire_packet_t head;
    char                       commands[OMPI_OSC_UCP_PACKET_ROOM];
};

/** Open a packet for the peer, if that needs no waiting; else NULL. */
ompi_osc_ucp_packet_t *ompi_osc_ucp_packet_open(ompi_osc_ucp_peer_t *peer);

/**
 * Append a put or an accumulate that returns nothing, if it fits into the open packet: the short way of the functions
 * below, for what is contiguous at both ends.
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
    packet->used += (uint32_t) sizeof(*wire) + wire->len;
    packet->operations++;
    peer->unacknowledged = true;
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_AM, wire->len);
    return true;
}

/**
 * Room for `len` <= OMPI_OSC_UCP_PACKET_ROOM bytes at the end of the peer's open packet: the caller fills it before
 * anything else happens. May send the packet before, and may wait. On failure NULL, and *rc_p says why.
 */
char *ompi_osc_ucp_packet_reserve(ompi_osc_ucp_peer_t *peer, size_t len, int *rc_p);

/** Append a lock request: what is sent before the unlock waits at the target until it is granted. */
int ompi_osc_ucp_packet_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);

/** Wait until a lock that was requested is granted: for what does not go by messages, and so does not wait itself. */
void ompi_osc_ucp_packet_await_grant(ompi_osc_ucp_peer_t *peer);

/** Send what requests locks, and wait until all are granted: who locks one after the other relies on that order. */
void ompi_osc_ucp_packets_settle_locks(void);

/** Append an unlock. */
int ompi_osc_ucp_packet_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive);

/** Append MPI_Win_complete's notification. */
int ompi_osc_ucp_packet_complete(ompi_osc_ucp_peer_t *peer);

/** Send the open packet, of which there is one; counted in *awaited until it has left. */
void ompi_osc_ucp_packet_release_awaited(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

/** Send what is open, if anything is. */
void ompi_osc_ucp_packet_release(ompi_osc_ucp_peer_t *peer);

/** The same for a caller that waits for a reply to it, and does nothing else. */
void ompi_osc_ucp_packet_release_for_reply(ompi_osc_ucp_peer_t *peer);

/** Send what is open, or an empty packet, and have the target reply to `ack` when all up to there is applied. The caller
 *  waits for that. */
int ompi_osc_ucp_packet_release_for_ack(ompi_osc_ucp_peer_t *peer, uint64_t ack);

/** The same for all peers of all windows, but for those whose lock is not granted yet: for progress. */
void ompi_osc_ucp_packets_release_all(void);

/** Send a command with its payload as a message of its own, behind what is open. May wait before that. */
int ompi_osc_ucp_packet_frag(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command, const void *payload,
                             size_t len, opal_common_ucp_how_t how, opal_common_ucp_sent_fn_t sent, void *arg);

/** Send a command by itself, out of turn. */
int ompi_osc_ucp_packet_notify(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_command_t *command,
                               opal_common_ucp_sent_fn_t sent, void *arg);

/** Free what is kept for reuse. */
void ompi_osc_ucp_packets_fini(void);

#endif /* OSC_UCP_PACKET_H */
