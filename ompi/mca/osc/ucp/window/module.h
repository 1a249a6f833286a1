/* The module of a window without layers, and the life of windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_MODULE_H
#define OSC_UCP_MODULE_H

#include "base/host.h"

/** What a window's module has, unless layers take its place (layer/layer.h). */
extern const ompi_osc_base_module_t ompi_osc_ucp_module_template;

/** Free a window: MPI_Win_free. Ours, by which a window of ours is known. */
int ompi_osc_ucp_free(ompi_win_t *win);

/** Make a window; the component's function. `module` is what its module has at first. */
int ompi_osc_ucp_select(ompi_win_t *win, void **base, size_t size, int disp_unit, ompi_communicator_t *comm,
                        opal_info_t *info, int flavor, int *model);

#endif /* OSC_UCP_MODULE_H */
