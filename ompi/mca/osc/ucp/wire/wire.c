/* The encoder and decoder of commands.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only the decoder parses packets. Whatever a packet contains, it reads no byte outside of it.
 */

#include "wire/wire.h"

#include <string.h>

#include "op/op.h"

/** The unread part of a packet. */
typedef struct reader_t {
    const char *at;
    size_t      left;
} reader_t;

/** Take the next `len` bytes; NULL if fewer are left. */
static const char *read_bytes(reader_t *reader, uint64_t len)
{
    const char *at = reader->at;

    if (len > reader->left) {
        return NULL;
    }
    reader->at   += len;
    reader->left -= len;
    return at;
}

static bool read_struct(reader_t *reader, void *to, size_t len)
{
    const char *at = read_bytes(reader, len);

    if (NULL == at) {
        return false;
    }
    memcpy(to, at, len);
    return true;
}

/** Bytes of a command's data. False if its kind or element type is invalid, or its length has a part of an element. */
static bool data_len(const ompi_osc_ucp_wire_command_t *wire, uint64_t *len_p)
{
    const ompi_osc_ucp_prim_t *prim;

    *len_p = 0;
    switch (wire->kind) {
    case OMPI_OSC_UCP_KIND_PUT:
        *len_p = wire->len;
        return true;
    case OMPI_OSC_UCP_KIND_COMPARE_SWAP:
        *len_p = 2 * (uint64_t) wire->len;
        return true;
    case OMPI_OSC_UCP_KIND_ACCUMULATE:
        prim = ompi_osc_ucp_prim_by_code(wire->prim);
        if (NULL == prim || 0 != wire->len % prim->extent) {
            return false;
        }
        *len_p = OMPI_OSC_UCP_OP_NO_OP == wire->op ? 0 : (uint64_t) wire->len / prim->extent * prim->size;
        return true;
    default:
        return wire->kind > 0 && wire->kind < OMPI_OSC_UCP_KIND_COUNT;
    }
}

/** Take layout and data. False if they are cut off. */
static bool read_data(reader_t *reader, ompi_osc_ucp_command_t *command)
{
    if (0 != (command->wire.flags & OMPI_OSC_UCP_FLAG_LAYOUT)) {
        command->layout = read_bytes(reader, command->shape.len);
        if (NULL == command->layout) {
            return false;
        }
    }
    command->data = read_bytes(reader, command->data_len);
    return NULL != command->data;
}

bool ompi_osc_ucp_command_decode(const char *packet, size_t len, size_t *offset_p, ompi_osc_ucp_command_t *command_p)
{
    reader_t reader = { .at = packet + *offset_p, .left = len - *offset_p };
    uint8_t  flags;

    if (!read_struct(&reader, &command_p->wire, sizeof(command_p->wire)) ||
        !data_len(&command_p->wire, &command_p->data_len)) {
        return false;
    }
    flags = command_p->wire.flags;
    if (0 == (flags & OMPI_OSC_UCP_FLAG_REPLY)) {
        command_p->reply_to = (ompi_osc_ucp_wire_reply_to_t) { 0 };
    } else if (!read_struct(&reader, &command_p->reply_to, sizeof(command_p->reply_to))) {
        return false;
    }
    if (0 == (flags & OMPI_OSC_UCP_FLAG_LAYOUT)) {
        command_p->shape = (ompi_osc_ucp_wire_shape_t) { 0 };
    } else if (!read_struct(&reader, &command_p->shape, sizeof(command_p->shape))) {
        return false;
    }
    command_p->layout  = NULL;
    command_p->data    = NULL;
    command_p->payload = 0 != (flags & OMPI_OSC_UCP_FLAG_PAYLOAD);
    if (command_p->payload && 0 != (flags & OMPI_OSC_UCP_FLAG_RAISE)) {
        return false; /* it could be received after that */
    }
    if (!command_p->payload && !read_data(&reader, command_p)) {
        return false;
    }
    *offset_p = len - reader.left;
    return true;
}

bool ompi_osc_ucp_command_payload(ompi_osc_ucp_command_t *command, const char *payload, size_t len)
{
    reader_t reader = { .at = payload, .left = len };

    return NULL != payload && read_data(&reader, command) && 0 == reader.left;
}

/** Write at `to`; returns the end. */
static char *write_struct(char *to, const void *from, size_t len)
{
    memcpy(to, from, len);
    return to + len;
}

size_t ompi_osc_ucp_command_encode(const ompi_osc_ucp_command_t *command, char *buffer)
{
    char *end = write_struct(buffer, &command->wire, sizeof(command->wire));

    if (0 != (command->wire.flags & OMPI_OSC_UCP_FLAG_REPLY)) {
        end = write_struct(end, &command->reply_to, sizeof(command->reply_to));
    }
    if (0 != (command->wire.flags & OMPI_OSC_UCP_FLAG_LAYOUT)) {
        end = write_struct(end, &command->shape, sizeof(command->shape));
    }
    return (size_t) (end - buffer);
}
