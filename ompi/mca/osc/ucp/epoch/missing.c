/* Which epoch a call misses, and which call would begin or end it, in words (MPI-3.1 section 11.5).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "epoch/missing.h"

#include "peer/explain.h"

/** The epoch in force at this process. */
static const char *const in_force[] = {
    [OMPI_OSC_UCP_EPOCH_NONE]     = "no access epoch is open",
    [OMPI_OSC_UCP_EPOCH_FENCE]    = "the epoch of MPI_Win_fence is open",
    [OMPI_OSC_UCP_EPOCH_START]    = "the epoch of MPI_Win_start is open",
    [OMPI_OSC_UCP_EPOCH_LOCK]     = "an epoch of MPI_Win_lock is open",
    [OMPI_OSC_UCP_EPOCH_LOCK_ALL] = "the epoch of MPI_Win_lock_all is open"
};

/** What ends it. */
static const char *const end[] = {
    [OMPI_OSC_UCP_EPOCH_NONE]     = "",
    [OMPI_OSC_UCP_EPOCH_FENCE]    = ", with operations: another MPI_Win_fence ends it",
    [OMPI_OSC_UCP_EPOCH_START]    = ": MPI_Win_complete ends it",
    [OMPI_OSC_UCP_EPOCH_LOCK]     = ": MPI_Win_unlock ends it",
    [OMPI_OSC_UCP_EPOCH_LOCK_ALL] = ": MPI_Win_unlock_all ends it"
};

/** What begins a needed epoch that is not the one in force. */
static const char *const begin[] = {
    [OMPI_OSC_UCP_NEED_ACCESS]   = "MPI_Win_fence, MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all begins one",
    [OMPI_OSC_UCP_NEED_PASSIVE]  = "MPI_Win_lock or MPI_Win_lock_all begins the epoch that this call needs",
    [OMPI_OSC_UCP_NEED_LOCK]     = "MPI_Win_lock begins the epoch that this call needs",
    [OMPI_OSC_UCP_NEED_LOCK_ALL] = "MPI_Win_lock_all begins the epoch that this call needs",
    [OMPI_OSC_UCP_NEED_START]    = "MPI_Win_start begins the epoch that this call needs"
};

/** The call needs an access epoch, and has it for other targets at most. */
static void access_missing(const ompi_osc_ucp_window_t *window, const char *call, ompi_osc_ucp_need_t need, int target)
{
    bool any_passive = OMPI_OSC_UCP_NEED_ACCESS == need || OMPI_OSC_UCP_NEED_PASSIVE == need;

    if (OMPI_OSC_UCP_EPOCH_LOCK == window->epoch && (any_passive || OMPI_OSC_UCP_NEED_LOCK == need)) {
        ompi_osc_ucp_window_explain(window, call, target, "rank %d is not locked: MPI_Win_lock locks it, as it did %d "
                                    "other%s", target, window->locked, 1 == window->locked ? "" : "s");
    } else if (OMPI_OSC_UCP_EPOCH_START == window->epoch && OMPI_OSC_UCP_NEED_ACCESS == need) {
        ompi_osc_ucp_window_explain(window, call, target, "rank %d is not in the group of MPI_Win_start", target);
    } else if (OMPI_OSC_UCP_EPOCH_NONE == window->epoch && window->exposed && OMPI_OSC_UCP_NEED_ACCESS == need) {
        ompi_osc_ucp_window_explain(window, call, target, "no access epoch is open, only the exposure epoch of "
                                    "MPI_Win_post, which is for the others' operations: MPI_Win_start begins one");
    } else {
        ompi_osc_ucp_window_explain(window, call, target, "%s; %s", in_force[window->epoch], begin[need]);
    }
}

void ompi_osc_ucp_epoch_missing(const ompi_osc_ucp_window_t *window, const char *call, ompi_osc_ucp_need_t need,
                                int target)
{
    switch (need) {
    case OMPI_OSC_UCP_NEED_POST:
        ompi_osc_ucp_window_explain(window, call, target, "no exposure epoch is open; MPI_Win_post begins one");
        break;
    case OMPI_OSC_UCP_NEED_UNPOSTED:
        ompi_osc_ucp_window_explain(window, call, target, "the exposure epoch of MPI_Win_post is open: MPI_Win_wait or "
                                    "MPI_Win_test ends it");
        break;
    case OMPI_OSC_UCP_NEED_NONE:
        if (MPI_PROC_NULL != target && OMPI_OSC_UCP_EPOCH_LOCK == window->epoch) {
            ompi_osc_ucp_window_explain(window, call, target, "rank %d is locked already: MPI_Win_unlock unlocks it",
                                        target);
        } else {
            ompi_osc_ucp_window_explain(window, call, target, "%s%s", in_force[window->epoch], end[window->epoch]);
        }
        break;
    default:
        access_missing(window, call, need, target);
    }
}

int ompi_osc_ucp_sync_failed(const ompi_osc_ucp_window_t *window, const char *call, ompi_osc_ucp_need_t need,
                             int target, int rc)
{
    if (OMPI_ERR_RMA_SYNC == rc) {
        ompi_osc_ucp_epoch_missing(window, call, need, target);
    } else {
        ompi_osc_ucp_window_explain_code(window, call, target, rc);
    }
    return rc;
}
