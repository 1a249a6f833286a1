/* Operations with notification: what comes before and behind them. The functions of base/notified.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_NOTIFIED_CALL_H
#define OSC_UCP_NOTIFIED_CALL_H

#include "base/host.h"
#include "base/notified.h"
#include "peer/window.h"

int ompi_osc_ucp_notified_check(ompi_osc_ucp_window_t *window, int target, int index, const char *call,
                                mca_osc_ucp_notice_t *notice_p);
int ompi_osc_ucp_notified_raise(MPI_Win win, int target, int index, const char *call, int64_t begin);

/** Called before an operation with notification, outside the origin side; NULL: nothing is. Set by
 *  check/schedule.c. */
extern void (*ompi_osc_ucp_notified_before)(ompi_osc_ucp_window_t *window, int target);

#endif /* OSC_UCP_NOTIFIED_CALL_H */
