/* The layer of windows that the watchdog watches: it keeps this process's record (base/watched.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_WATCH_H
#define OSC_UCP_LAYER_WATCH_H

#include "base/watched.h"
#include "peer/window.h"

/** What the watchdog keeps for a window. */
struct ompi_osc_ucp_watch_t {
    struct ompi_osc_ucp_watch_t  *next;   /**< of this process's watched windows */
    ompi_osc_ucp_window_t        *window;
    ompi_osc_ucp_watched_window_t as;     /**< the window in records */
    ompi_group_t                 *posted; /**< of MPI_Win_post, retained, until MPI_Win_wait; else NULL */
};

/** This process's watched windows. Origin side. */
extern struct ompi_osc_ucp_watch_t *ompi_osc_ucp_watches;

/** Add the layer, unless the window has it. False if memory is short: then the window is not watched. */
bool ompi_osc_ucp_watch_begin(ompi_osc_ucp_window_t *window);

/** A call begins that frees a watched window. */
void ompi_osc_ucp_watch_frees(ompi_osc_ucp_window_t *window, ompi_osc_ucp_called_t call);

/** Free what is kept for a watched window. No call on it follows. Inside the origin side. */
void ompi_osc_ucp_watch_end(ompi_osc_ucp_window_t *window);

#endif /* OSC_UCP_LAYER_WATCH_H */
