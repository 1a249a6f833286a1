/* The state of the transport, and how contexts are made.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_state.h"

opal_common_ucp_transport_t opal_common_ucp_transport;

ucs_status_t opal_common_ucp_context_create(const ucp_params_t *params, ucp_context_h *context_p)
{
    ucp_config_t *config;
    ucs_status_t  status = ucp_config_read(NULL, NULL, &config);

    if (UCS_OK == status) {
        status = ucp_init(params, config, context_p);
        ucp_config_release(config);
    }
    return status;
}
