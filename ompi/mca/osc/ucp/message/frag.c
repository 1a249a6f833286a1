/* Fragments: long operations, cut into messages of their own. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A put or get that is contiguous at both ends is one fragment of up to 1 GiB: UCX moves it from buffer to buffer. All
 * others are cut, and the number of fragments in flight is limited, which bounds the memory on both sides. Over tcp
 * everything is cut, so that both sides copy at the same time and no rendezvous is needed. Where the network registers
 * memory everything is cut and copied, because messages then serve what cannot be registered.
 */

#include "message/frag.h"

#include <stdlib.h>

#include "base/wait.h"
#include "message/packet.h"

/** Most target bytes of a fragment that is contiguous at both ends. */
#define CONTIGUOUS_BYTES (UINT64_C(1) << 30)

/** Layouts of up to so many nodes travel with every fragment. A longer one is cut into slices, of at most so many. */
#define LAYOUT_NODES_WHOLE 64
#define LAYOUT_NODES_SLICE 1024

/** Most bytes of the end of a call that go by packet. Copying them takes less than a message of its own. */
#define END_MAX 8192

/** Most fragments of this process in flight: sends that still use a buffer, and replies to come. */
#define FRAGS_IN_FLIGHT 128

static uint32_t frags_in_flight;

/** A copied payload on its way; malloc'd. */
typedef struct packed_t {
    ompi_osc_ucp_pending_t *pending;
    char                    data[];
} packed_t;

/** A call, and how far it is cut. */
typedef struct cursor_t {
    const ompi_osc_ucp_transfer_t *transfer;
    const ompi_osc_ucp_model_t    *model;
    ompi_osc_ucp_pending_t        *pending;
    ompi_osc_ucp_layout_iter_t     origin; /**< the next packed byte to send */
    uint64_t                       pos;    /**< the next byte of the target layout */
    uint64_t                       room;   /**< target bytes of one fragment */
} cursor_t;

static void frag_begin(ompi_osc_ucp_pending_t *pending)
{
    frags_in_flight++;
    pending->parts++;
}

static void frag_done(ompi_osc_ucp_pending_t *pending, int status)
{
    frags_in_flight--;
    ompi_osc_ucp_pending_part_done(pending, status);
}

static void frag_replied(void)
{
    frags_in_flight--;
}

static void frag_sent(void *arg, int status)
{
    frag_done(arg, status);
}

static void packed_sent(void *arg, int status)
{
    packed_t *packed = arg;

    frag_done(packed->pending, status);
    free(packed);
}

/**
 * Choose the length of the next fragment, and fill in where it goes. *shape_p is the layout that travels with it: NULL
 * if it is contiguous, the target's own, or a slice of that, made in `slice`. The caller frees `slice` in any case.
 */
