/* Layers: functions that replace some of a window's table, do something more, and call those that they replaced.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Layers work in any combination. A window without layers has the plain table (window/module.c).
 */

#ifndef OSC_UCP_LAYER_H
#define OSC_UCP_LAYER_H

#include "peer/window.h"

/** Add a layer to a window, unless it has it. The functions that are not NULL replace those in the window's table.
 *  False if memory is short. */
bool ompi_osc_ucp_layer_add(ompi_osc_ucp_window_t *window, ompi_osc_ucp_layer_t layer,
                            const ompi_osc_base_module_t *functions);

/** Free the tables that the window's layers replaced. Its own table is not used any more. */
void ompi_osc_ucp_layers_free(ompi_osc_ucp_window_t *window);

/** The table that a layer replaced; for its functions. Another thread may have added the layer while Open MPI loaded
 *  the function: the load here must not have been executed before that one. */
static inline const ompi_osc_base_module_t *ompi_osc_ucp_below(ompi_win_t *win, ompi_osc_ucp_layer_t layer)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return ompi_osc_ucp_window(win)->below[layer];
}

/* layer/device.c */

/** Add the layer that lets communication calls have buffers in device memory. False if memory is short. */
bool ompi_osc_ucp_devices_serve(ompi_osc_ucp_window_t *window);

/** May this process have memory of devices? Found out without UCX: is there a library for a GPU in the process? */
bool ompi_osc_ucp_devices_possible(void);

/* layer/count.c */

/** Add the layer that counts operations by load and store, and the time in synchronization calls. It stays until the
 *  window is freed. False if memory is short. */
bool ompi_osc_ucp_instrument(ompi_osc_ucp_window_t *window);

/* layer/survive.c. Without the parameter osc_ucp_survive, these do nothing. */

/** Adapt other parameters to osc_ucp_survive. Called once, when MPI starts. */
void ompi_osc_ucp_survive_init(void);

/** Begin and end to watch the members of a window; their addresses must be known. The beginning adds the layer. */
int  ompi_osc_ucp_survive_begin(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_survive_end(ompi_osc_ucp_window_t *window);

/** Is the window lost? If a message could not be sent, waits up to a second for the reason. Inside the origin side. */
bool ompi_osc_ucp_survive_lost(ompi_osc_ucp_window_t *window);

/** Keep a lost window that is freed, because messages on their way may still name it. Its locks are forgotten. `delete`
 *  is called for it by ompi_osc_ucp_survive_fini, when the component ends. */
void ompi_osc_ucp_survive_keep(ompi_osc_ucp_window_t *window, void (*delete)(ompi_osc_ucp_window_t *window));
void ompi_osc_ucp_survive_fini(void);

#endif /* OSC_UCP_LAYER_H */
