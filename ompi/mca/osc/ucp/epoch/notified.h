/* Own notification counters, and their number (docs/notified.md). The functions of base/notified.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_NOTIFIED_EPOCH_H
#define OSC_UCP_NOTIFIED_EPOCH_H

#include "base/notified.h"
#include "peer/window.h"

int ompi_osc_ucp_notified_set_num(MPI_Win win, int n);
int ompi_osc_ucp_notified_get_num(MPI_Win win, int target, int *n);
int ompi_osc_ucp_notified_value(MPI_Win win, int index, int reset, MPI_Count *value, const char *call);
int ompi_osc_ucp_notified_wait(MPI_Win win, int index, MPI_Count threshold, MPI_Count *value);
int ompi_osc_ucp_notified_threshold(MPI_Win win, int index, MPI_Count threshold, MPI_Request *request);

/** The window is freed: complete the requests for its counters, as cancelled. Inside the origin side. */
void ompi_osc_ucp_notified_end(const ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_NOTIFIED_EPOCH_H */
