/* What is native: found out once when the transport is opened, and the parsers of what UCX prints.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_LANES_H
#define OPAL_COMMON_UCP_LANES_H

#include "common_ucp.h"

/** Find out what opal_common_ucp_registers is to return. */
bool opal_common_ucp_registers_find(void);

/** Longest name of a transport with its device, and of something that is unknown; with the end. */
#define OPAL_COMMON_UCP_TRANSPORT_MAX 64
#define OPAL_COMMON_UCP_UNKNOWN_MAX   80

/**
 * Read what UCX prints of an endpoint. `transports` are those of its `n` lanes, as "NAME/DEVICE", where UCX tells them;
 * if `n` is 0, those in the text count. If it cannot be known what is native, `unknown` says why; else it is empty.
 */
void opal_common_ucp_lanes_read(const char *text, const char *const *transports, unsigned n,
                                opal_common_ucp_lanes_t *lanes, char unknown[OPAL_COMMON_UCP_UNKNOWN_MAX]);

/** Read what UCX prints of a context (for opal_common_ucp_registers). *readable_p is false if the form is unknown. */
bool opal_common_ucp_resources_read(const char *text, bool *readable_p);

/** Read what UCX prints of a worker (for opal_common_ucp_device_atomics). */
bool opal_common_ucp_atomics_read(const char *text);

#endif /* OPAL_COMMON_UCP_LANES_H */
