/* The layer of osc_ucp_check_schedule: it delays communication calls for as long as the standard allows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_SCHEDULE_H
#define OSC_UCP_CHECK_SCHEDULE_H

#include "peer/window.h"

/** Delay the calls on a window from now on, if osc_ucp_check_schedule asks for that. Not if memory is short. */
void ompi_osc_ucp_schedule_begin(ompi_osc_ucp_window_t *window);

/** Carry out all calls that are still kept, as MPI_Win_free begins. Outside the origin side. */
void ompi_osc_ucp_schedule_drain(ompi_osc_ucp_window_t *window);

/** The window ends: what is kept is forgotten. Outside the origin side. */
void ompi_osc_ucp_schedule_end(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_CHECK_SCHEDULE_H */
