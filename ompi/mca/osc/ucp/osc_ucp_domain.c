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

#include "osc_ucp_check.h"

#include "path/am_target.h"
#include "path/rdma.h"

/** Must stay 0; see ompi_osc_ucp_domain_witness. */
static uint64_t trespasses;

void ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address)
{
    if (ompi_osc_ucp_op_is_native(op, prim) && 0 == (uintptr_t) address % prim->size) {
        __atomic_fetch_add(&trespasses, 1, __ATOMIC_RELAXED);
    }
}

uint64_t ompi_osc_ucp_domain_trespasses(void)
{
    return __atomic_load_n(&trespasses, __ATOMIC_RELAXED);
}

/** Does the user want it, or leave it to us where UCX has what it takes? */
static bool domain_wanted(const ompi_osc_ucp_window_t *window)
{
    if (OMPI_OSC_UCP_DOMAIN_CPU == mca_osc_ucp_component.atomic_domain || !opal_common_ucp_is_open() ||
        window->size < 2 || window->granularity > sizeof(uint64_t) ||
        (MPI_WIN_FLAVOR_CREATE != window->flavor && MPI_WIN_FLAVOR_ALLOCATE != window->flavor)) {
        return false;
    }
    return OMPI_OSC_UCP_DOMAIN_NIC == mca_osc_ucp_component.atomic_domain || opal_common_ucp_device_atomics();
}

/** Connect to oneself; the lanes are final when a flush is over. */
static int lanes_to_self(ompi_osc_ucp_window_t *window, opal_common_ucp_lanes_t *lanes)
{
    opal_common_ucp_ep_t *ep;
    int                   rc = ompi_osc_ucp_proc_connect(window->group, window->rank, &ep);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = ompi_osc_ucp_rdma_settle_ep(ep);
    opal_common_ucp_lanes(ep, lanes);
    return rc;
}

static bool lanes_suffice(const opal_common_ucp_lanes_t *lanes, const void *key, size_t len)
{
    uint64_t domains = opal_common_ucp_key_domains(key, len);

    return 0 != (lanes->rma & domains) && 0 != (lanes->amo & domains) &&
           (OMPI_OSC_UCP_DOMAIN_NIC == mca_osc_ucp_component.atomic_domain || !lanes->cpu_amo);
}

bool ompi_osc_ucp_domain_possible(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_description_t description;
    opal_common_ucp_lanes_t    lanes;

    if (!domain_wanted(window) || OMPI_SUCCESS != lanes_to_self(window, &lanes)) {
        return false;
    }
    ompi_osc_ucp_memory_describe(window, &description);
    return lanes_suffice(&lanes, description.key, description.key_len) &&
           (description.memory || 0 == window->bytes ||
            lanes_suffice(&lanes, description.user_key, description.user_key_len));
}
