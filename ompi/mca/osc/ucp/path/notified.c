/* Notification counters of peers: how many there are, and raising one (docs/notified.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/wait.h"
#include "message/frag.h"
#include "message/packet.h"
#include "path/am.h"
#include "path/short.h"
#include "peer/pending.h"

/* On a mapped control block. */

int ompi_osc_ucp_mapped_counters(ompi_osc_ucp_peer_t *peer, uint32_t *count_p)
{
    *count_p = __atomic_load_n(&peer->control->counters, __ATOMIC_ACQUIRE);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_mapped_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin)
{
    (void) begin;
    ompi_osc_ucp_counter_add(peer, index, 1);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_near_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin)
{
    return ompi_osc_ucp_peer_is_quiet(peer) ? ompi_osc_ucp_mapped_raise(peer, index, begin)
                                            : ompi_osc_ucp_am_raise(peer, index, begin);
}

/* By message. */

/** Native operations, and gets, must be over before a message tells of them. */
static int operations_settle(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;
    int      rc      = ompi_osc_ucp_settle(peer, &awaited);

    ompi_osc_ucp_await(&awaited);
    ompi_osc_ucp_frags_await_fetched(peer);
    return rc;
}

int ompi_osc_ucp_am_raise(ompi_osc_ucp_peer_t *peer, uint32_t index, int64_t begin)
{
    const ompi_osc_ucp_wire_command_t wire = { .kind = OMPI_OSC_UCP_KIND_RAISE, .len = index, .disp = begin };
    char                             *room = NULL;
    int                               rc   = operations_settle(peer);

    if (OMPI_SUCCESS == rc && ompi_osc_ucp_packet_raise(peer, index, begin)) {
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS == rc) {
        room = ompi_osc_ucp_packet_reserve(peer, sizeof(wire), &rc);
    }
    if (NULL != room) {
        memcpy(room, &wire, sizeof(wire));
        peer->unacknowledged = true;
    }
    return rc;
}

/** Ask the peer, behind what was sent before, and wait. */
static int counters_ask(ompi_osc_ucp_peer_t *peer, uint32_t *count_p)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, true);
    ompi_osc_ucp_command_t  command = {
        .wire = { .kind = OMPI_OSC_UCP_KIND_COUNTERS, .flags = OMPI_OSC_UCP_FLAG_REPLY }
    };
    char                   *room;
    int                     rc;

    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    command.reply_to.cookie = pending->cookie;
    pending->result         = count_p;
    pending->replies        = 1;
    ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, sizeof(*count_p));
    room = ompi_osc_ucp_packet_reserve(peer, sizeof(command.wire) + sizeof(command.reply_to), &rc);
    if (NULL == room) {
        ompi_osc_ucp_reply_lost(command.reply_to.cookie, OMPI_SUCCESS);
        return rc;
    }
    ompi_osc_ucp_command_encode(&command, room);
    ompi_osc_ucp_packet_release_for_reply(peer);
    ompi_osc_ucp_peer_wait_local(peer);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_am_counters(ompi_osc_ucp_peer_t *peer, uint32_t *count_p)
{
    uint32_t renumbered = peer->window->renumbered, count = UINT32_MAX;
    int      rc;

    if (peer->renumbered != renumbered) {
        rc = counters_ask(peer, &count);
        if (OMPI_SUCCESS == rc && UINT32_MAX == count) {
            rc = OMPI_ERR_WIN; /* the reply is lost */
        }
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        peer->counters   = count;
        peer->renumbered = renumbered;
    }
    *count_p = peer->counters;
    return OMPI_SUCCESS;
}
