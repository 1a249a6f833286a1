/* The two halves of the layer of instrumented windows: operations (layer/count.c) and synchronization.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_COUNT_H
#define OSC_UCP_LAYER_COUNT_H

#include "layer/layer.h"

/** Synchronizing calls of the layer (layer/count_sync.c); the others are NULL. */
extern const ompi_osc_base_module_t ompi_osc_ucp_count_synchronizing;

#endif /* OSC_UCP_LAYER_COUNT_H */
