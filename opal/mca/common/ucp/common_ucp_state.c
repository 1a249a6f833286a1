/* The state of the transport.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_state.h"

opal_common_ucp_transport_t opal_common_ucp_transport;
