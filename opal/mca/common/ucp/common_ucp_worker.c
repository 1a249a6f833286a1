/* The two workers: their life, and the origin worker's progress.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_worker.h"

static ucs_status_t worker_create(opal_common_ucp_side_t side)
{
    opal_common_ucp_transport_t *t      = &opal_common_ucp_transport;
    ucp_worker_params_t          params = {
        .field_mask  = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
        .thread_mode = UCS_THREAD_MODE_SERIALIZED
    };
    ucs_status_t                 status;

    status = ucp_worker_create(t->context, &params, &t->worker[side]);
    if (UCS_OK != status) {
        return status;
    }
    status = opal_common_ucp_handlers_set(side);
    if (UCS_OK != status) {
        ucp_worker_destroy(t->worker[side]);
    }
    return status;
}

ucs_status_t opal_common_ucp_workers_create(void)
{
    ucs_status_t status;

    status = worker_create(OPAL_COMMON_UCP_ORIGIN);
    if (UCS_OK != status) {
        return status;
    }
    status = worker_create(OPAL_COMMON_UCP_SERVICE);
    if (UCS_OK != status) {
        ucp_worker_destroy(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_ORIGIN]);
    }
    return status;
}

void opal_common_ucp_workers_destroy(void)
{
    ucp_worker_destroy(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_ORIGIN]);
    ucp_worker_destroy(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE]);
}

unsigned opal_common_ucp_progress_origin(void)
{
    return opal_common_ucp_progress(OPAL_COMMON_UCP_ORIGIN);
}
