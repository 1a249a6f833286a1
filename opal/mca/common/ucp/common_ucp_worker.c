/* The two workers, and who may progress them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_internal.h"

#include "opal/constants.h"

pthread_mutex_t opal_common_ucp_service_mutex = PTHREAD_MUTEX_INITIALIZER;

static ucs_status_t worker_create(opal_common_ucp_side_t side, unsigned am_id)
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
    status = opal_common_ucp_handlers_set(side, am_id);
    if (UCS_OK != status) {
        ucp_worker_destroy(t->worker[side]);
    }
    return status;
}

ucs_status_t opal_common_ucp_workers_create(void)
{
    ucs_status_t status;

    status = worker_create(OPAL_COMMON_UCP_ORIGIN, OPAL_COMMON_UCP_AM_REPLY);
    if (UCS_OK != status) {
        return status;
    }
    status = worker_create(OPAL_COMMON_UCP_SERVICE, OPAL_COMMON_UCP_AM_REQUEST);
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

void opal_common_ucp_service_lock(void)
{
    pthread_mutex_lock(&opal_common_ucp_service_mutex);
}

bool opal_common_ucp_service_trylock(void)
{
    return 0 == pthread_mutex_trylock(&opal_common_ucp_service_mutex);
}

void opal_common_ucp_service_unlock(void)
{
    pthread_mutex_unlock(&opal_common_ucp_service_mutex);
}
