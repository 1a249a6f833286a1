/* What is told to users: the report, the performance variables, the line that a window is ours.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REPORT_H
#define OSC_UCP_REPORT_H

#include "peer/window.h"

/** Instrument a window, and add up its members' counters at its end. Both are collective. */
int  ompi_osc_ucp_report_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm);
void ompi_osc_ucp_report_end(ompi_osc_ucp_window_t *window);

/** Print what this process keeps of windows that are gone. */
void ompi_osc_ucp_report_print(void);

/** For users who want to see that osc/ucp serves their windows: a line with --mca osc_base_verbose 10. */
void ompi_osc_ucp_announce(const ompi_osc_ucp_window_t *window);

/** Register all performance variables. A window is ours if its module has `free`. */
int ompi_osc_ucp_pvars_register(const mca_base_component_t *component, ompi_osc_base_module_free_fn_t free);

#endif /* OSC_UCP_REPORT_H */
