/* Puts, gets and accumulates of a series, which the kernel copies together.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * To begin a copy takes the kernel longer than to copy a piece of memory. So the kernel path keeps puts, gets, and
 * accumulates without a result, until there are many pieces or bytes, or until something else is to follow. All
 * functions run inside the origin side. path/gather.c keeps operations, path/gather_out.c carries them out, by
 * path/gather_copy.c where the kernel copies.
 */

#ifndef OSC_UCP_GATHER_H
#define OSC_UCP_GATHER_H

#include "peer/peer.h"
#include "op/op.h"

/** A peer begins to use this. */
void ompi_osc_ucp_gather_init(void);

/** Keep an operation on `bytes` at `at` bytes from the window's base. Of short ones the data are copied; of others, and
 *  of gets, the buffer is used until they are carried out. False: it is too long, or memory is short; it is not kept.
 *  What is kept must be carried out before it. */
bool ompi_osc_ucp_gather_put(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
bool ompi_osc_ucp_gather_get(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes);
bool ompi_osc_ucp_gather_accumulate(ompi_osc_ucp_peer_t *peer, int64_t at, uint8_t op,
                                    const ompi_osc_ucp_prim_t *prim, const void *origin, uint64_t bytes);

/** Notify behind what is kept. The first notifications since the last completion or progress leave with that at once,
 *  as many together as there were between the two before. A later one is kept, at the latest until the next progress.
 *  False: nothing is kept that it could follow, or there are too many; nothing was done. */
bool ompi_osc_ucp_gather_raise(ompi_osc_ucp_peer_t *peer, uint32_t index);

/** Carry out what is kept for the peer. An error is the peer's, for the completing call. */
void ompi_osc_ucp_gather_out(ompi_osc_ucp_peer_t *peer);

/** The same in a completing call. */
void ompi_osc_ucp_gather_complete(ompi_osc_ucp_peer_t *peer);

/** Free what was needed for that: once for each call of ompi_osc_ucp_gather_init. */
void ompi_osc_ucp_gather_free(ompi_osc_ucp_peer_t *peer);

#endif /* OSC_UCP_GATHER_H */
