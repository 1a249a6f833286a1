/* How long a tick of the processor's counter is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/ticks.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/** For how long the counter is compared, nanoseconds. */
#define COMPARE_NS 1000000

/** Both clocks are read again until that takes no longer: the process may lose its processor in between. */
#define CLOSE_NS 500
#define READINGS 100

ompi_osc_ucp_ticks_t ompi_osc_ucp_ticks;

/** Does the kernel count the time by this counter? It does not if it has found that processors differ. */
static bool trusted(void)
{
    char  name[8] = "";
    FILE *file    = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

    if (NULL != file) {
        (void) fgets(name, sizeof(name), file);
        (void) fclose(file);
    }
    return 0 == strcmp(name, "tsc\n");
}

/** Read both clocks at one moment. False: something came in between each time. */
static bool both_read(ompi_osc_ucp_ticks_t *at)
{
    uint64_t after = 0;
    int      i;

    for (i = 0; i < READINGS; i++) {
        at->ns    = opal_common_ucp_now_ns();
        at->ticks = ompi_osc_ucp_cpu_clock();
        after     = opal_common_ucp_now_ns();
        if (after - at->ns <= CLOSE_NS) {
            return true;
        }
    }
    return false;
}

static void compare(void)
{
    ompi_osc_ucp_ticks_t first = { 0 }, last = { 0 };

    if (!trusted() || !both_read(&first)) {
        return;
    }
    while (opal_common_ucp_now_ns() - first.ns < COMPARE_NS) {
        ompi_osc_ucp_cpu_relax();
    }
    if (both_read(&last) && last.ticks > first.ticks) {
        last.ns_per_tick   = (double) (last.ns - first.ns) / (double) (last.ticks - first.ticks);
        ompi_osc_ucp_ticks = last;
    }
}

void ompi_osc_ucp_ticks_compare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void) pthread_once(&once, compare);
}
