/* Handoffs at the target: it carries out what origins have posted (memory/handoff.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SERVICE_HANDOFF_H
#define OSC_UCP_SERVICE_HANDOFF_H

#include "peer/window.h"

/** Look at the window's own handoff whenever this process polls, until that is closed. Closing one that is not open
 *  does nothing. Inside the origin side. */
void ompi_osc_ucp_handoff_open(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_handoff_close(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_SERVICE_HANDOFF_H */
