/* The messages of the am path, as they are on the wire, and their decoding.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A message to a target's service side is a packet: a header, and commands one behind the other. A message back is a
 * list of replies. Host byte order: all processes of a job have one architecture. Numbers of operations, element types
 * and kinds are ours and do not depend on Open MPI's.
 */

#ifndef OSC_UCP_AM_WIRE_H
#define OSC_UCP_AM_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/cma.h"
#include "memory/description.h"

/** What a command asks for. */
typedef enum ompi_osc_ucp_kind_t {
    OMPI_OSC_UCP_KIND_PUT = 1,      /**< data: len bytes */
    OMPI_OSC_UCP_KIND_GET,          /**< reply: len bytes */
    OMPI_OSC_UCP_KIND_ACCUMULATE,   /**< data: packed elements (none for NO_OP); reply, if asked for: as they were */
    OMPI_OSC_UCP_KIND_COMPARE_SWAP, /**< data: new element, compare element; reply: old element */
    OMPI_OSC_UCP_KIND_LOCK,         /**< what follows waits until the lock is granted; reply, if asked for: then */
    OMPI_OSC_UCP_KIND_UNLOCK,
    OMPI_OSC_UCP_KIND_COMPLETE,
    OMPI_OSC_UCP_KIND_POST,
    OMPI_OSC_UCP_KIND_BARRIER,      /**< disp: the round */
    OMPI_OSC_UCP_KIND_DESCRIBE,     /**< reply: ompi_osc_ucp_description_t */
    OMPI_OSC_UCP_KIND_DOORBELL,         /**< the turn of a lock that this service side waits for may have come, or a mail
                                         (near_mail.h) lies there */
    OMPI_OSC_UCP_KIND_COUNT
} ompi_osc_ucp_kind_t;

enum {
    OMPI_OSC_UCP_FLAG_REPLY     = 1, /**< an ompi_osc_ucp_wire_reply_to_t follows the command */
    OMPI_OSC_UCP_FLAG_LAYOUT    = 2, /**< an ompi_osc_ucp_wire_shape_t follows, and a layout goes before the data */
    OMPI_OSC_UCP_FLAG_PAYLOAD   = 4, /**< layout and data are not behind the command but the message's payload */
    OMPI_OSC_UCP_FLAG_EXCLUSIVE = 8, /**< LOCK, UNLOCK */
    OMPI_OSC_UCP_FLAG_JOIN      = 16, /**< LOCK, shared: past the queue (osc_ucp_lockword.h) */
    OMPI_OSC_UCP_FLAG_CMA    = 32  /**< an ompi_osc_ucp_wire_cma_t follows, and neither layout nor data: the
                                           target has the kernel copy those, and the result, from and to the origin's
                                           memory */
};

/** Head of a packet. */
typedef struct ompi_osc_ucp_wire_packet_t {
    uint64_t window;   /**< id */
    uint64_t ack;      /**< who waits until all up to here is applied: a cookie, replied to then; 0: nobody */
    uint32_t origin;   /**< rank of the sender in the window's group */
    uint32_t sequence; /**< of the ordered packets from this origin to this member of the window */
    uint32_t ordered;  /**< 1: to be applied in turn */
    uint32_t unused;
} ompi_osc_ucp_wire_packet_t;

/** A command. */
typedef struct ompi_osc_ucp_wire_command_t {
    uint8_t  kind;  /**< ompi_osc_ucp_kind_t */
    uint8_t  flags;
    uint8_t  op;    /**< ompi_osc_ucp_op_code_t */
    uint8_t  prim;  /**< ompi_osc_ucp_prim_t's code */
    uint32_t len;   /**< bytes of target memory (cells for accumulates) that it is about */
    int64_t  disp;  /**< bytes from the window's base, or an address in a dynamic window */
} ompi_osc_ucp_wire_command_t;

/** Whom to reply to. */
typedef struct ompi_osc_ucp_wire_reply_to_t {
    uint64_t cookie;
    uint64_t pos;    /**< returned in the reply: packed byte of the result where its data belong */
} ompi_osc_ucp_wire_reply_to_t;

