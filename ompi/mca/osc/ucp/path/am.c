/* The am path: every operation is a message to the target's service side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Short operations are copied into packets (message/packet.h), long ones are cut into fragments (message/frag.h). Both
 * are ordered: the target applies them as they were sent, so one acknowledgement covers all up to there.
 */

#include "path/am.h"

#include "base/wait.h"
#include "message/frag.h"
#include "message/message.h"
#include "message/packet.h"
#include "peer/pending.h"

/** Most bytes of layout and data of an operation in a packet. */
#define SHORT_BYTES 8192

/** Most bytes of a short put or get: longer blocks gain nothing from it. */
#define BLOCK_MAX 256

/* Communication. */

/** Most results of short operations that this process awaits. */
#define FETCHES_MAX 4096

static uint32_t fetches; /* results of short operations that are awaited */

static void fetch_begin(void)
{
    while (fetches >= FETCHES_MAX) {
        ompi_osc_ucp_wait_step();
    }
    fetches++;
}

static void fetch_end(void)
{
    fetches--;
}

/** The pending of a call. It takes over the result's layout. */
static ompi_osc_ucp_pending_t *transfer_begin(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(transfer->peer, true);

    if (NULL != pending && NULL != transfer->result_layout) {
        pending->result = transfer->result;
        ompi_osc_ucp_layout_move(&pending->result_layout, transfer->result_layout);
    }
    return pending;
}

/** Set the caller's request, or on an error discard it, and end the pending's first part. */
static int transfer_end(ompi_osc_ucp_transfer_t *transfer, ompi_osc_ucp_pending_t *pending, ompi_request_t *request,
                        int rc)
{
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_request_discard(request);
    } else if (NULL != request) {
        pending->request     = request;
        *transfer->request_p = request;
    }
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    return rc;
}

