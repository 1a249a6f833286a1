/* Operations with notification: what comes before and behind them. The functions of base/notified.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_NOTIFIED_CALL_H
#define OSC_UCP_NOTIFIED_CALL_H

#include "base/host.h"
#include "base/notified.h"

int ompi_osc_ucp_notified_check(MPI_Win win, int target, int index, const char *call);
int ompi_osc_ucp_notified_raise(MPI_Win win, int target, int index, const char *call);

#endif /* OSC_UCP_NOTIFIED_CALL_H */
