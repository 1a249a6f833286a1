/* Endpoints: from the origin worker to the peers' service workers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Endpoints from a service worker back to an origin worker are not made here: UCX passes them with each message. No
 * endpoint is closed by itself: destroying the workers closes all. By then nothing is left to send, and the peer, with
 * which an orderly close exchanges messages, may have ended. An endpoint that has failed stays too; sends on it fail.
 */

#include "common_ucp_state.h"
#include "common_ucp_status.h"

#include "opal/constants.h"

static uint64_t made; /* endpoints, of both workers; atomic */

uint64_t opal_common_ucp_connections(void)
{
    return __atomic_load_n(&made, __ATOMIC_RELAXED);
}

/** The endpoint has failed. UCX calls this once, in progress, and completes the endpoint's operations with errors. */
static void failed(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    opal_common_ucp_watch_t *watch = arg;

    (void) ep;
    (void) status;
    if (NULL != watch && opal_common_ucp_transport.open) {
        watch->lost(watch);
    }
}

static int ep_create(opal_common_ucp_side_t side, const void *address, opal_common_ucp_watch_t *watch,
                     ucp_ep_h *ep_p)
{
    ucp_ep_params_t params = {
        .field_mask      = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address         = address,
        .err_mode        = UCP_ERR_HANDLING_MODE_PEER,
        .err_handler.cb  = failed,
        .err_handler.arg = watch
    };

    if (opal_common_ucp_surviving) {
        params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    }
    __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
    return opal_common_ucp_status(ucp_ep_create(opal_common_ucp_transport.worker[side], &params, ep_p));
}

int opal_common_ucp_connect(const void *address, opal_common_ucp_ep_t **ep_p)
{
    ucp_ep_h ep;
    int      rc = ep_create(OPAL_COMMON_UCP_ORIGIN, address, NULL, &ep);

    if (OPAL_SUCCESS == rc) {
        *ep_p = (opal_common_ucp_ep_t *) ep;
    }
    return rc;
}

int opal_common_ucp_watch(const void *address, opal_common_ucp_watch_t *watch)
{
    ucp_ep_h ep;
    int      rc;

    opal_common_ucp_service_lock();
    rc = ep_create(OPAL_COMMON_UCP_SERVICE, address, watch, &ep);
    opal_common_ucp_service_unlock();
    return rc;
}
