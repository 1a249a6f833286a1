/* A handoff: one short operation on a lean window, which its target may carry out in the origin's place.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each member of a lean window with memory of the program's has one, in the window's segment. An origin claims it,
 * posts an operation, and waits for a moment. A target that polls takes the operation. If it does not, the origin takes
 * it back, and has the kernel copy. So nobody waits for a target that computes, and each operation is carried out once.
 */

#ifndef OSC_UCP_HANDOFF_H
#define OSC_UCP_HANDOFF_H

#include <stdint.h>

typedef enum ompi_osc_ucp_handoff_state_t {
    OMPI_OSC_UCP_HANDOFF_FREE,
    OMPI_OSC_UCP_HANDOFF_CLAIMED, /**< an origin writes an operation, or reads its result */
    OMPI_OSC_UCP_HANDOFF_POSTED,  /**< the target may take it, the origin may take it back */
    OMPI_OSC_UCP_HANDOFF_TAKEN,   /**< the target carries it out */
    OMPI_OSC_UCP_HANDOFF_DONE     /**< the origin may read the result */
} ompi_osc_ucp_handoff_state_t;

typedef enum ompi_osc_ucp_handoff_kind_t {
    OMPI_OSC_UCP_HANDOFF_PUT,
    OMPI_OSC_UCP_HANDOFF_GET,
    OMPI_OSC_UCP_HANDOFF_ACCUMULATE,
    OMPI_OSC_UCP_HANDOFF_SWAP /**< compare and swap */
} ompi_osc_ucp_handoff_kind_t;

/** Most bytes of an operation. */
#define OMPI_OSC_UCP_HANDOFF_MAX 512

/** Initially zero, at a multiple of 64 bytes. The first cache line has all of an operation on one element. */
typedef struct ompi_osc_ucp_handoff_t {
    uint32_t state;   /**< atomic */
    uint8_t  kind;
    uint8_t  op;      /**< of an accumulate */
    uint8_t  prim;    /**< its code; of a swap, too */
    uint8_t  fetches; /**< the accumulate has a result */
    uint32_t bytes;
    uint32_t pad;
    uint64_t address; /**< the target's */
    char     data[2 * OMPI_OSC_UCP_HANDOFF_MAX + 40]; /**< of the origin; then, `bytes` further, the compared value or
                                                       *   the result; a get's result is at the beginning */
    uint32_t polls;   /**< rises while the target polls; only the target writes it */
    char     rest[60];
} ompi_osc_ucp_handoff_t;

_Static_assert(18 * 64 == sizeof(ompi_osc_ucp_handoff_t), "cache lines");

#endif /* OSC_UCP_HANDOFF_H */
