/* For what a call waits: for the watchdog and the report.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REPORT_AWAITS_H
#define OSC_UCP_REPORT_AWAITS_H

#include "base/watched.h"

/** Find out for what a call on a watched window waits: fill in `awaits`, `window`, `name`, `missing` and `whom` of
 *  `draft`. True: it waits for a lock that it has asked for by message, so that the target may not have answered yet.
 *  Inside the origin side. */
bool ompi_osc_ucp_awaits_find(const ompi_osc_ucp_calling_t *calling, ompi_osc_ucp_watched_t *draft);

#endif /* OSC_UCP_REPORT_AWAITS_H */
