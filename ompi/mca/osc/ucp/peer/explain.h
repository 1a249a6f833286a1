/* Why a call on a window fails, in one line.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PEER_EXPLAIN_H
#define OSC_UCP_PEER_EXPLAIN_H

#include "base/explain.h"
#include "peer/window.h"

/** See ompi_osc_ucp_explain. The line begins with the call, the target (MPI_PROC_NULL: none) and the window. */
void ompi_osc_ucp_window_explain(const ompi_osc_ucp_window_t *window, const char *call, int target, const char *format,
                                 ...) __attribute__((cold, format(printf, 4, 5)));

/** The call that makes a window of this flavor. */
const char *ompi_osc_ucp_flavor_call(int flavor);

/** Explain an error that is not the call's own: memory is short, or an operation was refused by its target. */
void ompi_osc_ucp_window_explain_code(const ompi_osc_ucp_window_t *window, const char *call, int target, int rc)
    __attribute__((cold));

#endif /* OSC_UCP_PEER_EXPLAIN_H */
