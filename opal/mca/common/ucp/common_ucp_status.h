/* What UCX answers: its status codes, and the log lines that explain them. Any thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_STATUS_H
#define OPAL_COMMON_UCP_STATUS_H

#include "common_ucp.h"

#include <ucs/type/status.h>

/** Set by opal_common_ucp_survive, before the transport is opened. */
extern bool opal_common_ucp_surviving;

/** An OPAL_ code for a UCX status. */
int opal_common_ucp_status(ucs_status_t status);

/**
 * Keep UCX's log lines off the terminal until `loud`, which the same thread calls: a mutex is held in between.
 * `loud` returns the first warning or error, "" if there was none. It belongs to the thread, until its next quiet.
 */
void        opal_common_ucp_quiet(void);
const char *opal_common_ucp_loud(void);

#endif /* OPAL_COMMON_UCP_STATUS_H */
