/* The clock of this process, in the memory that it shares with the others of its job, and what the preloaded library
 * tells of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_ORDER_H
#define OSC_UCP_CHECK_ORDER_H

#include "check/clock.h"
#include "check/parts.h"

/** The clock. Without the library, or if not all of the job is on this node, it says that all is ordered. */
extern ompi_osc_ucp_clock_t ompi_osc_ucp_check_clock;

/** With each checked window, by the thread that makes it; and when the component is closed. */
void ompi_osc_ucp_check_order_begin(const ompi_win_t *win);
void ompi_osc_ucp_check_order_end(void);

/** Before an operation with notification. Whoever waits for that is behind it, which nobody sees: from here on all is
 *  ordered by clocks, and this process's operations in the window are not compared. */
void ompi_osc_ucp_check_notifies(ompi_osc_ucp_window_t *window);

/** The process of a rank, OMPI_OSC_UCP_CLOCK_ALL if it is of another job. */
int ompi_osc_ucp_check_process(ompi_group_t *group, int rank);

/** Stamp an operation that has been called just now (check/clocks.c). */
void ompi_osc_ucp_check_stamp(ompi_osc_ucp_window_t *window, int target, ompi_osc_ucp_stamp_t *stamp);

/** The step with which operations end that this thread's synchronization call completes, or of whose completion a
 *  request tells now. */
uint32_t ompi_osc_ucp_check_step(void);

#endif /* OSC_UCP_CHECK_ORDER_H */
