/* The two workers: their life, and progress.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_WORKER_H
#define OPAL_COMMON_UCP_WORKER_H

#include "common_ucp_am.h"

/** Create both workers and their handlers, in the transport's context; or nothing. */
ucs_status_t opal_common_ucp_workers_create(void);
void         opal_common_ucp_workers_destroy(void);

/** Progress a worker, under the lock of its side. Returns the number of events. */
static inline unsigned opal_common_ucp_progress(opal_common_ucp_side_t side)
{
    if (NULL != opal_common_ucp_deferred[side]) {
        opal_common_ucp_sends_retry(side);
    }
    return ucp_worker_progress(opal_common_ucp_transport.worker[side]);
}

#endif /* OPAL_COMMON_UCP_WORKER_H */
