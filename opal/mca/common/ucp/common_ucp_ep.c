/* Endpoints: from the origin worker to the peers' service workers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The way back, from a service worker to an origin worker, is never made here: UCX gives it with each message. All
 * endpoints live until the workers are destroyed, which closes them: by then nothing is left to be sent, and a close
 * that talks to the peer would find it gone.
 */

#include "common_ucp_internal.h"

int opal_common_ucp_connect(const void *address, opal_common_ucp_ep_t **ep_p)
{
    ucp_ep_params_t params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address    = address
    };
    ucp_ep_h        ep;
    ucs_status_t    status;

    status = ucp_ep_create(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_ORIGIN], &params, &ep);
    if (UCS_OK == status) {
        *ep_p = (opal_common_ucp_ep_t *) ep;
    }
    return opal_common_ucp_status(status);
}
