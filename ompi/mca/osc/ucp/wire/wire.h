/* The format of messages, and the encoder and decoder of commands.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message to a service side is a header, ompi_osc_ucp_wire_packet_t, and commands behind it. A message to an origin
 * side is a list of replies. The byte order is the host's: all processes of a job have one architecture. Codes of
 * operations, element types and kinds do not depend on Open MPI's numbers. See docs/protocol.md.
 */

#ifndef OSC_UCP_WIRE_H
#define OSC_UCP_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/description.h"

/** The kinds of commands. */
typedef enum ompi_osc_ucp_kind_t {
    OMPI_OSC_UCP_KIND_PUT = 1,      /**< data: len bytes */
    OMPI_OSC_UCP_KIND_GET,          /**< reply: len bytes */
    OMPI_OSC_UCP_KIND_ACCUMULATE,   /**< data: packed elements (none for NO_OP); reply, if requested: the old ones */
    OMPI_OSC_UCP_KIND_COMPARE_SWAP, /**< data: new element, compare element; reply: old element */
    OMPI_OSC_UCP_KIND_LOCK,         /**< later commands wait for the grant; reply, if requested: when granted */
    OMPI_OSC_UCP_KIND_UNLOCK,
    OMPI_OSC_UCP_KIND_COMPLETE,
    OMPI_OSC_UCP_KIND_RAISE,        /**< len: index of the notification counter that is raised; disp: the place where
                                     *   the operation begins that it tells of */
    OMPI_OSC_UCP_KIND_COUNTERS,     /**< reply: the number of notification counters, 4 bytes */
    OMPI_OSC_UCP_KIND_POST,
    OMPI_OSC_UCP_KIND_BARRIER,      /**< disp: the round; with a veto, plus 256 times 1 + the barrier's parity */
    OMPI_OSC_UCP_KIND_DESCRIBE,     /**< reply: ompi_osc_ucp_description_t */
    OMPI_OSC_UCP_KIND_DOORBELL,     /**< look at the lock queue and at the fastboxes */
    OMPI_OSC_UCP_KIND_ASK,          /**< reply: ompi_osc_ucp_watched_answer_t. disp: id of the window whose lock it is
                                     *   about, or 0. With op 1, a claim: disp: the process; len: the user's request */
    OMPI_OSC_UCP_KIND_COUNT
} ompi_osc_ucp_kind_t;

enum {
    OMPI_OSC_UCP_FLAG_REPLY     = 1,  /**< an ompi_osc_ucp_wire_reply_to_t follows the command */
    OMPI_OSC_UCP_FLAG_LAYOUT    = 2,  /**< an ompi_osc_ucp_wire_shape_t follows, and a layout before the data */
    OMPI_OSC_UCP_FLAG_PAYLOAD   = 4,  /**< layout and data are the message's payload, not behind the command */
    OMPI_OSC_UCP_FLAG_EXCLUSIVE = 8,  /**< LOCK, UNLOCK */
    OMPI_OSC_UCP_FLAG_JOIN      = 16, /**< LOCK, shared: go past the queue (memory/lockword.h) */
    OMPI_OSC_UCP_FLAG_UNITS     = 32, /**< PUT to COMPARE_SWAP: the target multiplies disp by its displacement unit */
    OMPI_OSC_UCP_FLAG_RAISE     = 64  /**< PUT with its data: then raise a notification counter; op and prim are its
                                       *   index */
};

/** Head of a packet. */
typedef struct ompi_osc_ucp_wire_packet_t {
    uint64_t secret;       /**< the receiving process's, which only the job knows (peer/proc.h) */
    uint64_t window;       /**< id */
    uint64_t ack;          /**< cookie to reply to when all up to this packet is applied; 0: none */
    uint32_t origin : 31;  /**< rank of the sender in the window's group */
    uint32_t ordered : 1;  /**< applied in the order of `sequence` */
    uint32_t sequence;     /**< number among the ordered packets of this origin to this member of the window */
} ompi_osc_ucp_wire_packet_t;

/** A command. */
typedef struct ompi_osc_ucp_wire_command_t {
    uint8_t  kind;  /**< ompi_osc_ucp_kind_t */
    uint8_t  flags;
    uint8_t  op;    /**< ompi_osc_ucp_op_code_t */
    uint8_t  prim;  /**< code of an ompi_osc_ucp_prim_t */
    uint32_t len;   /**< bytes of target memory; for accumulates, of cells */
    int64_t  disp;  /**< bytes from the window's base, or an address in a dynamic window; units with FLAG_UNITS */
} ompi_osc_ucp_wire_command_t;

/** Let a put raise a notification counter. False: it raises one already, or the index is too large. */
static inline bool ompi_osc_ucp_wire_raise(ompi_osc_ucp_wire_command_t *wire, uint32_t index)
{
    if (0 != (wire->flags & OMPI_OSC_UCP_FLAG_RAISE) || index > UINT16_MAX) {
        return false;
    }
    wire->flags |= OMPI_OSC_UCP_FLAG_RAISE;
    wire->op     = (uint8_t) index;
    wire->prim   = (uint8_t) (index >> 8);
    return true;
}

