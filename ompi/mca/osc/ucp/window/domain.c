/* The domain of a window: the processors (CPU) or the network devices (NIC) make its accumulates atomic.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Atomics of a device are not coherent with those of a processor, so all members of a window have the same domain. It
 * is the NIC's if each member has native atomics of a device on its own window memory and lock words. UCX 1.13 has no
 * query for that, so each member makes a connection to itself, and common_ucp_lanes.c reads what that can do. The
 * domain is the CPU's for shared and dynamic windows, for windows of one process, and for mpi_accumulate_granularity of
 * more than 8.
 */

#include "window/stages.h"

#include "base/params.h"
#include "peer/peer.h"

/** Do the parameter and the kind of window allow the NIC domain? By default only if UCX has atomics of a device. */
static bool domain_wanted(const ompi_osc_ucp_window_t *window)
{
    if (window->lean || OMPI_OSC_UCP_DOMAIN_CPU == ompi_osc_ucp_params.atomic_domain || !opal_common_ucp_is_open() ||
        window->size < 2 || window->granularity > sizeof(uint64_t) ||
        (MPI_WIN_FLAVOR_CREATE != window->flavor && MPI_WIN_FLAVOR_ALLOCATE != window->flavor)) {
        return false;
    }
    return OMPI_OSC_UCP_DOMAIN_NIC == ompi_osc_ucp_params.atomic_domain || opal_common_ucp_device_atomics();
}

/** The lanes of this process's connection to itself. They are final when a flush is over. */
static int lanes_to_self(ompi_osc_ucp_window_t *window, opal_common_ucp_lanes_t *lanes)
{
    ompi_osc_ucp_proc_t *proc;
    int                  rc = ompi_osc_ucp_proc_connect(window->group, window->rank, &proc);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = ompi_osc_ucp_ep_settle(proc->ep);
    opal_common_ucp_lanes(proc->ep, lanes);
    return rc;
}

static bool lanes_suffice(const opal_common_ucp_lanes_t *lanes, const void *key, size_t len)
{
    uint64_t domains = opal_common_ucp_key_domains(key, len);

    return 0 != (lanes->rma & domains) && 0 != (lanes->amo & domains) &&
           (OMPI_OSC_UCP_DOMAIN_NIC == ompi_osc_ucp_params.atomic_domain || !lanes->cpu_amo);
}

bool ompi_osc_ucp_domain_possible(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_description_t description;
    opal_common_ucp_lanes_t    lanes;

    if (!domain_wanted(window) || OMPI_SUCCESS != lanes_to_self(window, &lanes)) {
        return false;
    }
    ompi_osc_ucp_window_describe(window, &description);
    return lanes_suffice(&lanes, description.key, description.key_len) &&
           (description.memory || 0 == window->bytes ||
            lanes_suffice(&lanes, description.user_key, description.user_key_len));
}