/** Make the pending of a call, and its request if the caller wants one. */
static int transfer_prepare(ompi_osc_ucp_transfer_t *transfer, ompi_osc_ucp_pending_t **pending_p,
                            ompi_request_t **request_p)
{
    *request_p = NULL;
    if (NULL != transfer->request_p) {
        *request_p = ompi_osc_ucp_request_new(transfer->peer->window);
        if (NULL == *request_p) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    *pending_p = transfer_begin(transfer);
    if (NULL == *pending_p) {
        ompi_osc_ucp_request_discard(*request_p);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return OMPI_SUCCESS;
}

/** The command of a call that is not cut. */
static ompi_osc_ucp_wire_command_t wire_of(const ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model,
                                           uint8_t flags)
{
    const ompi_osc_ucp_layout_t *layout = transfer->target_layout;

    return (ompi_osc_ucp_wire_command_t) {
        .kind  = model->kind,
        .flags = flags | (transfer->in_units ? OMPI_OSC_UCP_FLAG_UNITS : 0),
        .op    = model->op,
        .prim  = model->prim,
        .len   = (uint32_t) layout->size,
        .disp  = transfer->disp + (ompi_osc_ucp_transfer_is_bare(transfer, 0) ? layout->lb : 0)
    };
}

/** Copy the first `len` packed bytes of the origin's buffer. */
static void origin_pack(const ompi_osc_ucp_transfer_t *transfer, char *to, uint64_t len)
{
    ompi_osc_ucp_layout_iter_t iter;

    if (0 == len) {
        return;
    }
    if (ompi_osc_ucp_layout_is_contiguous(transfer->origin_layout)) {
        memcpy(to, (const char *) transfer->origin + transfer->origin_layout->lb, len);
    } else {
        ompi_osc_ucp_layout_iter_init(&iter, transfer->origin_layout, 0);
        ompi_osc_ucp_layout_pack(&iter, transfer->origin, to, len);
    }
}

/** Append a call to the peer's packet, with its layout, a cookie to reply to, and `sent` packed bytes of data. */
static int short_append(const ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model, uint64_t sent,
                        uint64_t cookie)
{
    bool                   shaped  = !ompi_osc_ucp_transfer_is_bare(transfer, 0);
    ompi_osc_ucp_command_t command = {
        .wire            = wire_of(transfer, model, (0 != cookie ? OMPI_OSC_UCP_FLAG_REPLY : 0) |
                                                    (shaped ? OMPI_OSC_UCP_FLAG_LAYOUT : 0)),
        .reply_to.cookie = cookie,
        .shape           = { .len = shaped ? ompi_osc_ucp_layout_encoded_size(transfer->target_layout) : 0 }
    };
    char                   encoded[OMPI_OSC_UCP_COMMAND_MAX];
    size_t                 bytes;
    int                    rc;
    char                  *room;

    bytes = ompi_osc_ucp_command_encode(&command, encoded);
    room  = ompi_osc_ucp_packet_reserve(transfer->peer, bytes + command.shape.len + sent, &rc);
    if (NULL != room) {
        memcpy(room, encoded, bytes);
        if (shaped) {
            ompi_osc_ucp_layout_encode(transfer->target_layout, room + bytes);
        }
        origin_pack(transfer, room + bytes + command.shape.len, sent);
    }
    return rc;
}

/** The same for the most frequent calls, which need no layout and return nothing. */
static int bare_append(const ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model, uint64_t sent)
{
    const ompi_osc_ucp_wire_command_t wire = wire_of(transfer, model, 0);
    int                               rc;
    char                             *room = ompi_osc_ucp_packet_reserve(transfer->peer, sizeof(wire) + sent, &rc);

    if (NULL != room) {
        memcpy(room, &wire, sizeof(wire));
        origin_pack(transfer, room + sizeof(wire), sent);
    }
    return rc;
}

/** A short call that returns nothing. It is over for the caller when it is in the packet. */
static int short_send(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model, uint64_t sent)
{
    int rc;

    if (ompi_osc_ucp_transfer_is_bare(transfer, 0)) {
        rc = bare_append(transfer, model, sent);
    } else {
        rc = short_append(transfer, model, sent, 0);
    }
    if (OMPI_SUCCESS == rc) {
        transfer->peer->unacknowledged = true;
        if (NULL != transfer->request_p) {
            *transfer->request_p = &ompi_request_empty;
        }
    }
    return rc;
}

/** A short call that returns something. */
static int short_fetch(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model, uint64_t sent,
                       ompi_osc_ucp_pending_t *pending)
{
    int rc;

    fetch_begin();
    pending->parts++;
    pending->replies = 1;
    pending->replied = fetch_end;
    rc = short_append(transfer, model, sent, pending->cookie);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_reply_lost(pending->cookie, OMPI_SUCCESS);
    }
    return rc;
}

/** Append a command with `len` bytes of data that fetches wire->len bytes. */
static bool block_fetch(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_wire_command_t *wire, const void *data,
                        size_t len, void *result)
{
    ompi_osc_ucp_command_t  command = { .wire = *wire };
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, true);
    char                   *room;
    int                     rc;

    if (NULL == pending) {
        return false;
    }
    pending->result  = result;
    pending->replies = 1;
    pending->replied = fetch_end;
    ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, wire->len);
    command.wire.flags      = OMPI_OSC_UCP_FLAG_REPLY;
    command.reply_to.cookie = pending->cookie;
    fetch_begin();
    room = ompi_osc_ucp_packet_reserve(peer, sizeof(command.wire) + sizeof(command.reply_to) + len, &rc);
    if (NULL == room) {
        ompi_osc_ucp_reply_lost(command.reply_to.cookie, OMPI_SUCCESS);
        return false;
    }
    memcpy(room, &command.wire, sizeof(command.wire));
    memcpy(room + sizeof(command.wire), &command.reply_to, sizeof(command.reply_to));
    if (len > 0) {
        memcpy(room + sizeof(command.wire) + sizeof(command.reply_to), data, len);
    }
    ompi_osc_ucp_count(&peer->window->counters, OMPI_OSC_UCP_VIA_AM, wire->len);
    return true;
}

bool ompi_osc_ucp_am_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes)
{
    const ompi_osc_ucp_wire_command_t wire = {
        .kind = OMPI_OSC_UCP_KIND_PUT, .len = (uint32_t) bytes, .disp = at
    };

    return bytes <= BLOCK_MAX && ompi_osc_ucp_packet_append(peer, &wire, origin);
}

bool ompi_osc_ucp_am_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes)
{
    const ompi_osc_ucp_wire_command_t wire = {
        .kind = OMPI_OSC_UCP_KIND_GET, .len = (uint32_t) bytes, .disp = at
    };

    return bytes <= BLOCK_MAX && block_fetch(peer, &wire, NULL, 0, result);
}

