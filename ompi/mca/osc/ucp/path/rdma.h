/* Native operations: what the rdma path and the nic path share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_RDMA_H
#define OSC_UCP_RDMA_H

#include "path/path.h"

/** Most native operations of this process under way. */
#define OMPI_OSC_UCP_RDMA_WINDOW 1024

/** Wait until fewer than OMPI_OSC_UCP_RDMA_WINDOW native operations are under way. */
void ompi_osc_ucp_rdma_admit(void);

/** Account for a native operation that was begun with pending->completion. `rc` is what the transport returned. Returns
 *  OMPI_SUCCESS, also if the operation is under way, or the error. */
int ompi_osc_ucp_rdma_begun(ompi_osc_ucp_pending_t *pending, int rc);

/** One atomic on a peer's memory. Waits for its result, or, if `result` is NULL, until `operand` may be used again. */
int ompi_osc_ucp_rdma_atomic(ompi_osc_ucp_peer_t *peer, opal_common_ucp_rkey_t *rkey, uint64_t remote,
                             opal_common_ucp_atomic_t op, const void *operand, size_t size, void *result);

/** A new pending whose further parts are native operations. NULL if memory is short. */
ompi_osc_ucp_pending_t *ompi_osc_ucp_rdma_pending(ompi_osc_ucp_peer_t *peer);

/** All native operations have been begun: set the caller's request, if it wants one, and end the first part. */
int ompi_osc_ucp_rdma_finish(ompi_osc_ucp_pending_t *pending, ompi_request_t **request_p);

/** settle completes the native operations, flush also those that are messages. */
int ompi_osc_ucp_rdma_settle(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_rdma_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);
int ompi_osc_ucp_rdma_flush_alone(ompi_osc_ucp_peer_t *peer);

int  ompi_osc_ucp_rdma_put(ompi_osc_ucp_transfer_t *transfer);
int  ompi_osc_ucp_rdma_get(ompi_osc_ucp_transfer_t *transfer);
bool ompi_osc_ucp_rdma_put_block(ompi_osc_ucp_peer_t *peer, int64_t at, const void *origin, uint64_t bytes);
bool ompi_osc_ucp_rdma_get_block(ompi_osc_ucp_peer_t *peer, int64_t at, void *result, uint64_t bytes);

/** Unpack the rkey of the peer's window memory, or another rkey of the peer, if that memory can be reached natively. */
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

/** Lock all members of a window in the NIC domain by one atomic, unless another process excludes that. */
int ompi_osc_ucp_nic_lock_all(ompi_osc_ucp_window_t *window);
int ompi_osc_ucp_nic_unlock_all(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_RDMA_H */
