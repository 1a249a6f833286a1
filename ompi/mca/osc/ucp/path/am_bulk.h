/* Operations that do not fit into a packet, or whose results do not: cut into chunks. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_AM_BULK_H
#define OSC_UCP_AM_BULK_H

#include "am_wire.h"
#include "path.h"

/** What the calls of a path have in common when they go by message. */
typedef struct ompi_osc_ucp_model_t {
    uint8_t  kind;
    uint8_t  op, prim;       /**< codes; 0 for put and get */
    uint32_t cell;           /**< bytes of an element in target memory; put and get: 1 */
    uint32_t packed;         /**< bytes of an element in a message; put and get: 1 */
} ompi_osc_ucp_model_t;

/** Send the whole of a call in chunks; `pending` gets one part for each buffer in use and each reply. */
int ompi_osc_ucp_bulk_run(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model,
                          ompi_osc_ucp_pending_t *pending);

/** A reply to a chunk is here. */
void ompi_osc_ucp_bulk_replied(void);

#endif /* OSC_UCP_AM_BULK_H */
