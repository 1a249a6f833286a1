/* How the parts of osc_ucp_trace are put together, with clocks of several hosts, and with a matrix beside it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REPORT_TRACE_H
#define OSC_UCP_REPORT_TRACE_H

#include "base/trace.h"
#include "peer/window.h"

/* report/trace_clock.c */

/** Forget what is known of clocks. */
void ompi_osc_ucp_trace_clock_begin(void);

/** Is this process traced, and are there members on other hosts, whose clock it has not compared for a while? */
bool ompi_osc_ucp_trace_clock_wanted(const ompi_communicator_t *comm);

/** Compare the clock with that of rank 0 when a window has been made, and again when it is freed. Collective. */
void ompi_osc_ucp_trace_clock_first(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm);
void ompi_osc_ucp_trace_clock_last(ompi_osc_ucp_window_t *window);

/** Are times of this process other than those of the trace? */
bool ompi_osc_ucp_trace_clock_shifts(void);

/** What is added to a time of this process, so that it is a time of the trace. Nanoseconds. */
int64_t ompi_osc_ucp_trace_clock_shift(uint64_t ns);

/** By how much that may be wrong; negative: not known. Nanoseconds. */
int64_t ompi_osc_ucp_trace_clock_error(void);

/* report/trace_matrix.c */

/** Add this process's row to the matrix, the files FILE.csv and FILE.svg. So many processes have done so
 *  `before`; 0: those are an earlier job's. The caller has locked the trace. False: errno says why not. */
bool ompi_osc_ucp_trace_matrix(int before);

#endif /* OSC_UCP_REPORT_TRACE_H */
