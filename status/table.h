/* What osc_ucp_status prints of a job.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_STATUS_TABLE_H
#define OSC_UCP_STATUS_TABLE_H

#include <stdio.h>

#include "look.h"

/** Print a table of the job's processes on this node. `before` is an earlier look at it, for the rates; NULL: there is
 *  none. */
void table_print(FILE *out, const job_t *job, const job_t *before);

#endif /* OSC_UCP_STATUS_TABLE_H */
