/* The am path, origin side: every operation as active messages to the target's service side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ordered messages carry a sequence number per origin, target and window, and are applied in that order; one reply to
 * FLUSH therefore tells that everything before it is applied. Long operations are cut into chunks, and the number of
 * chunks in flight is limited, which bounds the memory on both sides.
 */

#include "am.h"

#include <stdlib.h>

#include "am_target.h"
#include "path.h"

/** Target bytes of one message. */
#define CHUNK_BYTES 65536

/** Nodes of a layout that travel with every chunk; a longer layout is cut with the chunks. */
#define LAYOUT_NODES_WHOLE 64
#define LAYOUT_NODES_PIECE 1024

/** Chunks in flight per process: sends not yet out, replies not yet in. */
#define CHUNKS_IN_FLIGHT 512

static struct {
    uint32_t chunks; /**< in flight */
} am;

/** A chunk that could not be sent from where it was; the message's data follow. */
typedef struct packed_t {
    ompi_osc_ucp_pending_t *pending;
    char                    data[];
} packed_t;

/* Threads may create their first windows at the same time: the caller serializes. */
int ompi_osc_ucp_am_open(char **reason_p)
{
    int rc;

    if (opal_common_ucp_is_open()) {
        return OMPI_SUCCESS;
    }
    rc = opal_common_ucp_open(ompi_osc_ucp_am_requested, ompi_osc_ucp_am_replied, reason_p);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = opal_common_ucp_service_start();
    if (OMPI_SUCCESS != rc) {
        opal_common_ucp_close();
        *reason_p = strdup("no thread or event descriptor for the service side");
    }
    return rc;
}

/** Send one request; `header` needs all but origin, window and sequence. */
static int request_send(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_request_header_t *header, const void *data,
                        size_t len, opal_common_ucp_sent_fn_t sent, void *arg)
{
    int rc = ompi_osc_ucp_peer_connect(peer);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    header->origin   = (uint32_t) peer->window->rank;
    header->window   = peer->window->id;
    header->sequence = peer->sequence;
    rc = opal_common_ucp_send(OPAL_COMMON_UCP_ORIGIN, peer->ep, header, sizeof(*header), data, len, sent, arg);
    if (OMPI_SUCCESS == rc && ompi_osc_ucp_kind_is_ordered(header->kind)) {
        peer->sequence++;
    }
    peer->window->counters.messages++;
    return rc;
}

/** Wait until one more chunk may be in flight. */
static void chunk_admit(void)
{
    while (am.chunks >= CHUNKS_IN_FLIGHT) {
        ompi_osc_ucp_wait_step();
    }
}

static void chunk_begin(ompi_osc_ucp_pending_t *pending)
{
    am.chunks++;
    pending->parts++;
}

static void chunk_done(ompi_osc_ucp_pending_t *pending, int status)
{
    am.chunks--;
    ompi_osc_ucp_pending_part_done(pending, status);
}

static void chunk_sent(void *arg, int status)
{
    chunk_done(arg, status);
}

static void packed_sent(void *arg, int status)
{
    packed_t *packed = arg;

    chunk_done(packed->pending, status);
    free(packed);
}

/** One buffer of a call, as its chunks are cut from it. */
typedef struct cursor_t {
    const ompi_osc_ucp_transfer_t *transfer;
    ompi_osc_ucp_pending_t        *pending;
    ompi_osc_ucp_layout_iter_t     origin; /**< the next packed byte to send */
    uint64_t                       pos;    /**< the next byte of the target layout */
    uint32_t                       cell;   /**< bytes of an element in target memory; put and get: 1 */
    uint32_t                       packed; /**< bytes of an element in a message; put and get: 1 */
} cursor_t;

/**
 * Choose the next chunk, and fill in where it goes. *shape_p is the layout that travels with it: NULL if it is
 * contiguous, the target's own, or a piece of that, made in `piece`, which the caller frees in any case.
 */
