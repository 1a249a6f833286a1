/* MPI_Win_attach and MPI_Win_detach (MPI-3.1 section 11.2.4).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/calls.h"
#include "peer/explain.h"
#include "service/target.h"

/** Not a dynamic window. */
static int flavor_failed(const ompi_osc_ucp_window_t *window, const char *call)
{
    ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "only windows of MPI_Win_create_dynamic have it");
    return OMPI_ERR_RMA_FLAVOR;
}

int ompi_osc_ucp_attach(ompi_win_t *win, void *base, size_t size)
{
    static const char       call[]  = "MPI_Win_attach";
    ompi_osc_ucp_window_t  *window  = ompi_osc_ucp_window(win);
    ompi_osc_ucp_regions_t *regions = window->target->regions;
    int                     rc;

    if (NULL == regions) {
        return flavor_failed(window, call);
    }
    if (size > PTRDIFF_MAX) {
        ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "a size of %td bytes is negative", (ptrdiff_t) size);
        return MPI_ERR_SIZE;
    }
    if (size > 0 && opal_common_ucp_on_device(base)) {
        ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "memory of a GPU cannot be attached: attach memory of "
                                    "the host, and copy");
        return OMPI_ERR_RMA_ATTACH;
    }
    opal_common_ucp_service_lock();
    rc = ompi_osc_ucp_regions_attach(regions, (uint64_t) (uintptr_t) base, size);
    opal_common_ucp_service_unlock();
    if (OMPI_ERR_RMA_ATTACH == rc) {
        ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "%zu bytes at %p overlap memory that is attached, or "
                                    "end behind the last address", size, base);
    } else if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_window_explain_code(window, call, MPI_PROC_NULL, rc);
    }
    return rc;
}

int ompi_osc_ucp_detach(ompi_win_t *win, const void *base)
{
    static const char       call[]  = "MPI_Win_detach";
    ompi_osc_ucp_window_t  *window  = ompi_osc_ucp_window(win);
    ompi_osc_ucp_regions_t *regions = window->target->regions;
    int                     rc;

    if (NULL == regions) {
        return flavor_failed(window, call);
    }
    opal_common_ucp_service_lock();
    rc = ompi_osc_ucp_regions_detach(regions, (uint64_t) (uintptr_t) base);
    opal_common_ucp_service_unlock();
    if (OMPI_SUCCESS == rc && NULL != window->attached) {
        ompi_osc_ucp_attached_await(window->attached);
    } else if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "no attached memory begins at %p", base);
    }
    return rc;
}
