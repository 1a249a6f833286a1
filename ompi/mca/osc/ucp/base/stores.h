/* Completion of stores to mapped memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When a flush returns, a later load of this process must not pass the stores that the flush completes. So a flush
 * fences the stores of puts. For accumulates, where the processor keeps stores in order (x86-64), the fence is deferred
 * to the next load that MPI makes for the program, or to MPI_Win_sync. A program needs the latter before loads of its
 * own (MPI-3.1 section 11.7).
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

/** Which stores of this process are not fenced yet. Written by the calling thread; see `stored` for several threads. */
typedef struct ompi_osc_ucp_stores_t {
    bool stored;  /**< of a put. Always true under MPI_THREAD_MULTIPLE, and not written then: a thread cannot know which
                   *   stores the others have fenced */
    bool updated; /**< of an accumulate, under a stripe */
} ompi_osc_ucp_stores_t;

extern ompi_osc_ucp_stores_t ompi_osc_ucp_stores;

/** Call once, when MPI's thread level is known. */
void ompi_osc_ucp_stores_init(void);

/** A put has stored to mapped memory. */
static inline void ompi_osc_ucp_stored(void)
{
    if (!ompi_osc_ucp_stores.stored) {
        ompi_osc_ucp_stores.stored = true;
    }
}

/** An accumulate has updated mapped memory under a stripe. */
static inline void ompi_osc_ucp_updated(void)
{
    if (!ompi_osc_ucp_stores.stored) {
        ompi_osc_ucp_stores.updated = true;
    }
}

/** Fence all stores now. */
static inline void ompi_osc_ucp_stores_fence(void)
{
    ompi_osc_ucp_fence_memory();
    if (!ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_stores.stored = ompi_osc_ucp_stores.updated = false;
    }
}

/** A flush completes the stores to mapped memory. */
static inline void ompi_osc_ucp_stores_complete(void)
{
    if (ompi_osc_ucp_stores.stored || !OMPI_OSC_UCP_STORES_KEEP_ORDER) {
        ompi_osc_ucp_stores_fence();
    }
}

/** A load from mapped memory comes next. Where the processor does not keep loads in order, it stays behind the loads
 *  that told the program to make it, such as an earlier MPI_Rget of a flag. */
static inline void ompi_osc_ucp_loads_follow(void)
{
    if (!OMPI_OSC_UCP_STORES_KEEP_ORDER) {
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
    }
    if (OPAL_UNLIKELY(ompi_osc_ucp_stores.updated)) {
        ompi_osc_ucp_stores_fence();
    }
}

#endif /* OSC_UCP_STORES_H */
