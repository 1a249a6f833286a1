/* When stores to mapped memory are complete.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Completion of what was done by store: when a flush returns, a later load of this process must not have been done
 * before the store. A put's store is followed by a fence at once. An accumulate has paid for one atomic instruction
 * already, and where the CPU keeps stores in order (x86-64) what is left is put off to the next load that MPI does for
 * the program, or MPI_Win_sync, which a program needs before it loads itself (MPI-3.1 section 11.7).
 */

#ifndef OSC_UCP_STORES_H
#define OSC_UCP_STORES_H

#include "base/cpu.h"
#include "base/host.h"
#include "base/threads.h"

#if defined(__x86_64__)
#define OMPI_OSC_UCP_STORES_KEEP_ORDER true
#else
#define OMPI_OSC_UCP_STORES_KEEP_ORDER false
#endif

/** What this process has stored and not fenced yet. */
typedef struct ompi_osc_ucp_stores_t {
    bool stored;  /**< by a put. Always true under MPI_THREAD_MULTIPLE: a thread cannot know what the others have fenced,
                   *   so none of them writes what all of them read */
    bool updated; /**< by an accumulate, under a stripe */
} ompi_osc_ucp_stores_t;

extern ompi_osc_ucp_stores_t ompi_osc_ucp_stores;

/** Once, when MPI's thread level is known. */
void ompi_osc_ucp_stores_init(void);

/** Stores to mapped memory were made by a put. */
static inline void ompi_osc_ucp_stored(void)
{
    if (!ompi_osc_ucp_stores.stored) {
        ompi_osc_ucp_stores.stored = true;
    }
}

/** Mapped memory was updated under a stripe. */
static inline void ompi_osc_ucp_updated(void)
{
    if (!ompi_osc_ucp_stores.stored) {
        ompi_osc_ucp_stores.updated = true;
    }
}

static inline void ompi_osc_ucp_stores_fence(void)
{
    ompi_osc_ucp_fence_memory();
    if (!ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_stores.stored = ompi_osc_ucp_stores.updated = false;
    }
}

/** Complete the stores to mapped memory: flush. */
static inline void ompi_osc_ucp_stores_complete(void)
{
    if (ompi_osc_ucp_stores.stored || !OMPI_OSC_UCP_STORES_KEEP_ORDER) {
        ompi_osc_ucp_stores_fence();
    }
}

/** A load from mapped memory comes next. */
static inline void ompi_osc_ucp_loads_follow(void)
{
    if (OPAL_UNLIKELY(ompi_osc_ucp_stores.updated)) {
        ompi_osc_ucp_stores_fence();
    }
}

#endif /* OSC_UCP_STORES_H */
