/* Processors: where the service thread may run, and where it moves when it is in an origin's way.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "common_ucp_cpus.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Read a list such as 0-3,8. */
static bool list_parse(const char *text, cpu_set_t *cpus)
{
    unsigned long first, last;
    char         *end;

    for (;; text = end + 1) {
        first = last = strtoul(text, &end, 10);
        if (end == text) {
            return false;
        }
        if ('-' == *end) {
            text = end + 1;
            last = strtoul(text, &end, 10);
        }
        if (end == text || last < first || last >= CPU_SETSIZE) {
            return false;
        }
        for (; first <= last; first++) {
            CPU_SET(first, cpus);
        }
        if (',' != *end) {
            return '\0' == *end;
        }
    }
}

/** May this thread run on all of them? Tried, since only the kernel knows what exists and what the job may use. */
static bool all_usable(const cpu_set_t *cpus)
{
    cpu_set_t before, granted;
    bool      usable;

    if (0 != sched_getaffinity(0, sizeof(before), &before)) {
        return true; /* more processors than a set holds: nobody can tell */
    }
    usable = 0 == sched_setaffinity(0, sizeof(*cpus), cpus) && 0 == sched_getaffinity(0, sizeof(granted), &granted) &&
             CPU_EQUAL(cpus, &granted);
    (void) sched_setaffinity(0, sizeof(before), &before);
    return usable;
}

bool opal_common_ucp_cpus_parse(const char *text, cpu_set_t *cpus)
{
    CPU_ZERO(cpus);
    if (0 == strcmp(text, "all")) {
        memset(cpus, 0xff, sizeof(*cpus)); /* the kernel removes those that the process may not use */
        return true;
    }
    return 0 == strcmp(text, "program") || (list_parse(text, cpus) && all_usable(cpus));
}

bool opal_common_ucp_cpus_aside(const cpu_set_t *allowed, cpu_set_t *aside)
{
    int here = sched_getcpu();

    if (here < 0 || 0 != sched_getaffinity(getpid(), sizeof(*aside), aside)) {
        return false;
    }
    CPU_AND(aside, aside, allowed);
    CPU_CLR(here, aside);
    return 0 != CPU_COUNT(aside);
}
