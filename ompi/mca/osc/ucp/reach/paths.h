/* The paths that there are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_PATHS_H
#define OSC_UCP_PATHS_H

#include "path/path.h"

/** In the order in which they are asked; ended by NULL. The last one before that serves everybody. */
extern const ompi_osc_ucp_path_t *const ompi_osc_ucp_paths[];

#endif /* OSC_UCP_PATHS_H */
