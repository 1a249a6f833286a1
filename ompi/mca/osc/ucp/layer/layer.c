/* Layers: how they replace functions in a window's table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "layer/layer.h"

#include <stdlib.h>
#include <string.h>

/** A module consists of pointers to functions only. */
typedef void (*function_t)(void);

#define FUNCTIONS (sizeof(ompi_osc_base_module_t) / sizeof(function_t))

_Static_assert(0 == sizeof(ompi_osc_base_module_t) % sizeof(function_t), "a table of functions");

bool ompi_osc_ucp_layer_add(ompi_osc_ucp_window_t *window, ompi_osc_ucp_layer_t layer,
                            const ompi_osc_base_module_t *functions)
{
    const function_t       *from  = (const function_t *) functions;
    function_t             *to    = (function_t *) &window->super;
    ompi_osc_base_module_t *below;
    size_t                  i;

    if (NULL != window->below[layer]) {
        return true;
    }
    below = malloc(sizeof(*below));
    if (NULL == below) {
        return false;
    }
    *below = window->super;
    __atomic_store_n(&window->below[layer], below, __ATOMIC_RELAXED);
    for (i = 0; i < FUNCTIONS; i++) {
        if (NULL != from[i]) {
            __atomic_store_n(&to[i], from[i], __ATOMIC_RELEASE); /* other threads may be calling it */
        }
    }
    return true;
}

void ompi_osc_ucp_layers_free(ompi_osc_ucp_window_t *window)
{
    int layer;

    for (layer = 0; layer < OMPI_OSC_UCP_LAYERS; layer++) {
        free(window->below[layer]);
    }
}