static int frag_shape(const cursor_t *cursor, ompi_osc_ucp_command_t *command, ompi_osc_ucp_layout_t *slice,
                      const ompi_osc_ucp_layout_t **shape_p)
{
    const ompi_osc_ucp_transfer_t *transfer = cursor->transfer;
    const ompi_osc_ucp_layout_t   *layout   = transfer->target_layout;
    uint64_t                       left     = layout->size - cursor->pos;
    uint64_t                       len      = left < cursor->room ? left : cursor->room;

    command->wire.disp    = transfer->disp;
    command->reply_to.pos = cursor->pos / cursor->model->cell * cursor->model->packed;
    *shape_p              = NULL;
    ompi_osc_ucp_layout_contiguous(slice, 0, 0);
    if (ompi_osc_ucp_transfer_is_bare(transfer, cursor->pos)) {
        command->wire.disp += layout->lb + (int64_t) cursor->pos;
    } else if (layout->nnodes <= LAYOUT_NODES_WHOLE) {
        command->shape.pos = cursor->pos;
        *shape_p           = layout;
    } else {
        if (!ompi_osc_ucp_layout_slice(layout, cursor->pos, cursor->model->cell, LAYOUT_NODES_SLICE, &len, slice)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        *shape_p = slice;
    }
    command->wire.len = (uint32_t) len;
    if (NULL != *shape_p) {
        command->wire.flags |= OMPI_OSC_UCP_FLAG_LAYOUT;
        command->shape.len   = ompi_osc_ucp_layout_encoded_size(*shape_p);
    }
    return OMPI_SUCCESS;
}

/** Rendezvous is for puts only: their data have a place at the target before they arrive. */
static opal_common_ucp_how_t how_to_send(const ompi_osc_ucp_command_t *command, uint64_t len)
{
    return OMPI_OSC_UCP_KIND_PUT == command->wire.kind && len >= OMPI_OSC_UCP_RENDEZVOUS_MIN ? OPAL_COMMON_UCP_ANY
                                                                                             : OPAL_COMMON_UCP_EAGER;
}

/** Send a fragment with a payload: the layout, if there is one, and `len` packed bytes of the origin's buffer. */
static int payload_send(cursor_t *cursor, ompi_osc_ucp_command_t *command, const ompi_osc_ucp_layout_t *shape,
                        uint64_t len)
{
    const ompi_osc_ucp_transfer_t *transfer = cursor->transfer;
    packed_t                      *packed;
    int64_t                        disp = 0;
    uint64_t                       run;
    int                            rc;

    command->wire.flags |= OMPI_OSC_UCP_FLAG_PAYLOAD;
    if (NULL == shape && ompi_osc_ucp_layout_is_contiguous(transfer->origin_layout) && !opal_common_ucp_registers()) {
        /* The whole iterator advances: a later fragment of the call may need a layout, and is packed. */
        (void) ompi_osc_ucp_layout_iter_next(&cursor->origin, len, &disp, &run);
        frag_begin(cursor->pending);
        rc = ompi_osc_ucp_packet_frag(transfer->peer, command, (const char *) transfer->origin + disp, len,
                                      how_to_send(command, len), frag_sent, cursor->pending);
        if (OMPI_SUCCESS != rc) {
            frag_done(cursor->pending, OMPI_SUCCESS);
        }
        return rc;
    }

    packed = malloc(sizeof(*packed) + command->shape.len + len);
    if (NULL == packed) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    packed->pending = cursor->pending;
    if (NULL != shape) {
        ompi_osc_ucp_layout_encode(shape, packed->data);
    }
    if (len > 0) {
        ompi_osc_ucp_layout_pack(&cursor->origin, transfer->origin, packed->data + command->shape.len, len);
    }
    frag_begin(cursor->pending);
    rc = ompi_osc_ucp_packet_frag(transfer->peer, command, packed->data, command->shape.len + len,
                                  OPAL_COMMON_UCP_EAGER, packed_sent, packed);
    if (OMPI_SUCCESS != rc) {
        packed_sent(packed, OMPI_SUCCESS);
    }
    return rc;
}

/** Is this the short end of a call that was cut, without a reply? In the packet a request for an acknowledgement, or a
 *  notification, can share its message. */
static bool is_end(const cursor_t *cursor, const ompi_osc_ucp_command_t *command, const ompi_osc_ucp_layout_t *shape,
                   uint64_t len)
{
    return NULL == shape && len <= END_MAX && cursor->pos > 0 &&
           cursor->pos + command->wire.len == cursor->transfer->target_layout->size &&
           0 == (command->wire.flags & OMPI_OSC_UCP_FLAG_REPLY);
}

/** Append such an end, with its `len` bytes of data, to the packet. */
static int end_append(cursor_t *cursor, const ompi_osc_ucp_command_t *command, uint64_t len)
{
    int   rc;
    char *room = ompi_osc_ucp_packet_reserve(cursor->transfer->peer, sizeof(command->wire) + len, &rc);

    if (NULL != room) {
        memcpy(room, &command->wire, sizeof(command->wire));
        ompi_osc_ucp_layout_pack(&cursor->origin, cursor->transfer->origin, room + sizeof(command->wire), len);
    }
    return rc;
}

/** Send a fragment without a payload: it is appended to the packet. */
static int bare_send(const cursor_t *cursor, const ompi_osc_ucp_command_t *command)
{
    char   encoded[OMPI_OSC_UCP_COMMAND_MAX];
    size_t len = ompi_osc_ucp_command_encode(command, encoded);
    int    rc;
    char  *room = ompi_osc_ucp_packet_reserve(cursor->transfer->peer, len, &rc);

    if (NULL != room) {
        memcpy(room, encoded, len);
    }
    return rc;
}

/** Send the next fragment of the call. */
static int frag_next(cursor_t *cursor)
{
    const ompi_osc_ucp_model_t    *model    = cursor->model;
    const ompi_osc_ucp_transfer_t *transfer = cursor->transfer;
    ompi_osc_ucp_command_t         command  = {
        .wire = { .kind = model->kind, .flags = transfer->in_units ? OMPI_OSC_UCP_FLAG_UNITS : 0, .op = model->op,
                  .prim = model->prim }
    };
    bool                           replied  = NULL != transfer->result_layout;
    const ompi_osc_ucp_layout_t   *shape;
    ompi_osc_ucp_layout_t          slice;
    uint64_t                       sent;
    int                            rc;

    while (frags_in_flight >= FRAGS_IN_FLIGHT) {
        ompi_osc_ucp_wait_step();
    }
    rc = frag_shape(cursor, &command, &slice, &shape);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (replied) {
        frag_begin(cursor->pending);
        cursor->pending->replies++;
        command.wire.flags     |= OMPI_OSC_UCP_FLAG_REPLY;
        command.reply_to.cookie = cursor->pending->cookie;
    }
    sent = NULL == transfer->origin_layout ? 0 : command.wire.len / model->cell * model->packed;
    rc   = 0 == sent && NULL == shape               ? bare_send(cursor, &command)
           : is_end(cursor, &command, shape, sent) ? end_append(cursor, &command, sent)
                                                   : payload_send(cursor, &command, shape, sent);
    if (OMPI_SUCCESS != rc && replied) {
        ompi_osc_ucp_reply_lost(cursor->pending->cookie, OMPI_SUCCESS);
    }
    if (!replied) {
        /* After the message: while that waited, another thread's flush could have cleared this. */
        transfer->peer->unacknowledged = true;
    }
    ompi_osc_ucp_layout_fini(&slice);
    cursor->pos += command.wire.len;
    return rc;
}

/** Choose how the fragments of a call travel, and how long they are. */
static void cursor_begin(cursor_t *cursor)
{
    const ompi_osc_ucp_transfer_t *transfer   = cursor->transfer;
    const ompi_osc_ucp_layout_t   *origin     = transfer->origin_layout;
    uint32_t                       cell       = cursor->model->cell;
    bool                           contiguous = ompi_osc_ucp_transfer_is_bare(transfer, 0) &&
                                                (!transfer->in_units ||
                                                 transfer->target_layout->size <= CONTIGUOUS_BYTES) &&
                                                ompi_osc_ucp_layout_is_contiguous(&cursor->pending->result_layout) &&
                                                (NULL == origin || ompi_osc_ucp_layout_is_contiguous(origin));

    if (contiguous && !transfer->peer->stream && !opal_common_ucp_registers() &&
               OMPI_OSC_UCP_KIND_ACCUMULATE != cursor->model->kind) {
        cursor->room = CONTIGUOUS_BYTES;
    } else {
        cursor->room = OMPI_OSC_UCP_FRAG_MAX - OMPI_OSC_UCP_FRAG_MAX % cell;
    }
}

static void fetched(ompi_osc_ucp_pending_t *pending)
{
    pending->peer->fetching--;
}

void ompi_osc_ucp_frags_await_fetched(const ompi_osc_ucp_peer_t *peer)
{
    while (peer->fetching > 0) {
        ompi_osc_ucp_wait_step();
    }
}

int ompi_osc_ucp_frags_send(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model,
                            ompi_osc_ucp_pending_t *pending)
{
    cursor_t cursor = { .transfer = transfer, .model = model, .pending = pending };
    int      rc     = OMPI_SUCCESS;

    cursor_begin(&cursor);
    pending->replied = frag_replied;
    if (NULL != transfer->result_layout) {
        pending->ended = fetched;
        transfer->peer->fetching++;
    }
    if (NULL != transfer->origin_layout) {
        ompi_osc_ucp_layout_iter_init(&cursor.origin, transfer->origin_layout, 0);
    }
    while (OMPI_SUCCESS == rc && cursor.pos < transfer->target_layout->size) {
        rc = frag_next(&cursor);
    }
    if (NULL == transfer->origin_layout && !transfer->peer->granting) {
        ompi_osc_ucp_packet_release(transfer->peer); /* fragments without a payload are still in the open packet */
    }
    return rc;
}