static int chunk_shape(cursor_t *cursor, ompi_osc_ucp_request_header_t *header, ompi_osc_ucp_layout_t *piece,
                       const ompi_osc_ucp_layout_t **shape_p)
{
    const ompi_osc_ucp_transfer_t *transfer = cursor->transfer;
    const ompi_osc_ucp_layout_t   *layout   = transfer->target_layout;
    uint64_t                       room     = CHUNK_BYTES - CHUNK_BYTES % cursor->cell;
    uint64_t                       left     = layout->size - cursor->pos;

    header->disp      = transfer->disp;
    header->len       = left < room ? left : room;
    header->reply_pos = cursor->pos / cursor->cell * cursor->packed;
    *shape_p          = NULL;
    ompi_osc_ucp_layout_contiguous(piece, 0, 0);
    if (ompi_osc_ucp_layout_is_contiguous(layout)) {
        header->disp += layout->lb + (int64_t) cursor->pos;
        return OMPI_SUCCESS;
    }
    if (layout->nnodes <= LAYOUT_NODES_WHOLE) {
        header->pos = cursor->pos;
        *shape_p    = layout;
    } else {
        if (!ompi_osc_ucp_layout_slice(layout, cursor->pos, cursor->cell, LAYOUT_NODES_PIECE, &header->len, piece)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        *shape_p = piece;
    }
    header->layout_len = (uint32_t) ompi_osc_ucp_layout_encoded_size(*shape_p);
    return OMPI_SUCCESS;
}

/** Send a chunk whose data are `len` packed bytes of the origin's buffer, behind a layout if there is one. */
static int chunk_send(cursor_t *cursor, ompi_osc_ucp_request_header_t *header, const ompi_osc_ucp_layout_t *shape,
                      uint64_t len)
{
    const ompi_osc_ucp_transfer_t *transfer = cursor->transfer;
    packed_t                      *packed;
    int                            rc;

    if (NULL == shape && (0 == len || ompi_osc_ucp_layout_is_contiguous(transfer->origin_layout))) {
        const char *data = 0 == len ? NULL : (const char *) transfer->origin + transfer->origin_layout->lb +
                                             cursor->origin.pos;

        chunk_begin(cursor->pending);
        rc = request_send(transfer->peer, header, data, len, chunk_sent, cursor->pending);
        if (OMPI_SUCCESS != rc) {
            chunk_done(cursor->pending, OMPI_SUCCESS);
        } else if (len > 0) {
            cursor->origin.pos += len;
        }
        return rc;
    }

    packed = malloc(sizeof(*packed) + header->layout_len + len);
    if (NULL == packed) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    packed->pending = cursor->pending;
    if (NULL != shape) {
        ompi_osc_ucp_layout_encode(shape, packed->data);
    }
    if (len > 0) {
        ompi_osc_ucp_layout_pack(&cursor->origin, transfer->origin, packed->data + header->layout_len, len);
    }
    chunk_begin(cursor->pending);
    rc = request_send(transfer->peer, header, packed->data, header->layout_len + len, packed_sent, packed);
    if (OMPI_SUCCESS != rc) {
        packed_sent(packed, OMPI_SUCCESS);
    }
    return rc;
}

/** Send the next chunk of the call. */
static int chunk_next(cursor_t *cursor, const ompi_osc_ucp_request_header_t *model)
{
    ompi_osc_ucp_request_header_t  header = *model;
    const ompi_osc_ucp_transfer_t *transfer = cursor->transfer;
    const ompi_osc_ucp_layout_t   *shape;
    ompi_osc_ucp_layout_t          piece;
    uint64_t                       sent;
    int                            rc;

    chunk_admit();
    rc = chunk_shape(cursor, &header, &piece, &shape);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    sent = NULL == transfer->origin_layout ? 0 : header.len / cursor->cell * cursor->packed;
    if (NULL != transfer->result_layout) {
        chunk_begin(cursor->pending); /* the reply */
        header.cookie = cursor->pending->cookie;
    } else {
        transfer->peer->unacknowledged = true;
    }
    rc = chunk_send(cursor, &header, shape, sent);
    if (OMPI_SUCCESS != rc && NULL != transfer->result_layout) {
        chunk_done(cursor->pending, OMPI_SUCCESS);
    }
    ompi_osc_ucp_layout_fini(&piece);
    cursor->pos += header.len;
    return rc;
}

/** The pending of a call: it takes over where the result goes. */
static ompi_osc_ucp_pending_t *transfer_begin(ompi_osc_ucp_transfer_t *transfer)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(transfer->peer, true);

    if (NULL != pending && NULL != transfer->result_layout) {
        pending->result = transfer->result;
        ompi_osc_ucp_layout_move(&pending->result_layout, transfer->result_layout);
    }
    return pending;
}

