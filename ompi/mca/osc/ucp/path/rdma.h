/* Native operations: what the rdma path and the nic path share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_RDMA_H
#define OSC_UCP_RDMA_H

#include "wire/wire.h"
#include "path/path.h"

/** Native operations that a process has begun and that are not over: at most so many. */
#define OMPI_OSC_UCP_RDMA_WINDOW 1024

/** Wait until one more native operation may be begun. */
void ompi_osc_ucp_rdma_admit(void);

/**
 * Account for an operation that was just begun for `pending` (its completion is pending's), by what the transport
 * returned: OMPI_SUCCESS, also if it is under way, or its error.
 */
int ompi_osc_ucp_rdma_begun(ompi_osc_ucp_pending_t *pending, int rc);

/** One atomic on a peer's memory; waits until its result is here, or, if none is wanted, until it has left. */
int ompi_osc_ucp_rdma_atomic(ompi_osc_ucp_peer_t *peer, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                             opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result);

/** A new operation for native parts. NULL if memory is short. */
ompi_osc_ucp_pending_t *ompi_osc_ucp_rdma_pending(ompi_osc_ucp_peer_t *peer);

/** All parts have been begun: give the caller its request, if it wants one, and end the first part. */
int ompi_osc_ucp_rdma_finish(ompi_osc_ucp_pending_t *pending, ompi_request_t **request_p);

/** Complete the native operations at the target, and those that are messages: settle and flush of a path. */
int ompi_osc_ucp_rdma_settle(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_rdma_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_rdma_flush_alone(ompi_osc_ucp_peer_t *peer);

int  ompi_osc_ucp_rdma_put(ompi_osc_ucp_transfer_t *transfer);
int  ompi_osc_ucp_rdma_get(ompi_osc_ucp_transfer_t *transfer);
bool ompi_osc_ucp_rdma_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
bool ompi_osc_ucp_rdma_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes);

/** Unpack the key of the peer's window memory, or another one of its, if it is reached natively. False if it is not. */
bool ompi_osc_ucp_rdma_memory_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description);
bool ompi_osc_ucp_rkey_attach(const ompi_osc_ucp_peer_t *peer, const opal_common_ucp_lanes_t *lanes, const void *key,
                              size_t len, opal_common_ucp_rkey_t **rkey_p);
void ompi_osc_ucp_rdma_detach(ompi_osc_ucp_peer_t *peer);

/* path/nic_atomic.c */

int ompi_osc_ucp_nic_accumulate(ompi_osc_ucp_transfer_t *transfer);
int ompi_osc_ucp_nic_compare_swap(ompi_osc_ucp_transfer_t *transfer);

/* path/nic_lock.c */

int ompi_osc_ucp_nic_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);
int ompi_osc_ucp_nic_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);

/** Lock all members of a window in the NIC domain, by one atomic. */
int ompi_osc_ucp_nic_lock_all(ompi_osc_ucp_window_t *window);
int ompi_osc_ucp_nic_unlock_all(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_RDMA_H */
