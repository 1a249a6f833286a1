/* Operations that do not fit into a packet, or whose results do not: cut into fragments. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_FRAG_H
#define OSC_UCP_FRAG_H

#include "wire/wire.h"
#include "peer/pending.h"
#include "peer/transfer.h"

/** What the calls of a path have in common when they go by message. */
typedef struct ompi_osc_ucp_model_t {
    uint8_t  kind;
    uint8_t  op, prim;       /**< codes; 0 for put and get */
    uint32_t cell;           /**< bytes of an element in target memory; put and get: 1 */
    uint32_t packed;         /**< bytes of an element in a message; put and get: 1 */
} ompi_osc_ucp_model_t;

/** Send the whole of a call in fragments; `pending` gets one part for each buffer in use and each reply. */
int ompi_osc_ucp_frags_send(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model,
                          ompi_osc_ucp_pending_t *pending);

#endif /* OSC_UCP_FRAG_H */
