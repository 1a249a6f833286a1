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
    OMPI_OSC_UCP_HANDOFF_TAKEN,  /**< the target carries them out, in order */
    OMPI_OSC_UCP_HANDOFF_DONE,   /**< who has claimed it may read the result, and write records */
    OMPI_OSC_UCP_HANDOFF_POSTED, /**< the target may take them, the origin may take them back */
    OMPI_OSC_UCP_HANDOFF_STREAMS /**< the target may take chunks */
} ompi_osc_ucp_handoff_state_t;

typedef enum ompi_osc_ucp_handoff_kind_t {
    OMPI_OSC_UCP_HANDOFF_PUT,
    OMPI_OSC_UCP_HANDOFF_GET,
    OMPI_OSC_UCP_HANDOFF_ACCUMULATE,
    OMPI_OSC_UCP_HANDOFF_SWAP, /**< compare and swap */
    OMPI_OSC_UCP_HANDOFF_SHAPED_PUT, /**< with a layout at the target */
    OMPI_OSC_UCP_HANDOFF_SHAPED_GET,
    OMPI_OSC_UCP_HANDOFF_SHAPED_ACCUMULATE,
    OMPI_OSC_UCP_HANDOFF_LISTED_PUT, /**< to a list of the target's pieces */
    OMPI_OSC_UCP_HANDOFF_LISTED_GET,
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

/** Data of an operation with a list: this, and packed bytes. */
typedef struct ompi_osc_ucp_handoff_list_t {
    uint64_t n;
    struct {
        int32_t  from; /**< bytes from `address` */
        uint32_t bytes;
    } pieces[];
} ompi_osc_ucp_handoff_list_t;

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
#define OMPI_OSC_UCP_HANDOFF_ROOM (OMPI_OSC_UCP_HANDOFF_MAX + 128)

/** Bytes for few and short records beside the state. */
#define OMPI_OSC_UCP_HANDOFF_NEAR (48 + 2 * 64)

/** Notifications that may follow the operations of a handoff. */
#define OMPI_OSC_UCP_HANDOFF_RAISES 16

typedef struct ompi_osc_ucp_handoff_raises_t {
    uint32_t                      n;
    ompi_osc_ucp_handoff_record_t records[OMPI_OSC_UCP_HANDOFF_RAISES];
} ompi_osc_ucp_handoff_raises_t;

/** Bytes of data of a chunk, and for its records: several, if they are long. Behind those of the last one there is room
 *  for notifications. */
#define OMPI_OSC_UCP_HANDOFF_CHUNK_BYTES 16384
#define OMPI_OSC_UCP_HANDOFF_CHUNK_ROOM  (OMPI_OSC_UCP_HANDOFF_CHUNK_BYTES + 9 * 16)
#define OMPI_OSC_UCP_HANDOFF_RAISES_ROOM (OMPI_OSC_UCP_HANDOFF_RAISES * sizeof(ompi_osc_ucp_handoff_record_t))

/** Chunks of a handoff. */
#define OMPI_OSC_UCP_HANDOFF_CHUNKS 4

/** A part of long operations: several chunks are on their way at once, so that both processes work at a time. Each is
 *  posted, taken, and taken back by itself, as records are. The first data begin a cache line. */
typedef struct ompi_osc_ucp_handoff_chunk_t {
    uint32_t state; /**< atomic */
    uint32_t used;  /**< bytes of records */
    bool     last;  /**< no other one follows it */
    char     rest[39];
    char     records[OMPI_OSC_UCP_HANDOFF_CHUNK_ROOM + OMPI_OSC_UCP_HANDOFF_RAISES_ROOM];
} ompi_osc_ucp_handoff_chunk_t;

_Static_assert(0 == sizeof(ompi_osc_ucp_handoff_chunk_t) % 64, "cache lines");

/** Room for all others. It lies apart, so that a window takes no memory for it before one of them is posted. The first
 *  of them, without its data, lies beside the state in any case: the target gets both at once. Behind some bytes, so
 *  that its data fill cache lines. */
#define OMPI_OSC_UCP_HANDOFF_SKEW (64 - sizeof(ompi_osc_ucp_handoff_record_t))
#define OMPI_OSC_UCP_HANDOFF_FAR_ROOM (OMPI_OSC_UCP_HANDOFF_ROOM + OMPI_OSC_UCP_HANDOFF_RAISES_ROOM)

/** All that lies apart: the chunks are behind it. */
typedef struct ompi_osc_ucp_handoff_far_t {
    char                                      skew[OMPI_OSC_UCP_HANDOFF_SKEW];
    char                                      records[OMPI_OSC_UCP_HANDOFF_FAR_ROOM];
    _Alignas(64) ompi_osc_ucp_handoff_chunk_t chunks[OMPI_OSC_UCP_HANDOFF_CHUNKS];
} ompi_osc_ucp_handoff_far_t;

#define OMPI_OSC_UCP_HANDOFF_FAR sizeof(ompi_osc_ucp_handoff_far_t)

/** At a multiple of 64 bytes. Origins claim it where the target does not look. The third cache line has all of an
 *  operation on one element, with its notification. */
typedef struct ompi_osc_ucp_handoff_t {
    uint32_t polls;   /**< rises while the target polls; only the target writes it; initially zero */
    uint32_t taken;   /**< chunks that the target has ever taken: it takes them in turn; initially zero */
    uint32_t taking;  /**< a thread of the target takes chunks: 1; atomic; initially zero */
    uint32_t idle;    /**< polls in a row that found no chunk, up to some; guarded by `taking`; initially zero */
    char     polls_rest[48];
    uint32_t claimed; /**< by an origin: 1; atomic; initially zero */
    uint32_t streamed; /**< the chunks' states are set, by the first who has claimed it for them; initially zero */
    char     claimed_rest[56];
    uint32_t state;   /**< atomic; initially zero */
    uint32_t used;    /**< bytes of records */
    int64_t  far;     /**< bytes from here to what lies apart; set once */
    char     near[OMPI_OSC_UCP_HANDOFF_NEAR];
} ompi_osc_ucp_handoff_t;

_Static_assert(0 == sizeof(ompi_osc_ucp_handoff_t) % 64, "cache lines");

/** Make it free, with OMPI_OSC_UCP_HANDOFF_FAR bytes at a cache line for long records, which are not touched. */
static inline void ompi_osc_ucp_handoff_init(ompi_osc_ucp_handoff_t *handoff, char *far)
{
    handoff->polls    = 0;
    handoff->taken    = 0;
    handoff->taking   = 0;
    handoff->idle     = 0;
    handoff->claimed  = 0;
    handoff->streamed = 0;
    handoff->state    = OMPI_OSC_UCP_HANDOFF_FREE;
    handoff->far      = far - (char *) handoff;
}

static inline ompi_osc_ucp_handoff_far_t *ompi_osc_ucp_handoff_far(ompi_osc_ucp_handoff_t *handoff)
{
    return (ompi_osc_ucp_handoff_far_t *) ((char *) handoff + handoff->far);
}

/** The chunk with a number: they are used in turn. */
static inline ompi_osc_ucp_handoff_chunk_t *ompi_osc_ucp_handoff_chunk(ompi_osc_ucp_handoff_t *handoff, uint32_t number)
{
    return &ompi_osc_ucp_handoff_far(handoff)->chunks[number % OMPI_OSC_UCP_HANDOFF_CHUNKS];
}

/** Where records lie that take so many bytes in all, but for the first one without its data. */
static inline char *ompi_osc_ucp_handoff_records(ompi_osc_ucp_handoff_t *handoff, uint32_t bytes)
{
    return bytes <= OMPI_OSC_UCP_HANDOFF_NEAR ? handoff->near : ompi_osc_ucp_handoff_far(handoff)->records;
}

/** The bytes that a record takes. */
static inline uint32_t ompi_osc_ucp_handoff_takes(uint32_t bytes, bool fetches)
{
    return (uint32_t) (sizeof(ompi_osc_ucp_handoff_record_t) + (bytes << fetches) + 15) / 16 * 16;
}

/** The first record, and its data. */
static inline ompi_osc_ucp_handoff_record_t *ompi_osc_ucp_handoff_first(ompi_osc_ucp_handoff_t *handoff)
{
    return (ompi_osc_ucp_handoff_record_t *) handoff->near;
}

static inline char *ompi_osc_ucp_handoff_first_data(ompi_osc_ucp_handoff_t *handoff)
{
    return ompi_osc_ucp_handoff_records(handoff, handoff->used) + sizeof(ompi_osc_ucp_handoff_record_t);
}

/** The data of a record that has them behind it. */
static inline char *ompi_osc_ucp_handoff_data(ompi_osc_ucp_handoff_record_t *record)
{
    return (char *) (record + 1);
}

/** Layout and packed bytes of a record with a shape; packed bytes of one with a list. */
static inline char *ompi_osc_ucp_handoff_layout(ompi_osc_ucp_handoff_shape_t *shape)
{
    return (char *) (shape + 1);
}

static inline char *ompi_osc_ucp_handoff_packed(ompi_osc_ucp_handoff_shape_t *shape)
{
    return ompi_osc_ucp_handoff_layout(shape) + shape->bytes;
}

static inline char *ompi_osc_ucp_handoff_listed(ompi_osc_ucp_handoff_list_t *list)
{
    return (char *) &list->pieces[list->n];
}

/** Of a get, in the origin's own memory: where its result has to be. */
static inline void **ompi_osc_ucp_handoff_result(ompi_osc_ucp_handoff_record_t *record)
{
    return (void **) (record + 1);
}

#endif /* OSC_UCP_HANDOFF_H */
