/* MPI_Win_fence (MPI-3.1 section 11.5.1).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/wait.h"
#include "epoch/epoch.h"
#include "epoch/missing.h"

int ompi_osc_ucp_fence(int assert, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    error  = OMPI_SUCCESS, rc;

    ompi_osc_ucp_polled();
    ompi_osc_ucp_enter();
    if (OMPI_OSC_UCP_EPOCH_NONE != window->epoch && OMPI_OSC_UCP_EPOCH_FENCE != window->epoch) {
        rc = ompi_osc_ucp_sync_failed(window, "MPI_Win_fence", OMPI_OSC_UCP_NEED_NONE, MPI_PROC_NULL,
                                      OMPI_ERR_RMA_SYNC);
        ompi_osc_ucp_leave();
        return rc;
    }
    /* MPI_MODE_NOPRECEDE skips the completion, not the barrier: a later put must not reach a target before that
     * target's fence. */
    if (0 == (assert & MPI_MODE_NOPRECEDE)) {
        error = ompi_osc_ucp_flush_peers(window);
    }
    rc = ompi_osc_ucp_barrier(window, false);
    ompi_osc_ucp_epoch_set(window, 0 == (assert & MPI_MODE_NOSUCCEED) ? OMPI_OSC_UCP_EPOCH_FENCE
                                                                      : OMPI_OSC_UCP_EPOCH_NONE);
    __atomic_store_n(&window->fence_used, false, __ATOMIC_RELAXED);
    rc = ompi_osc_ucp_sync_outcome(window, "MPI_Win_fence", OMPI_OSC_UCP_NEED_NONE, MPI_PROC_NULL,
                                   ompi_osc_ucp_first_error(rc, error));
    ompi_osc_ucp_leave();
    return rc;
}
