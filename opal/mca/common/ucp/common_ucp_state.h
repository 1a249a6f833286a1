/* The state of the transport. Its lowest file: it uses no other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_STATE_H
#define OPAL_COMMON_UCP_STATE_H

#include "common_ucp.h"

#include "common_ucp_ucx.h"

/** Written while the transport is opened and closed; in between any thread may read it. */
typedef struct opal_common_ucp_transport_t {
    ucp_context_h                context;
    ucp_worker_h                 worker[2];  /**< by opal_common_ucp_side_t; see common_ucp.h for who may use which */
    opal_common_ucp_handler_fn_t handler[2]; /**< of what arrives at that side */
    ucp_address_t               *address;    /**< of the service worker; UCX's, released when the transport is closed */
    size_t                       address_len;
    bool                         native;     /**< UCX was asked for put, get and atomics */
    bool                         registers;  /**< see opal_common_ucp_registers */
    bool                         open;
} opal_common_ucp_transport_t;

extern opal_common_ucp_transport_t opal_common_ucp_transport;

#endif /* OPAL_COMMON_UCP_STATE_H */
