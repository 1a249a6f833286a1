/* A handoff: operations on a lean window, which their target may carry out in the origin's place.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each member of a lean window with memory of the program's has one, in the window's segment. An origin claims it,
 * posts a record for each operation, and waits for a moment. A target that polls takes them all. If it does not, the
 * origin takes them back, and has the kernel copy. So nobody waits for a target that computes, and each operation is
 * carried out once.
 */

#ifndef OSC_UCP_HANDOFF_H
#define OSC_UCP_HANDOFF_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ompi_osc_ucp_handoff_state_t {
    OMPI_OSC_UCP_HANDOFF_FREE,   /**< who has claimed it writes records */
    OMPI_OSC_UCP_HANDOFF_POSTED, /**< the target may take them, the origin may take them back */
    OMPI_OSC_UCP_HANDOFF_TAKEN,  /**< the target carries them out, in order */
    OMPI_OSC_UCP_HANDOFF_DONE    /**< who has claimed it may read the result, and write records */
} ompi_osc_ucp_handoff_state_t;

typedef enum ompi_osc_ucp_handoff_kind_t {
    OMPI_OSC_UCP_HANDOFF_PUT,
    OMPI_OSC_UCP_HANDOFF_GET,
    OMPI_OSC_UCP_HANDOFF_ACCUMULATE,
    OMPI_OSC_UCP_HANDOFF_SWAP, /**< compare and swap */
    OMPI_OSC_UCP_HANDOFF_SHAPED_PUT, /**< with a layout at the target */
    OMPI_OSC_UCP_HANDOFF_SHAPED_GET,
    OMPI_OSC_UCP_HANDOFF_SHAPED_ACCUMULATE,
    OMPI_OSC_UCP_HANDOFF_PULLED_ACCUMULATE, /**< its data are in the origin's memory */
    OMPI_OSC_UCP_HANDOFF_RAISE /**< a notification counter: `address` is its index, `cells` the number of times */
} ompi_osc_ucp_handoff_kind_t;

/** An operation. Its data follow, at a multiple of 16 bytes; and if it fetches, `bytes` for the compared value or the
 *  result follow them. */
typedef struct ompi_osc_ucp_handoff_record_t {
    uint64_t address; /**< the target's */
    uint16_t bytes;
    uint8_t  kind;
    uint8_t  op;      /**< of an accumulate */
    uint8_t  prim;    /**< its code; of a swap, too */
    uint8_t  fetches;
    uint16_t cells;   /**< of others than RAISE, for the origin's own use (path/gather.c) */
} ompi_osc_ucp_handoff_record_t;

/** Data of an operation with a layout: this, the encoded layout, and packed bytes. `address` is the layout's base. */
typedef struct ompi_osc_ucp_handoff_shape_t {
    uint64_t pos;   /**< first packed byte of the layout that it applies to */
    uint32_t bytes; /**< of the encoded layout */
    bool     done;  /**< set by the target; else it had no memory for the layout, and did nothing */
} ompi_osc_ucp_handoff_shape_t;

/** Data of an accumulate whose target has the kernel copy them: cells (op/op.h) in the origin's memory. */
typedef struct ompi_osc_ucp_handoff_pull_t {
    uint64_t from;  /**< the origin's address */
    uint64_t cells;
    uint64_t done;  /**< set by the target: cells of them that it has applied; the kernel has refused the others */
    int32_t  pid;   /**< of the origin */
} ompi_osc_ucp_handoff_pull_t;

/** Most bytes of data and result of an operation that is handed off alone, and of a put or a get: a longer one takes no
 *  longer by the kernel. */
#define OMPI_OSC_UCP_HANDOFF_MAX      8192
#define OMPI_OSC_UCP_HANDOFF_COPY_MAX 4096

/** Bytes for records. */
#define OMPI_OSC_UCP_HANDOFF_ROOM (OMPI_OSC_UCP_HANDOFF_MAX + 48)

/** Notifications that may follow the operations of a handoff. */
#define OMPI_OSC_UCP_HANDOFF_RAISES 16

typedef struct ompi_osc_ucp_handoff_raises_t {
    uint32_t                      n;
    ompi_osc_ucp_handoff_record_t records[OMPI_OSC_UCP_HANDOFF_RAISES];
} ompi_osc_ucp_handoff_raises_t;

/** At a multiple of 64 bytes. Origins claim it where the target does not look. The third cache line has all of an
 *  operation on one element, with its notification. */
typedef struct ompi_osc_ucp_handoff_t {
    uint32_t polls;   /**< rises while the target polls; only the target writes it; initially zero */
    char     polls_rest[60];
    uint32_t claimed; /**< by an origin: 1; atomic; initially zero */
    char     claimed_rest[60];
    uint32_t state;   /**< atomic; initially zero */
    uint32_t used;    /**< bytes of records */
    uint64_t pad;
    char     records[OMPI_OSC_UCP_HANDOFF_ROOM + OMPI_OSC_UCP_HANDOFF_RAISES * sizeof(ompi_osc_ucp_handoff_record_t)];
} ompi_osc_ucp_handoff_t;

_Static_assert(0 == sizeof(ompi_osc_ucp_handoff_t) % 64, "cache lines");

/** Make it free. The memory of records is not touched, so that it takes none before it is used. */
static inline void ompi_osc_ucp_handoff_init(ompi_osc_ucp_handoff_t *handoff)
{
    handoff->polls   = 0;
    handoff->claimed = 0;
    handoff->state   = OMPI_OSC_UCP_HANDOFF_FREE;
}

/** The bytes that a record takes. */
static inline uint32_t ompi_osc_ucp_handoff_takes(uint32_t bytes, bool fetches)
{
    return (uint32_t) (sizeof(ompi_osc_ucp_handoff_record_t) + (bytes << fetches) + 15) / 16 * 16;
}

/** The data of a record. */
static inline char *ompi_osc_ucp_handoff_data(ompi_osc_ucp_handoff_record_t *record)
{
    return (char *) (record + 1);
}

/** Layout and packed bytes of a record with a shape. */
static inline char *ompi_osc_ucp_handoff_layout(ompi_osc_ucp_handoff_shape_t *shape)
{
    return (char *) (shape + 1);
}

static inline char *ompi_osc_ucp_handoff_packed(ompi_osc_ucp_handoff_shape_t *shape)
{
    return ompi_osc_ucp_handoff_layout(shape) + shape->bytes;
}

/** Of a get, in the origin's own memory: where its result has to be. */
static inline void **ompi_osc_ucp_handoff_result(ompi_osc_ucp_handoff_record_t *record)
{
    return (void **) (record + 1);
}

#endif /* OSC_UCP_HANDOFF_H */
