/* What other parts of the checker need of the one that compares operations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_CONFLICTS_H
#define OSC_UCP_CHECK_CONFLICTS_H

#include "check/log.h"

/** The rings of a window; NULL: there are none. */
static inline ompi_osc_ucp_log_t *ompi_osc_ucp_conflicts_log(const ompi_osc_ucp_window_t *window)
{
    return NULL == window->check ? NULL : window->check->log;
}

/* check/nostore.c */

struct ompi_osc_ucp_arrived_t;

/** A call says, by MPI_MODE_NOSTORE, that nothing has been stored to the own memory. Tell if that is not true. */
void ompi_osc_ucp_nostore_look(const ompi_osc_ucp_check_sync_t *sync, const struct ompi_osc_ucp_arrived_t *arrived);

/** Stores from here on are not compared, until a call begins that again. */
void ompi_osc_ucp_nostore_forget(const ompi_osc_ucp_window_t *window);

/* check/epochs.c */

/** Operations of this process on a target's memory, or on that of all if it is negative, will not be told. */
void ompi_osc_ucp_conflicts_hide(const ompi_osc_ucp_window_t *window, int target);

/** What an access that this process is told of says about epochs. False: it is no access, but another process's word of
 *  its fence. */
bool ompi_osc_ucp_epochs_see(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *access);

#endif /* OSC_UCP_CHECK_CONFLICTS_H */
