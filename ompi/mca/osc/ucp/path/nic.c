/* The nic path: windows of the NIC domain. The rdma path with native atomics, for locks and the native class.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <stddef.h>

#include "path/am.h"
#include "path/rdma.h"

/** In the NIC domain no other path may serve: its accumulates would not be atomic with native ones. */
static int nic_attach(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    if (NULL == description || !peer->window->nic) {
        return OMPI_ERR_NOT_SUPPORTED;
    }
    peer->words = description->head + description->offset + offsetof(ompi_osc_ucp_control_t, nic);
    if ((!ompi_osc_ucp_rdma_memory_attach(peer, description) && description->size > 0) ||
        !ompi_osc_ucp_rkey_attach(peer, ompi_osc_ucp_proc_lanes(peer->proc), description->key, description->key_len,
                                  &peer->words_rkey)) {
        opal_output(0, "osc/ucp: rank %d has no native atomics to rank %d, which all processes have to themselves: run "
                       "with --mca osc_ucp_atomic_domain cpu", peer->window->rank, peer->rank);
        ompi_osc_ucp_rdma_detach(peer);
        return OMPI_ERR_UNREACH;
    }
    return OMPI_SUCCESS;
}

static bool nic_serves_all(const ompi_osc_ucp_window_t *window)
{
    return window->nic;
}

const ompi_osc_ucp_path_t ompi_osc_ucp_path_nic = {
    .via          = OMPI_OSC_UCP_VIA_RDMA,
    .attach       = nic_attach,
    .detach       = ompi_osc_ucp_rdma_detach,
    .put          = ompi_osc_ucp_rdma_put,
    .get          = ompi_osc_ucp_rdma_get,
    .accumulate   = ompi_osc_ucp_nic_accumulate,
    .compare_swap = ompi_osc_ucp_nic_compare_swap,
    .put_block    = ompi_osc_ucp_rdma_put_block,
    .get_block    = ompi_osc_ucp_rdma_get_block,
    .settle       = ompi_osc_ucp_rdma_settle,
    .flush        = ompi_osc_ucp_rdma_flush,
    .flush_alone  = ompi_osc_ucp_rdma_flush_alone,
    .lock         = ompi_osc_ucp_nic_lock,
    .serves_all   = nic_serves_all,
    .lock_all     = ompi_osc_ucp_nic_lock_all,
    .unlock_all   = ompi_osc_ucp_nic_unlock_all,
    .unlock       = ompi_osc_ucp_nic_unlock,
    .counters     = ompi_osc_ucp_am_counters,
    .raise        = ompi_osc_ucp_am_raise,
    .post         = ompi_osc_ucp_am_post,
    .complete     = ompi_osc_ucp_am_complete,
    .arrive       = ompi_osc_ucp_am_arrive
};
