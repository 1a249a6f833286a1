/* Layers above the module of a window: functions that do something more and call those they have replaced.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Any set of them works together, and a window without them has the plain table.
 */

#ifndef OSC_UCP_LAYER_H
#define OSC_UCP_LAYER_H

#include "peer/window.h"

/** Put a layer above the functions of the window's module, if it is not there. Those of `functions` that are not NULL take
 *  their place. False if memory is short. */
bool ompi_osc_ucp_layer_add(ompi_osc_ucp_window_t *window, ompi_osc_ucp_layer_t layer,
                            const ompi_osc_base_module_t *functions);

/** Free what the window's layers keep; its module is used no more. */
void ompi_osc_ucp_layers_free(ompi_osc_ucp_window_t *window);

/** What a layer calls for what it has replaced. */
static inline const ompi_osc_base_module_t *ompi_osc_ucp_below(ompi_win_t *win, ompi_osc_ucp_layer_t layer)
{
    return ompi_osc_ucp_window(win)->below[layer];
}

/* layer/device.c */

/** Have the window's communication calls serve buffers in memory that a processor must not touch. */
bool ompi_osc_ucp_devices_serve(ompi_osc_ucp_window_t *window);

/* layer/count.c */

/** From here on count what goes by load and store, and the time in synchronization. Stays until the window is freed. */
bool ompi_osc_ucp_instrument(ompi_osc_ucp_window_t *window);

/* layer/survive.c: when a member of a window dies, and the others go on. Nothing unless osc_ucp_survive says so. */

/** Take the other parameters back that do not go with it. Once, when MPI starts. */
void ompi_osc_ucp_survive_init(void);

/** Watch the members of a window, whose addresses can be had; and the end of that. */
int  ompi_osc_ucp_survive_begin(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_survive_end(ompi_osc_ucp_window_t *window);

/** Is the window lost? Waits a moment if something failed, to learn of whose death. Inside the origin side. */
bool ompi_osc_ucp_survive_lost(ompi_osc_ucp_window_t *window);

/** A lost window that is freed: its peers hold no locks any more, and messages on their way may still name it. It is kept,
 *  all but its memory; `delete` is called for it when the component ends. */
void ompi_osc_ucp_survive_keep(ompi_osc_ucp_window_t *window, void (*delete)(ompi_osc_ucp_window_t *window));
void ompi_osc_ucp_survive_fini(void);

#endif /* OSC_UCP_LAYER_H */
