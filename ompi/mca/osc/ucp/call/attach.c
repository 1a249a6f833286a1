/* MPI_Win_attach and MPI_Win_detach (MPI-3.1 section 11.2.4).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/calls.h"
#include "service/target.h"

int ompi_osc_ucp_attach(ompi_win_t *win, void *base, size_t size)
{
    ompi_osc_ucp_regions_t *regions = ompi_osc_ucp_window(win)->target->regions;
    int                     rc;

    if (NULL == regions) {
        return OMPI_ERR_RMA_FLAVOR;
    }
    if (size > 0 && opal_common_ucp_on_device(base)) {
        opal_output(0, "osc/ucp cannot attach memory of a GPU to a window: attach memory of the host, and copy");
        return OMPI_ERR_RMA_ATTACH;
    }
    opal_common_ucp_service_lock();
    rc = ompi_osc_ucp_regions_attach(regions, (uint64_t) (uintptr_t) base, size);
    opal_common_ucp_service_unlock();
    return rc;
}

int ompi_osc_ucp_detach(ompi_win_t *win, const void *base)
{
    ompi_osc_ucp_regions_t *regions = ompi_osc_ucp_window(win)->target->regions;
    int                     rc;

    if (NULL == regions) {
        return OMPI_ERR_RMA_FLAVOR;
    }
    opal_common_ucp_service_lock();
    rc = ompi_osc_ucp_regions_detach(regions, (uint64_t) (uintptr_t) base);
    opal_common_ucp_service_unlock();
    return rc;
}
