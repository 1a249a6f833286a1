/* How the library of loads and stores tells the checker of one.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Any thread. All is inline but the call of the checker: the program calls this for each load and store.
 */

#ifndef OSC_UCP_PRELOAD_LOADS_H
#define OSC_UCP_PRELOAD_LOADS_H

#include "ompi/mca/osc/ucp/base/loads.h"

/** What the component looks for. */
extern mca_osc_ucp_loads_t osc_ucp_check_loads;

/** By page, as the component sees it. Of this library only. */
extern uint32_t loads_watched[MCA_OSC_UCP_LOADS_PAGES] __attribute__((visibility("hidden")));

/** Tell the checker of an access in a page that is watched. */
void loads_tell(const void *at, size_t size, unsigned how, const void *pc) __attribute__((visibility("hidden")));

/** An access of at most 16 bytes. One that crosses the end of a page is known by its first. */
static inline __attribute__((always_inline)) void loads_seen(const void *at, size_t size, unsigned how, const void *pc)
{
    if (__builtin_expect(0 != __atomic_load_n(&loads_watched[mca_osc_ucp_loads_page((uintptr_t) at)],
                                              __ATOMIC_RELAXED), 0)) {
        loads_tell(at, size, how, pc);
    }
}

#endif /* OSC_UCP_PRELOAD_LOADS_H */
