/* The messages of the am path, as they are on the wire.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Host byte order: all processes of a job have one architecture. Numbers of operations, element types and kinds are
 * ours and do not depend on Open MPI's.
 */

#ifndef OSC_UCP_AM_WIRE_H
#define OSC_UCP_AM_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/** What a request asks for. Those from PUT to COMPLETE are ordered: applied in the sender's order. */
typedef enum ompi_osc_ucp_kind_t {
    OMPI_OSC_UCP_KIND_PUT = 1,      /**< data: [layout] len bytes */
    OMPI_OSC_UCP_KIND_GET,          /**< data: [layout]; reply: len bytes */
    OMPI_OSC_UCP_KIND_ACCUMULATE,   /**< data: [layout] packed elements (none for NO_OP); reply if FLAG_FETCH */
    OMPI_OSC_UCP_KIND_COMPARE_SWAP, /**< data: new element, compare element; reply: old element */
    OMPI_OSC_UCP_KIND_FLUSH,        /**< reply when all before it is applied */
    OMPI_OSC_UCP_KIND_LOCK,         /**< reply when granted */
    OMPI_OSC_UCP_KIND_UNLOCK,       /**< reply when all before it is applied and the lock is released */
    OMPI_OSC_UCP_KIND_COMPLETE,     /**< no reply */
    OMPI_OSC_UCP_KIND_POST,         /**< no reply */
    OMPI_OSC_UCP_KIND_BARRIER,      /**< no reply; disp: the round */
    OMPI_OSC_UCP_KIND_DESCRIBE,     /**< reply: ompi_osc_ucp_description_t */
    OMPI_OSC_UCP_KIND_LOOK,         /**< no reply; the turn of a lock that this service side waits for may have come */
    OMPI_OSC_UCP_KIND_COUNT
} ompi_osc_ucp_kind_t;

static inline bool ompi_osc_ucp_kind_is_ordered(uint8_t kind)
{
    return kind <= OMPI_OSC_UCP_KIND_COMPLETE;
}

enum {
    OMPI_OSC_UCP_FLAG_FETCH     = 1, /**< ACCUMULATE: reply with the elements as they were */
    OMPI_OSC_UCP_FLAG_EXCLUSIVE = 2  /**< LOCK, UNLOCK */
};

/** Header of a message to a target's service side. */
typedef struct ompi_osc_ucp_request_header_t {
    uint8_t  kind;       /**< ompi_osc_ucp_kind_t */
    uint8_t  flags;
    uint8_t  op;         /**< ompi_osc_ucp_op_code_t */
    uint8_t  prim;       /**< ompi_osc_ucp_prim_t's code */
    uint32_t origin;     /**< rank of the sender in the window's group */
    uint64_t window;     /**< id */
    uint64_t cookie;     /**< names what waits for the reply; 0: nothing does */
    int64_t  disp;       /**< bytes from the window's base, or an address in a dynamic window */
    uint64_t pos;        /**< first packed byte of the layout that this message is about; 0 without a layout */
    uint64_t len;        /**< bytes of target memory (cells for accumulates) that this message is about */
    uint64_t reply_pos;  /**< returned in the reply */
    uint32_t sequence;   /**< of ordered messages from this origin to this member of the window */
    uint32_t layout_len; /**< bytes of an encoded layout at the head of the data; 0: contiguous at disp */
} ompi_osc_ucp_request_header_t;

/** Header of a message back to the origin; its data are a piece of the result. */
typedef struct ompi_osc_ucp_reply_header_t {
    uint64_t cookie;
    uint64_t pos;    /**< packed byte of the result where the data belong */
    int32_t  status; /**< OMPI_SUCCESS, or why the target refused this or, for FLUSH and UNLOCK, something before it */
    uint32_t unused;
} ompi_osc_ucp_reply_header_t;

/** A member's window memory, and how a process of the same node may map it (osc_ucp_arena.h). */
typedef struct ompi_osc_ucp_description_t {
    int64_t  size;
    int64_t  disp_unit;
    uint64_t chunk;    /**< id of the process's chunk that holds the control block; 0: nothing can be mapped */
    uint64_t head;     /**< the owner's address of that chunk */
    uint64_t nonce;    /**< found there, if the right memory was mapped */
    uint64_t offset;   /**< of the control block in the chunk */
    uint8_t  lasting;  /**< the chunk outlives the window */
    uint8_t  memory;   /**< the window's memory follows the control block */
    char     key[454]; /**< UCX's, as long as it needs */
} ompi_osc_ucp_description_t;

_Static_assert(64 == sizeof(ompi_osc_ucp_request_header_t), "one cache line, without holes");
_Static_assert(24 == sizeof(ompi_osc_ucp_reply_header_t), "without holes");
_Static_assert(0 == sizeof(ompi_osc_ucp_description_t) % 8, "without holes");

#endif /* OSC_UCP_AM_WIRE_H */