bool ompi_osc_ucp_am_accumulate_block(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                      const ompi_osc_ucp_prim_t *prim, const void *origin, void *result,
                                      uint64_t bytes)
{
    const ompi_osc_ucp_wire_command_t wire = {
        .kind = OMPI_OSC_UCP_KIND_ACCUMULATE, .op = op, .prim = prim->code, .len = (uint32_t) bytes, .disp = at
    };

    if (bytes > OMPI_OSC_UCP_AM_ACCUMULATE_MAX) {
        return false;
    }
    return NULL == result ? ompi_osc_ucp_packet_append(peer, &wire, origin)
                          : block_fetch(peer, &wire, origin, NULL == origin ? 0 : bytes, result);
}

bool ompi_osc_ucp_am_swap_block(ompi_osc_ucp_peer_t *peer, int64_t at, const ompi_osc_ucp_prim_t *prim,
                                const void *origin, const void *compare, void *result)
{
    const ompi_osc_ucp_wire_command_t wire = {
        .kind = OMPI_OSC_UCP_KIND_COMPARE_SWAP, .prim = prim->code, .len = prim->size, .disp = at
    };
    char                              both[2 * OMPI_OSC_UCP_ELEMENT_MAX];

    memcpy(both, origin, prim->size);
    memcpy(both + prim->size, compare, prim->size);
    return block_fetch(peer, &wire, both, 2 * (size_t) prim->size, result);
}

/** Carry out a call in a packet, or in fragments if it is long. */
static int transfer_run(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model)
{
    uint64_t                shape   = transfer->target_layout->nnodes * sizeof(ompi_osc_ucp_layout_node_t);
    uint64_t                bytes   = transfer->target_layout->size / model->cell * model->packed;
    uint64_t                sent    = NULL == transfer->origin_layout ? 0 : bytes;
    bool                    returns = NULL != transfer->result_layout;
    bool                    fits    = shape + bytes <= SHORT_BYTES;
    ompi_osc_ucp_pending_t *pending;
    ompi_request_t         *request;
    int                     rc;

    ompi_osc_ucp_count(&transfer->peer->window->counters, OMPI_OSC_UCP_VIA_AM, transfer->target_layout->size);
    if (fits && !returns) {
        return short_send(transfer, model, sent);
    }
    rc = transfer_prepare(transfer, &pending, &request);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = fits ? short_fetch(transfer, model, sent, pending) : ompi_osc_ucp_frags_send(transfer, model, pending);
    return transfer_end(transfer, pending, request, rc);
}

int ompi_osc_ucp_am_put(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_model_t model = { .kind = OMPI_OSC_UCP_KIND_PUT, .cell = 1, .packed = 1 };

    return transfer_run(transfer, &model);
}

int ompi_osc_ucp_am_get(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_model_t model = { .kind = OMPI_OSC_UCP_KIND_GET, .cell = 1, .packed = 1 };

    return transfer_run(transfer, &model);
}

int ompi_osc_ucp_am_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_model_t model = {
        .kind   = OMPI_OSC_UCP_KIND_ACCUMULATE,
        .op     = transfer->op,
        .prim   = transfer->prim->code,
        .cell   = transfer->prim->extent,
        .packed = transfer->prim->size
    };

    return transfer_run(transfer, &model);
}

int ompi_osc_ucp_am_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_model_t model = {
        .kind = OMPI_OSC_UCP_KIND_COMPARE_SWAP, .prim = transfer->prim->code, .cell = 1, .packed = 1
    };
    const void                *origin = (const char *) transfer->origin + transfer->origin_layout->lb;
    uint16_t                   size   = transfer->prim->size;
    char                       elements[2 * OMPI_OSC_UCP_ELEMENT_MAX];
    ompi_osc_ucp_layout_t      both;
    ompi_osc_ucp_pending_t    *pending;
    ompi_request_t            *request;
    int                        rc;

    memcpy(elements, origin, size);
    memcpy(elements + size, transfer->compare, size);
    ompi_osc_ucp_layout_contiguous(&both, 0, 2 * (uint64_t) size);
    rc = transfer_prepare(transfer, &pending, &request);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    ompi_osc_ucp_count(&transfer->peer->window->counters, OMPI_OSC_UCP_VIA_AM, size);
    transfer->origin        = elements;
    transfer->origin_layout = &both;
    rc = short_fetch(transfer, &model, 2 * (uint64_t) size, pending);
    return transfer_end(transfer, pending, request, rc);
}

/* Completion and synchronization. */