/** Carry out a call: all its chunks, one pending. */
static int transfer_run(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_request_header_t *model)
{
    cursor_t        cursor  = { .transfer = transfer, .cell = 1, .packed = 1 };
    ompi_request_t *request = NULL;
    int             rc      = OMPI_SUCCESS;

    if (NULL != transfer->request_p) {
        request = ompi_osc_ucp_request_new(transfer->peer->window);
        if (NULL == request) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    cursor.pending = transfer_begin(transfer);
    if (NULL == cursor.pending) {
        ompi_osc_ucp_request_discard(request);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (NULL != transfer->prim) {
        cursor.cell   = transfer->prim->extent;
        cursor.packed = transfer->prim->size;
    }
    if (NULL != transfer->origin_layout) {
        ompi_osc_ucp_layout_iter_init(&cursor.origin, transfer->origin_layout, 0);
    }
    ompi_osc_ucp_count(&transfer->peer->window->counters, OMPI_OSC_UCP_VIA_AM, transfer->target_layout->size);
    while (OMPI_SUCCESS == rc && cursor.pos < transfer->target_layout->size) {
        rc = chunk_next(&cursor, model);
    }
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_request_discard(request);
    } else if (NULL != request) {
        cursor.pending->request = request;
        *transfer->request_p    = request;
    }
    ompi_osc_ucp_pending_part_done(cursor.pending, OMPI_SUCCESS);
    return rc;
}

static int am_put(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_request_header_t model = { .kind = OMPI_OSC_UCP_KIND_PUT };

    return transfer_run(transfer, &model);
}

static int am_get(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_request_header_t model = { .kind = OMPI_OSC_UCP_KIND_GET };

    return transfer_run(transfer, &model);
}

static int am_accumulate(ompi_osc_ucp_transfer_t *transfer)
{
    const ompi_osc_ucp_request_header_t model = {
        .kind  = OMPI_OSC_UCP_KIND_ACCUMULATE,
        .flags = NULL != transfer->result_layout ? OMPI_OSC_UCP_FLAG_FETCH : 0,
        .op    = transfer->op,
        .prim  = transfer->prim->code
    };

    return transfer_run(transfer, &model);
}

static int am_compare_swap(ompi_osc_ucp_transfer_t *transfer)
{
    uint16_t                      size    = transfer->prim->size;
    packed_t                     *packed  = malloc(sizeof(*packed) + 2 * size);
    ompi_osc_ucp_pending_t       *pending = NULL;
    ompi_osc_ucp_request_header_t header  = {
        .kind = OMPI_OSC_UCP_KIND_COMPARE_SWAP,
        .prim = transfer->prim->code,
        .disp = transfer->disp + transfer->target_layout->lb,
        .len  = size
    };
    int                           rc;

    chunk_admit();
    if (NULL != packed) {
        pending = transfer_begin(transfer);
    }
    if (NULL == pending) {
        free(packed);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ompi_osc_ucp_count(&transfer->peer->window->counters, OMPI_OSC_UCP_VIA_AM, size);
    memcpy(packed->data, (const char *) transfer->origin + transfer->origin_layout->lb, size);
    memcpy(packed->data + size, transfer->compare, size);
    packed->pending = pending;
    header.cookie   = pending->cookie;
    chunk_begin(pending); /* the request */
    chunk_begin(pending); /* the reply */
    rc = request_send(transfer->peer, &header, packed->data, 2 * size, packed_sent, packed);
    if (OMPI_SUCCESS != rc) {
        packed_sent(packed, OMPI_SUCCESS);
        chunk_done(pending, OMPI_SUCCESS);
    }
    ompi_osc_ucp_pending_part_done(pending, OMPI_SUCCESS);
    return rc;
}

void ompi_osc_ucp_am_replied(const void *header, size_t header_len, const void *data, size_t len,
                             opal_common_ucp_ep_t *reply_ep)
{
    ompi_osc_ucp_reply_header_t reply;
    ompi_osc_ucp_pending_t     *pending;
    ompi_osc_ucp_layout_iter_t  iter;

    (void) reply_ep;
    if (sizeof(reply) != header_len) {
        return;
    }
    memcpy(&reply, header, sizeof(reply));
    pending = ompi_osc_ucp_pending_find(reply.cookie);
    if (NULL == pending) {
        return;
    }
    if (reply.pos > pending->result_layout.size || len > pending->result_layout.size - reply.pos) {
        reply.status = OMPI_ERROR;
    } else if (len > 0) {
        ompi_osc_ucp_layout_iter_init(&iter, &pending->result_layout, reply.pos);
        ompi_osc_ucp_layout_unpack(&iter, pending->result, data, len);
    }
    if (NULL != pending->open) {
        chunk_done(pending, reply.status);
    } else {
        ompi_osc_ucp_pending_part_done(pending, reply.status);
    }
}

/** Send a question, a request whose whole answer is one reply; `pending` ends with it. */
static int question_send(ompi_osc_ucp_pending_t *pending, ompi_osc_ucp_kind_t kind, uint8_t flags)
{
    ompi_osc_ucp_request_header_t header = { .kind = (uint8_t) kind, .flags = flags, .cookie = pending->cookie };
    int                           rc     = request_send(pending->peer, &header, NULL, 0, NULL, NULL);

    if (OMPI_SUCCESS != rc) {
        pending->ended = NULL;
        ompi_osc_ucp_pending_part_done(pending, rc);
    } else {
        pending->peer->window->counters.round_trips++;
    }
    return rc;
}

/** What a waiting question learns. */
typedef struct answer_t {
    bool done;
    int  status;
} answer_t;

static void answered(ompi_osc_ucp_pending_t *pending)
{
    answer_t *answer = pending->arg;

    answer->status = pending->status;
    answer->done   = true;
}

/** Ask and wait; the answer's data go to `result`, `len` bytes. */
static int question_ask(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, uint8_t flags, void *result, size_t len)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, false);
    answer_t                answer  = { .done = false };
    int                     rc;

    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pending->ended  = answered;
    pending->arg    = &answer;
    pending->result = result;
    ompi_osc_ucp_layout_contiguous(&pending->result_layout, 0, len);
    rc = question_send(pending, kind, flags);
    while (OMPI_SUCCESS == rc && !answer.done) {
        ompi_osc_ucp_wait_step();
    }
    return OMPI_SUCCESS == rc ? answer.status : rc;
}

