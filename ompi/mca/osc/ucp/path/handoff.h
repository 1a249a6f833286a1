/* Handoffs at the origin: a target that polls carries out some operations sooner than the kernel copies.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * See memory/handoff.h.
 */

#ifndef OSC_UCP_PATH_HANDOFF_H
#define OSC_UCP_PATH_HANDOFF_H

#include "memory/cma.h"
#include "memory/handoff.h"
#include "op/op.h"
#include "peer/peer.h"
#include "peer/transfer.h"

/** Is the target thought to poll? */
bool ompi_osc_ucp_handoff_answers(ompi_osc_ucp_peer_t *peer);

/** Have the target carry out a series of puts, of gets, or of accumulates without results, in order: records
 *  (memory/handoff.h) of `used` bytes, at most OMPI_OSC_UCP_HANDOFF_ROOM, which the kernel would copy in so many
 *  pieces. Behind them the target raises counters. True: that is over. False: nothing was done, because the target does
 *  not poll, or because another origin has its handoff. Inside the origin side. */
bool ompi_osc_ucp_handoff_series(ompi_osc_ucp_peer_t *peer, char *records, uint32_t used, uint64_t pieces,
                                 const ompi_osc_ucp_handoff_raises_t *raises);

/** Post such a series, not of gets, without waiting for the target. False: nothing was done. Until `end`, the caller
 *  keeps the records, and hands off nothing else to that target. */
bool ompi_osc_ucp_handoff_leave(ompi_osc_ucp_peer_t *peer, const char *records, uint32_t used,
                                const ompi_osc_ucp_handoff_raises_t *raises);

/** Has the target carried out what was posted? */
bool ompi_osc_ucp_handoff_is_over(const ompi_osc_ucp_peer_t *peer);

/** Wait for that. False: the target does not poll, and what was posted is taken back. */
bool ompi_osc_ucp_handoff_end(ompi_osc_ucp_peer_t *peer, uint64_t pieces);

/** The same as a series for puts, gets, or accumulates of whole elements, of any length: if they are long, both
 *  processes work at once. `as`: kind, operation and type of all. False: no counter is raised. Some puts or gets may be
 *  done, and all have to be copied; the vector has those accumulates that are not done. */
bool ompi_osc_ucp_handoff_stream(ompi_osc_ucp_peer_t *peer, ompi_osc_ucp_cma_vector_t *vector,
                                 const ompi_osc_ucp_handoff_record_t *as,
                                 const ompi_osc_ucp_handoff_raises_t *raises);

/** The same as a stream for a put or get with layouts, that of the target with so many runs. */
bool ompi_osc_ucp_handoff_runs(const ompi_osc_ucp_transfer_t *transfer, bool write, uint64_t nruns);

/** The same as a series for one operation on `bytes` at an address of its. False: it may be too long, too. All buffers
 *  are packed; `result` may be NULL. */
bool ompi_osc_ucp_handoff_put(ompi_osc_ucp_peer_t *peer, uint64_t address, const void *origin, uint64_t bytes);
bool ompi_osc_ucp_handoff_get(ompi_osc_ucp_peer_t *peer, uint64_t address, void *result, uint64_t bytes);
bool ompi_osc_ucp_handoff_accumulate(ompi_osc_ucp_peer_t *peer, uint64_t address, uint8_t op,
                                     const ompi_osc_ucp_prim_t *prim, const void *origin, void *result,
                                     uint64_t bytes);
bool ompi_osc_ucp_handoff_swap(ompi_osc_ucp_peer_t *peer, uint64_t address, const ompi_osc_ucp_prim_t *prim,
                               const void *origin, const void *compare, void *result);

/** The same for a transfer whose target layout has many short runs, which the kernel copies one by one. A put or get
 *  goes in parts; false: some of them may be done, and it has to be copied as a whole. An accumulate goes at once; it
 *  must have no result. */
bool ompi_osc_ucp_handoff_copy(const ompi_osc_ucp_transfer_t *transfer, bool write);
bool ompi_osc_ucp_handoff_update(const ompi_osc_ucp_transfer_t *transfer);

/** The same for an accumulate on cells in a row that have gaps, or are many: long data lie as cells in a row, too, and
 *  the target has the kernel copy them from the origin's memory. In parts: returns how many cells are done, the first
 *  ones. */
uint64_t ompi_osc_ucp_handoff_cells(const ompi_osc_ucp_transfer_t *transfer);

#endif /* OSC_UCP_PATH_HANDOFF_H */
