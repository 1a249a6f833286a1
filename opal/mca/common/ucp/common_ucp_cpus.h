/* Processors: where the service thread may run. Any thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_CPUS_H
#define OPAL_COMMON_UCP_CPUS_H

#include <sched.h>
#include <stdbool.h>

/** Read "all", "program" (then the set is empty), or a list such as 0-3,8. False: it is none of these, or the list has
 *  processors that do not exist or that the job may not use. */
bool opal_common_ucp_cpus_parse(const char *text, cpu_set_t *cpus);

/** The processors in `allowed` that the program's first thread may run on, without this one. False: there are none. */
bool opal_common_ucp_cpus_aside(const cpu_set_t *allowed, cpu_set_t *aside);

#endif /* OPAL_COMMON_UCP_CPUS_H */