static void acknowledged(ompi_osc_ucp_pending_t *pending)
{
    (*(uint32_t *) pending->arg)--;
    pending->peer->acknowledging--;
    if (OMPI_SUCCESS != pending->status) {
        pending->peer->error = pending->status;
    }
}

/** Ask for an acknowledgement of all that was sent, without waiting for it. */
static int acknowledgement_request(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, uint8_t flags,
                                   uint32_t *awaited)
{
    ompi_osc_ucp_pending_t *pending = ompi_osc_ucp_pending_new(peer, false);
    int                     rc;

    if (NULL == pending) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pending->ended = acknowledged;
    pending->arg   = awaited;
    rc = question_send(pending, kind, flags);
    if (OMPI_SUCCESS == rc) {
        peer->unacknowledged = false;
        peer->acknowledging++;
        (*awaited)++;
    }
    return rc;
}

static int am_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    /* What another thread's flush already asks for is not here yet either. */
    if (!peer->unacknowledged && 0 == peer->acknowledging) {
        return OMPI_SUCCESS;
    }
    return acknowledgement_request(peer, OMPI_OSC_UCP_KIND_FLUSH, 0, awaited);
}

static int am_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    peer->window->counters.lock_waits++;
    return question_ask(peer, OMPI_OSC_UCP_KIND_LOCK, exclusive ? OMPI_OSC_UCP_FLAG_EXCLUSIVE : 0, NULL, 0);
}

static int am_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    return acknowledgement_request(peer, OMPI_OSC_UCP_KIND_UNLOCK, exclusive ? OMPI_OSC_UCP_FLAG_EXCLUSIVE : 0,
                                   awaited);
}

int ompi_osc_ucp_am_describe(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_description_t *description_p)
{
    return question_ask(peer, OMPI_OSC_UCP_KIND_DESCRIBE, 0, description_p, sizeof(*description_p));
}

static void notified(void *arg, int status)
{
    (void) status;
    (*(uint32_t *) arg)--;
}

int ompi_osc_ucp_am_notify(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_kind_t kind, int64_t disp, uint32_t *awaited)
{
    ompi_osc_ucp_request_header_t header = { .kind = (uint8_t) kind, .disp = disp };
    int                           rc;

    (*awaited)++;
    rc = request_send(peer, &header, NULL, 0, notified, awaited);
    if (OMPI_SUCCESS != rc) {
        (*awaited)--;
    }
    return rc;
}

static int am_post(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_am_notify(peer, OMPI_OSC_UCP_KIND_POST, 0, awaited);
}

static int am_complete(ompi_osc_ucp_peer_t *peer, uint32_t *awaited)
{
    return ompi_osc_ucp_am_notify(peer, OMPI_OSC_UCP_KIND_COMPLETE, 0, awaited);
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_am = {
    .via          = OMPI_OSC_UCP_VIA_AM,
    .put          = am_put,
    .get          = am_get,
    .accumulate   = am_accumulate,
    .compare_swap = am_compare_swap,
    .flush        = am_flush,
    .lock         = am_lock,
    .unlock       = am_unlock,
    .post         = am_post,
    .complete     = am_complete
};
