/* Short puts and accumulates of a series, which the kernel copies together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A copy by the kernel costs about as much for 64 pieces of memory as for a few. So the kernel path keeps short puts
 * and accumulates without a result until there are that many, or until something else is to follow. All functions run
 * inside the origin side.
 */

#ifndef OSC_UCP_GATHER_H
#define OSC_UCP_GATHER_H

#include "peer/peer.h"
#include "op/op.h"

/** Keep a put, or an accumulate, of `bytes` at `at` bytes from the window's base. The data are copied. False: it is too
 *  long, or memory is short; nothing was done, and nothing is kept. */
bool ompi_osc_ucp_gather_put(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
bool ompi_osc_ucp_gather_accumulate(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                    const ompi_osc_ucp_prim_t *prim, const void *origin, uint64_t bytes);

/** Carry out what is kept for the peer. An error is the peer's, for the completing call. */
void ompi_osc_ucp_gather_out(ompi_osc_ucp_peer_t *peer);

/** Free what was needed for that. */
void ompi_osc_ucp_gather_free(ompi_osc_ucp_peer_t *peer);

#endif /* OSC_UCP_GATHER_H */
