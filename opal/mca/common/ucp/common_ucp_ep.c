/* Endpoints: from the origin worker to the peers' service workers.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The way back, from a service worker to an origin worker, is never made here: UCX gives it with each message.
 */

#include "common_ucp_internal.h"

#include <stdlib.h>

#include "opal/constants.h"

static bool eps_reserve(opal_common_ucp_transport_t *t)
{
    size_t    space = 2 * t->eps_space + 8;
    ucp_ep_h *eps;

    if (t->neps < t->eps_space) {
        return true;
    }
    eps = realloc(t->eps, space * sizeof(*eps));
    if (NULL == eps) {
        return false;
    }
    t->eps       = eps;
    t->eps_space = space;
    return true;
}

int opal_common_ucp_connect(const void *address, opal_common_ucp_ep_t **ep_p)
{
    opal_common_ucp_transport_t *t      = &opal_common_ucp_transport;
    ucp_ep_params_t              params = {
        .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS,
        .address    = address
    };
    ucs_status_t                 status;

    if (!eps_reserve(t)) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    status = ucp_ep_create(t->worker[OPAL_COMMON_UCP_ORIGIN], &params, &t->eps[t->neps]);
    if (UCS_OK != status) {
        return opal_common_ucp_status(status);
    }
    *ep_p = (opal_common_ucp_ep_t *) t->eps[t->neps];
    t->neps++;
    return OPAL_SUCCESS;
}

/** Wait for a UCX request of the closing phase: no other thread is left, so both workers are ours. */
static void finish(ucs_status_ptr_t request)
{
    opal_common_ucp_transport_t *t = &opal_common_ucp_transport;

    if (NULL == request || UCS_PTR_IS_ERR(request)) {
        return;
    }
    while (UCS_INPROGRESS == ucp_request_check_status(request)) {
        ucp_worker_progress(t->worker[OPAL_COMMON_UCP_ORIGIN]);
        ucp_worker_progress(t->worker[OPAL_COMMON_UCP_SERVICE]);
    }
    ucp_request_free(request);
}

void opal_common_ucp_eps_close(void)
{
    opal_common_ucp_transport_t *t     = &opal_common_ucp_transport;
    ucp_request_param_t          param = { .op_attr_mask = 0 };
    size_t                       i;

    /* A peer may still wait for our last replies: they must have left before the worker goes. */
    finish(ucp_worker_flush_nbx(t->worker[OPAL_COMMON_UCP_SERVICE], &param));
    for (i = 0; i < t->neps; i++) {
        finish(ucp_ep_close_nbx(t->eps[i], &param));
    }
    free(t->eps);
    t->eps  = NULL;
    t->neps = t->eps_space = 0;
}