/** Which part of which layout. */
typedef struct ompi_osc_ucp_wire_shape_t {
    uint64_t pos; /**< first packed byte of the layout that the command is about */
    uint64_t len; /**< bytes of the encoded layout */
} ompi_osc_ucp_wire_shape_t;

/** Where in the origin's memory are data and result, packed. */
typedef struct ompi_osc_ucp_wire_cma_t {
    ompi_osc_ucp_cma_process_t process;
    uint64_t                    data;
    uint64_t                    result;
} ompi_osc_ucp_wire_cma_t;

/** One reply; `len` bytes of data follow. */
typedef struct ompi_osc_ucp_wire_reply_t {
    uint64_t cookie;
    uint64_t pos;
    uint32_t len;
    int32_t  status; /**< OMPI_SUCCESS, or why the target refused this or, to an ack, something before it */
} ompi_osc_ucp_wire_reply_t;

_Static_assert(32 == sizeof(ompi_osc_ucp_wire_packet_t), "without holes");
_Static_assert(16 == sizeof(ompi_osc_ucp_wire_command_t), "without holes");
_Static_assert(24 == sizeof(ompi_osc_ucp_wire_reply_t), "without holes");
_Static_assert(40 == sizeof(ompi_osc_ucp_wire_cma_t), "without holes");
_Static_assert(sizeof(ompi_osc_ucp_wire_cma_t) >= sizeof(ompi_osc_ucp_wire_shape_t), "a command has one of them");

/** Longest command but for layout and data. */
#define OMPI_OSC_UCP_COMMAND_MAX                                                                                       \
    (sizeof(ompi_osc_ucp_wire_command_t) + sizeof(ompi_osc_ucp_wire_reply_to_t) + sizeof(ompi_osc_ucp_wire_cma_t))

/** A get of more than this may be answered from the window's memory itself: until the reply is here, the origin must
 *  let nobody else change that. */
#define OMPI_OSC_UCP_GET_COPIED_MAX 8192

/** Most target bytes of what travels by chunks: operations with a layout, and accumulates of both kinds, unless the
 *  kernel copies for them. What goes with a chunk fits into one fragment of UCX's tcp, 64 KiB. */
#define OMPI_OSC_UCP_FRAG_MAX (60 * 1024)

/** Data of no less than this may stay with the sender until the other side has a place for them: it saves copies, and
 *  takes a round trip. */
#define OMPI_OSC_UCP_RENDEZVOUS_MIN (256 * 1024)

/** A command as its handler sees it, decoded; where there is no part for a field, it is 0. */
typedef struct ompi_osc_ucp_command_t {
    ompi_osc_ucp_wire_command_t  wire;
    ompi_osc_ucp_wire_reply_to_t reply_to;
    ompi_osc_ucp_wire_shape_t    shape;
    ompi_osc_ucp_wire_cma_t      cma;    /**< of meaning with OMPI_OSC_UCP_FLAG_CMA */
    const char                  *layout; /**< encoded; NULL: contiguous at disp */
    const char                  *data;
    uint64_t                     data_len;
    bool                         payload; /**< layout and data are in the payload: still to be found */
} ompi_osc_ucp_command_t;

/**
 * Decode the command at `*offset_p` of a packet's `len` bytes, and step behind it. False if that is none, or a part of
 * one: then the rest of the packet has no meaning. Not checked: whether the target can do what is asked.
 */
bool ompi_osc_ucp_command_decode(const char *packet, size_t len, size_t *offset_p, ompi_osc_ucp_command_t *command_p);

/** Find layout and data of a command in its message's payload. False if that is too short or too long. */
bool ompi_osc_ucp_command_payload(ompi_osc_ucp_command_t *command, const char *payload, size_t len);

/** Write a command but for layout and data: what its flags name. Returns its length. */
size_t ompi_osc_ucp_command_encode(const ompi_osc_ucp_command_t *command, char *buffer);

#endif /* OSC_UCP_AM_WIRE_H */
