/* The time for accounts of calls that take little longer than asking the kernel's clock: the processor's counter.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only where the kernel itself counts the time by that counter: it is steady then, and the same on all processors.
 * Elsewhere it is the kernel's clock. Times are of this process: none goes to others.
 */

#ifndef OSC_UCP_TICKS_H
#define OSC_UCP_TICKS_H

#include "base/cpu.h"
#include "opal/mca/common/ucp/common_ucp.h"

/** The counter, compared with opal_common_ucp_now_ns. */
typedef struct ompi_osc_ucp_ticks_t {
    double   ns_per_tick; /**< 0: the counter is not used */
    uint64_t ticks, ns;   /**< at the same moment */
} ompi_osc_ucp_ticks_t;

extern ompi_osc_ucp_ticks_t ompi_osc_ucp_ticks;

/** Compare the counter with the kernel's clock, which takes a millisecond; once. Before any account begins. */
void ompi_osc_ucp_ticks_compare(void);

/** The time, nanoseconds: within a thousandth of what opal_common_ucp_now_ns counts meanwhile. */
static inline uint64_t ompi_osc_ucp_ticks_now(void)
{
    const ompi_osc_ucp_ticks_t *ticks = &ompi_osc_ucp_ticks;

    if (0 == ticks->ns_per_tick) {
        return opal_common_ucp_now_ns();
    }
    return ticks->ns + (uint64_t) ((double) (int64_t) (ompi_osc_ucp_cpu_clock() - ticks->ticks) * ticks->ns_per_tick);
}

#endif /* OSC_UCP_TICKS_H */
