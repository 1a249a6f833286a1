/* Who owns the atomicity of a window's accumulates: the processors, or the network's devices.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Atomics of a device are not coherent with those of a processor, so that a window has one domain, for all members. It
 * is the NIC's if every member finds that UCX gives it native atomics of a device to itself, with its own window memory
 * and lock words: UCX 1.13 cannot be asked, but what a connection can do shows once it is up (common_ucp_lanes.c), and
 * the one to oneself can be made without anybody's help. That of shared windows and dynamic ones, of windows of one
 * process, and of those whose user wants large pieces updated at once, is the CPU's.
 */

#include "window/stages.h"

#include "base/params.h"
#include "peer/peer.h"

/** Does the user want it, or leave it to us where UCX has what it takes? */
static bool domain_wanted(const ompi_osc_ucp_window_t *window)
{
    if (OMPI_OSC_UCP_DOMAIN_CPU == ompi_osc_ucp_params.atomic_domain || !opal_common_ucp_is_open() ||
        window->size < 2 || window->granularity > sizeof(uint64_t) ||
        (MPI_WIN_FLAVOR_CREATE != window->flavor && MPI_WIN_FLAVOR_ALLOCATE != window->flavor)) {
        return false;
    }
    return OMPI_OSC_UCP_DOMAIN_NIC == ompi_osc_ucp_params.atomic_domain || opal_common_ucp_device_atomics();
}

/** Connect to oneself; the lanes are final when a flush is over. */
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