/** The index of the counter that a put raises. */
static inline uint32_t ompi_osc_ucp_wire_raised(const ompi_osc_ucp_wire_command_t *wire)
{
    return wire->op + 256U * wire->prim;
}

/** What the reply names. */
typedef struct ompi_osc_ucp_wire_reply_to_t {
    uint64_t cookie;
    uint64_t pos;    /**< packed byte of the result where the reply's data belong */
} ompi_osc_ucp_wire_reply_to_t;

/** The layout of a command, and which part of it. */
typedef struct ompi_osc_ucp_wire_shape_t {
    uint64_t pos; /**< first packed byte of the layout that the command applies to */
    uint64_t len; /**< bytes of the encoded layout */
} ompi_osc_ucp_wire_shape_t;

/** One reply; `len` bytes of data follow. */
typedef struct ompi_osc_ucp_wire_reply_t {
    uint64_t cookie;
    uint64_t pos;    /**< of the data; if the command was refused, its displacement, bytes */
    uint32_t len;
    int32_t  status; /**< OMPI_SUCCESS, or why the target refused the command; for an ack, an earlier one */
} ompi_osc_ucp_wire_reply_t;

_Static_assert(32 == sizeof(ompi_osc_ucp_wire_packet_t), "without holes");
_Static_assert(16 == sizeof(ompi_osc_ucp_wire_command_t), "without holes");
_Static_assert(24 == sizeof(ompi_osc_ucp_wire_reply_t), "without holes");

/** A command's place among all ordered ones of an origin: the number of its packet, and its offset there. */
#define OMPI_OSC_UCP_PLACES_PER_PACKET 16384

static inline int64_t ompi_osc_ucp_wire_place(uint32_t sequence, size_t offset)
{
    return (int64_t) sequence * OMPI_OSC_UCP_PLACES_PER_PACKET + (int64_t) offset;
}

/** Does place `a` come before place `b`? The number of a packet may have begun anew from 0. */
static inline bool ompi_osc_ucp_wire_is_before(int64_t a, int64_t b)
{
    const int shift = 64 - 32 - 14; /* the places have so many bits less */

    return (int64_t) (((uint64_t) a - (uint64_t) b) << shift) < 0;
}

_Static_assert(1 << 14 == OMPI_OSC_UCP_PLACES_PER_PACKET, "32 bits of the number, 14 of the offset");

/** Longest command, without layout and data. Bytes. */
#define OMPI_OSC_UCP_COMMAND_MAX                                                                                       \
    (sizeof(ompi_osc_ucp_wire_command_t) + sizeof(ompi_osc_ucp_wire_reply_to_t) + sizeof(ompi_osc_ucp_wire_shape_t))

/** The reply to a get of more bytes may be sent from the window's memory without a copy. Until it arrives, the origin
 *  must not let others change that memory. */
#define OMPI_OSC_UCP_GET_COPIED_MAX 8192

/** Most target bytes of a fragment of an operation with a layout, or of an accumulate. With its command it fits into
 *  one fragment of UCX's tcp, 64 KiB. */
#define OMPI_OSC_UCP_FRAG_MAX (60 * 1024)

/** At least so many bytes go by rendezvous where the network allows it: it saves copies but takes a round trip. */
#define OMPI_OSC_UCP_RENDEZVOUS_MIN (256 * 1024)

/** A decoded command. Fields for parts that it does not have are 0. `layout` and `data` point into the message. */
typedef struct ompi_osc_ucp_command_t {
    ompi_osc_ucp_wire_command_t  wire;
    ompi_osc_ucp_wire_reply_to_t reply_to;
    ompi_osc_ucp_wire_shape_t    shape;
    const char                  *layout; /**< encoded; NULL: contiguous at disp */
    const char                  *data;
    uint64_t                     data_len;
    bool                         payload; /**< layout and data are in the payload; see ompi_osc_ucp_command_payload */
} ompi_osc_ucp_command_t;

/**
 * Decode the command at *offset_p of a packet's `len` bytes, and advance *offset_p. False if it is invalid or cut off:
 * then the rest of the packet is invalid. The caller checks whether the target can execute the command.
 */
bool ompi_osc_ucp_command_decode(const char *packet, size_t len, size_t *offset_p, ompi_osc_ucp_command_t *command_p);

/** Find layout and data of a command in its message's payload. False if the payload has another length. */
bool ompi_osc_ucp_command_payload(ompi_osc_ucp_command_t *command, const char *payload, size_t len);

/** Write a command without layout and data: the structs that its flags name. Returns its length, bytes. */
size_t ompi_osc_ucp_command_encode(const ompi_osc_ucp_command_t *command, char *buffer);

#endif /* OSC_UCP_WIRE_H */
