/* What is native: found out once when the transport is opened, and the parsers of what UCX prints.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_LANES_H
#define OPAL_COMMON_UCP_LANES_H

#include "common_ucp.h"

/** Find out what opal_common_ucp_registers is to return. */
bool opal_common_ucp_registers_find(void);

/* Parsers of what UCX prints of an endpoint, a context (for opal_common_ucp_registers) and a worker (for
 * opal_common_ucp_device_atomics). */
void opal_common_ucp_lanes_read(const char *text, opal_common_ucp_lanes_t *lanes);
bool opal_common_ucp_resources_read(const char *text);
bool opal_common_ucp_atomics_read(const char *text);

#endif /* OPAL_COMMON_UCP_LANES_H */
