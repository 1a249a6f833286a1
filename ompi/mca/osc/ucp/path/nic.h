/* The NIC domain: accumulates and locks by native atomics.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_NIC_H
#define OSC_UCP_NIC_H

#include "path/path.h"

/* path/nic_atomic.c */

int ompi_osc_ucp_nic_accumulate(ompi_osc_ucp_transfer_t *transfer);
int ompi_osc_ucp_nic_compare_swap(ompi_osc_ucp_transfer_t *transfer);

/* path/nic_lock.c */

int ompi_osc_ucp_nic_lock(ompi_osc_ucp_peer_t *peer, bool exclusive);
int ompi_osc_ucp_nic_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited);

/** Lock all members of a window in the NIC domain, by one atomic. */
int ompi_osc_ucp_nic_lock_all(ompi_osc_ucp_window_t *window);
int ompi_osc_ucp_nic_unlock_all(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_NIC_H */
