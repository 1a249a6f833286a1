/* Fragments: long operations, cut into messages of their own. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_FRAG_H
#define OSC_UCP_FRAG_H

#include "peer/pending.h"
#include "peer/transfer.h"
#include "wire/wire.h"

/** What all commands of a call have in common. */
typedef struct ompi_osc_ucp_model_t {
    uint8_t  kind;
    uint8_t  op, prim; /**< codes; 0 for put and get */
    uint32_t cell;     /**< bytes of an element in target memory; put and get: 1 */
    uint32_t packed;   /**< bytes of an element in a message; put and get: 1 */
} ompi_osc_ucp_model_t;

/** Send a call in fragments. `pending` gets one part for each send that uses a buffer and for each reply. Waits while
 *  too many fragments are in flight. On an error, what was sent before is still under way. */
int ompi_osc_ucp_frags_send(ompi_osc_ucp_transfer_t *transfer, const ompi_osc_ucp_model_t *model,
                            ompi_osc_ucp_pending_t *pending);

/** Wait for results that the target may still read from its window, before other processes may change that. */
void ompi_osc_ucp_frags_await_fetched(const ompi_osc_ucp_peer_t *peer);

#endif /* OSC_UCP_FRAG_H */