static void acknowledged(ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_awaited_less(pending->arg);
    pending->peer->acknowledging--;
    if (OMPI_SUCCESS != pending->status) {
        pending->peer->error = pending->status;
    }
}

/** Send the open packet, and request an acknowledgement of all that was sent, without waiting for it. */
static int acknowledgement_request(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, false);
    int                     rc;

    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pending->ended   = acknowledged;
    pending->arg     = awaited;
    pending->replies = 1;
    peer->unacknowledged = false;
    peer->acknowledging++;
    (*awaited)++;
    peer->window->counters.round_trips++;
    rc = ompi_osc_ucp_packet_release_for_ack(peer, pending->cookie);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_pending_part_done(pending, rc);
    }
    return rc;
}

/** Was anything sent that is not acknowledged yet? Another thread's flush may have requested the acknowledgement. */
static bool lacks_acknowledgement(const ompi_osc_ucp_peer_t *peer)
{
    return peer->unacknowledged || 0 != peer->acknowledging;
}

int ompi_osc_ucp_am_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    if (lacks_acknowledgement(peer)) {
        return acknowledgement_request(peer, awaited);
    }
    if (peer->open[0] + peer->open[1] > 0) {
        ompi_osc_ucp_packet_release_for_reply(peer);
    }
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_am_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    int rc = ompi_osc_ucp_packet_lock(peer, exclusive);

    /* Threads lock independently: a thread must not have to wait for another one's lock (locks_settle in epoch/lock.c).
     * */
    if (OMPI_SUCCESS == rc && ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_packet_await_grant(peer);
    }
    return rc;
}

int ompi_osc_ucp_am_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    int rc;

    ompi_osc_ucp_frags_await_fetched(peer);
    rc = ompi_osc_ucp_packet_unlock(peer, exclusive);
    return OMPI_SUCCESS == rc ? acknowledgement_request(peer, awaited) : rc;
}

/** In a dynamic window the target may have refused an operation: its acknowledgement says so. */
int ompi_osc_ucp_am_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    int rc;

    ompi_osc_ucp_frags_await_fetched(peer);
    rc = ompi_osc_ucp_packet_complete(peer);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (MPI_WIN_FLAVOR_DYNAMIC == peer->window->flavor && lacks_acknowledgement(peer)) {
        return acknowledgement_request(peer, awaited);
    }
    ompi_osc_ucp_packet_release_awaited(peer, awaited);
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_am_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_notify(peer, OMPI_OSC_UCP_KIND_POST, 0, awaited);
}

int ompi_osc_ucp_am_arrive(ompi_osc_ucp_peer_t *peer, int round, uint32_t *awaited)
{
    ompi_osc_ucp_fence_memory();
    return ompi_osc_ucp_notify(peer, OMPI_OSC_UCP_KIND_BARRIER,
                               peer->window->veto ? round + 256 * (1 + (int) (peer->window->barriers & 1)) : round,
                               awaited);
}

/** Serves every peer. Without a description, size and unit are those that all members have in common, or -1. */
static int am_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    if (NULL == description) {
        peer->size      = peer->window->uniform_bytes;
        peer->disp_unit = peer->window->uniform_disp_unit;
    } else {
        peer->stream = ompi_osc_ucp_proc_lanes(peer->proc)->stream;
    }
    return OMPI_SUCCESS;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_am = {
    .via              = OMPI_OSC_UCP_VIA_AM,
    .attach           = am_attach,
    .put              = ompi_osc_ucp_am_put,
    .get              = ompi_osc_ucp_am_get,
    .accumulate       = ompi_osc_ucp_am_accumulate,
    .compare_swap     = ompi_osc_ucp_am_compare_swap,
    .put_block        = ompi_osc_ucp_am_put_block,
    .get_block        = ompi_osc_ucp_am_get_block,
    .accumulate_block = ompi_osc_ucp_am_accumulate_block,
    .swap_block       = ompi_osc_ucp_am_swap_block,
    .flush            = ompi_osc_ucp_am_flush,
    .lock             = ompi_osc_ucp_am_lock,
    .unlock           = ompi_osc_ucp_am_unlock,
    .counters         = ompi_osc_ucp_am_counters,
    .raise            = ompi_osc_ucp_am_raise,
    .post             = ompi_osc_ucp_am_post,
    .complete         = ompi_osc_ucp_am_complete,
    .arrive           = ompi_osc_ucp_am_arrive
};
