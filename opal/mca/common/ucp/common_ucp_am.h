/* Active messages: what the workers' life and progress need of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_AM_H
#define OPAL_COMMON_UCP_AM_H

#include "common_ucp_state.h"

/** Have the worker of a side hand what arrives to the transport's handler. */
ucs_status_t opal_common_ucp_handlers_set(opal_common_ucp_side_t side);

/** A message that is being sent. */
typedef struct opal_common_ucp_send_t opal_common_ucp_send_t;

/** Messages that UCX had no memory for, by side and in their order. Guarded like the worker of that side. */
extern opal_common_ucp_send_t *opal_common_ucp_deferred[2];

/** Try again to send them. */
void opal_common_ucp_sends_retry(opal_common_ucp_side_t side);

/** Free what is kept for sending, messages that have not left included. After the end of the workers. */
void opal_common_ucp_sends_free(void);

#endif /* OPAL_COMMON_UCP_AM_H */
