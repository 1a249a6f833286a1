/* Which epoch a call misses, and which call would begin or end it, in words.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_MISSING_H
#define OSC_UCP_MISSING_H

#include "peer/peer.h"

/** What a call needs. Those with a target need it for that target. */
typedef enum ompi_osc_ucp_need_t {
    OMPI_OSC_UCP_NEED_ACCESS,   /**< any access epoch */
    OMPI_OSC_UCP_NEED_PASSIVE,  /**< a passive-target access epoch */
    OMPI_OSC_UCP_NEED_LOCK,     /**< the epoch of MPI_Win_lock */
    OMPI_OSC_UCP_NEED_LOCK_ALL, /**< the epoch of MPI_Win_lock_all */
    OMPI_OSC_UCP_NEED_START,    /**< the epoch of MPI_Win_start */
    OMPI_OSC_UCP_NEED_NONE,     /**< no access epoch, or that of another target */
    OMPI_OSC_UCP_NEED_POST,     /**< an exposure epoch */
    OMPI_OSC_UCP_NEED_UNPOSTED  /**< no exposure epoch */
} ompi_osc_ucp_need_t;

/** Explain why a synchronization call fails. `target` is MPI_PROC_NULL if it has none. Returns `rc`. */
int ompi_osc_ucp_sync_failed(const ompi_osc_ucp_window_t *window, const char *call, ompi_osc_ucp_need_t need,
                             int target, int rc) __attribute__((cold, noinline));

/** The outcome of a synchronization call. */
static inline int ompi_osc_ucp_sync_outcome(const ompi_osc_ucp_window_t *window, const char *call,
                                            ompi_osc_ucp_need_t need, int target, int rc)
{
    return OPAL_LIKELY(OMPI_SUCCESS == rc) ? rc : ompi_osc_ucp_sync_failed(window, call, need, target, rc);
}

/** Explain OMPI_ERR_RMA_SYNC of any call. */
void ompi_osc_ucp_epoch_missing(const ompi_osc_ucp_window_t *window, const char *call, ompi_osc_ucp_need_t need,
                                int target) __attribute__((cold));

#endif /* OSC_UCP_MISSING_H */
