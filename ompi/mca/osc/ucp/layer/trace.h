/* The layer of windows that osc_ucp_trace records.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_TRACE_H
#define OSC_UCP_LAYER_TRACE_H

#include "peer/window.h"

/** Add the layer to a window, which `call` has made since `begin`. False if memory is short: then it is not traced. */
bool ompi_osc_ucp_tracing_begin(ompi_osc_ucp_window_t *window, const char *call, uint64_t begin);

/** A traced window ends, in `call` since `begin`. No call on it follows. Inside the origin side. */
void ompi_osc_ucp_tracing_end(ompi_osc_ucp_window_t *window, const char *call, uint64_t begin);

#endif /* OSC_UCP_LAYER_TRACE_H */
