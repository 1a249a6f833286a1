/* Handoffs at the target: it carries out what origins have posted (memory/handoff.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SERVICE_HANDOFF_H
#define OSC_UCP_SERVICE_HANDOFF_H

#include "memory/handoff.h"
#include "peer/window.h"

/** Look at the window's own handoff whenever this process polls, until that is closed. Closing one that is not open
 *  does nothing. Inside the origin side. */
void ompi_osc_ucp_handoff_open(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_handoff_close(ompi_osc_ucp_window_t *window);

/** Carry out what an origin has posted to a window with a handoff. Returns whether there was something. Waits for
 *  stripes only. Any thread. */
bool ompi_osc_ucp_handoff_take(const ompi_osc_ucp_window_t *window);

/** Tell origins that this process polls, and carry out what one has posted. Any thread. */
static inline bool ompi_osc_ucp_handoff_serve(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_handoff_t *handoff = window->handoff;

    __atomic_store_n(&handoff->polls, __atomic_load_n(&handoff->polls, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    return OPAL_UNLIKELY(OMPI_OSC_UCP_HANDOFF_POSTED <= __atomic_load_n(&handoff->state, __ATOMIC_RELAXED)) &&
           ompi_osc_ucp_handoff_take(window);
}

#endif /* OSC_UCP_SERVICE_HANDOFF_H */
