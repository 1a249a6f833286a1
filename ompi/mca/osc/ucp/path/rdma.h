/* The rdma path: what its files share, and how a peer comes to have it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_RDMA_H
#define OSC_UCP_RDMA_H

#include "am_wire.h"
#include "path.h"

/** Native operations that a process has begun and that are not over: at most so many. */
#define OMPI_OSC_UCP_RDMA_WINDOW 1024

/**
 * Make rdma the path of a connected peer, if its memory can be reached natively; `description` is its. In the NIC
 * domain it must be: OMPI_ERR_UNREACH.
 */
int ompi_osc_ucp_rdma_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description);
void ompi_osc_ucp_rdma_detach(ompi_osc_ucp_peer_t *peer);

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

/** Complete everything on an endpoint; its connection is up then. Waits. */
int ompi_osc_ucp_rdma_settle_ep(opal_common_ucp_ep_t *ep);

/** A new operation for native parts. NULL if memory is short. */
ompi_osc_ucp_pending_t *ompi_osc_ucp_rdma_pending(ompi_osc_ucp_peer_t *peer);

/** All parts have been begun: give the caller its request, if it wants one, and end the first part. */
int ompi_osc_ucp_rdma_finish(ompi_osc_ucp_pending_t *pending, ompi_request_t **request_p);

/** Put or get one block the short way. False: nothing was done, take the long way. */
bool ompi_osc_ucp_rdma_fast_copy(bool put, ompi_osc_ucp_window_t *window, int rank, ptrdiff_t disp, void *buffer,
                                 uint64_t bytes);

/** Complete all operations on the peer, which has a native path; waits. */
int ompi_osc_ucp_rdma_fast_flush(ompi_osc_ucp_peer_t *peer);

int ompi_osc_ucp_rdma_flush(ompi_osc_ucp_peer_t *peer, uint32_t *awaited);

/* path/rdma_atomic.c: accumulates in the NIC domain. */

int ompi_osc_ucp_nic_accumulate(ompi_osc_ucp_transfer_t *transfer);
int ompi_osc_ucp_nic_compare_swap(ompi_osc_ucp_transfer_t *transfer);

/* path/rdma_lock.c: locks in the NIC domain. */

int ompi_osc_ucp_nic_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);
int ompi_osc_ucp_nic_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);

/** Lock all members of a window in the NIC domain, by one atomic. */
int ompi_osc_ucp_nic_lock_all(ompi_osc_ucp_window_t *window);
int ompi_osc_ucp_nic_unlock_all(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_RDMA_H */
