/* What users can ask for: the report, the performance variables, the trace, and a line for each window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REPORT_H
#define OSC_UCP_REPORT_H

#include "peer/window.h"

/** Instrument a window, and add up its members' counters when it is freed. Both are collective over its members.
 *  `level` is the largest osc_ucp_report of them. */
int  ompi_osc_ucp_report_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int level);
void ompi_osc_ucp_report_end(ompi_osc_ucp_window_t *window);

/** Stop looking at calls that wait: no window is left. */
void ompi_osc_ucp_samples_end(void);

/** Print the sums of freed windows that this process keeps. */
void ompi_osc_ucp_report_print(void);

/** With --mca osc_base_verbose 10, print a line that says that osc/ucp serves the window. */
void ompi_osc_ucp_announce(const ompi_osc_ucp_window_t *window);

/** Register all performance variables. `free` is the osc_free of this component's windows, by which they are known. */
int ompi_osc_ucp_pvars_register(const mca_base_component_t *component, ompi_osc_base_module_free_fn_t free);

/* report/reduce.c */

/** Reduce over the members of a window, to all or to rank 0. False if the window was lost meanwhile; `from` and `to`
 *  may still be in use then. */
bool ompi_osc_ucp_reduce(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, const void *from, void *to, int n,
                         ompi_datatype_t *type, ompi_op_t *op, bool all);

/* report/trace.c. Without the parameter osc_ucp_trace, these do nothing. */

/** A window is about to be made over a communicator. Returns when that is; 0: it is not traced. */
uint64_t ompi_osc_ucp_trace_begin(ompi_communicator_t *comm);

/** The window has been made. `begin` is what ompi_osc_ucp_trace_begin returned. */
void ompi_osc_ucp_trace_window(ompi_osc_ucp_window_t *window, uint64_t begin);

/** Write the trace: no window is left, and all processes have come to MPI_Finalize. */
void ompi_osc_ucp_trace_end(void);

/* report/watchdog.c. Without the parameters osc_ucp_watchdog, osc_ucp_watchdog_signal and osc_ucp_status, these do
 * nothing. */

/** Watch a window, from its creation on. */
void ompi_osc_ucp_watchdog_begin(ompi_osc_ucp_window_t *window);

/** End it: no window is left. */
void ompi_osc_ucp_watchdog_end(void);

#endif /* OSC_UCP_REPORT_H */
