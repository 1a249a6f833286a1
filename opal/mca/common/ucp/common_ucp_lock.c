/* The service lock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_lock.h"

#include "common_ucp.h"

pthread_mutex_t opal_common_ucp_service_mutex = PTHREAD_MUTEX_INITIALIZER;

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
