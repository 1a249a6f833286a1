/* Want of processors: how long this process was ready to run while the kernel ran others, for osc_ucp_report 2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * On a busy machine everybody comes late. What is a program's fault is found out without clocks that agree: each
 * process measures how long it worked since its last synchronizing call, less the time without a processor, and tells
 * others in its record. Whoever has waited for it knows then how long the wait would have been with enough processors.
 */

#ifndef OSC_UCP_LAYER_DELAY_H
#define OSC_UCP_LAYER_DELAY_H

#include "base/watched.h"

/** Shorter times are not asked about: the question to the kernel takes a microsecond. Nanoseconds. */
#define OMPI_OSC_UCP_DELAY_LEAST_NS 1000000

/** What a process did from the end of its last synchronizing call to the next one. Nanoseconds. */
typedef struct ompi_osc_ucp_worked_t {
    uint64_t work;  /**< until that call began, less `delay` by then */
    uint64_t delay; /**< without a processor, in that last call as well; and at the end of the next one, in that, too */
} ompi_osc_ucp_worked_t;

/** The same of this thread, and the end of the last call. */
typedef struct ompi_osc_ucp_working_t {
    ompi_osc_ucp_worked_t mine;
    uint64_t              left;
    uint64_t              inside; /**< without a processor in that call */
    uint64_t              coarse; /**< the kernel's coarse clock at the last fence that was timed */
    uint64_t              skipped; /**< fences since the last call that was timed */
} ompi_osc_ucp_working_t;

extern _Thread_local __attribute__((tls_model("initial-exec"))) ompi_osc_ucp_working_t ompi_osc_ucp_working;

/** How long this process's main thread was without a processor, though ready, since it began; 0 if the kernel does not
 *  tell. The kernel counts such a time when it is over. */
uint64_t ompi_osc_ucp_delay_now(void);

/** Close the file in which the kernel tells that: it stays open from the first question on. */
void ompi_osc_ucp_delay_close(void);

/** The same since this was asked last, at most `ns`. */
uint64_t ompi_osc_ucp_delay_since(uint64_t ns);

/** A window begins `now`: this thread may have made no call before. Returns the delay until then. */
uint64_t ompi_osc_ucp_work_first(uint64_t now);

/** What was done since `left`, for each call since then: those that were skipped were as short as this one. */
static inline uint64_t ompi_osc_ucp_work_each(uint64_t work)
{
    return OPAL_LIKELY(0 == ompi_osc_ucp_working.skipped) ? work : work / (ompi_osc_ucp_working.skipped + 1);
}

/** A synchronizing call begins `now`. What others may wait for is `told` to them before they can see it. */
static inline void ompi_osc_ucp_work_ends(uint64_t now, bool told)
{
    ompi_osc_ucp_working_t *working = &ompi_osc_ucp_working;
    ompi_osc_ucp_watched_t *mine    = ompi_osc_ucp_watched;
    uint64_t                work    = now - working->left, delay = 0;

    if (OPAL_UNLIKELY(work >= OMPI_OSC_UCP_DELAY_LEAST_NS)) {
        delay = ompi_osc_ucp_delay_since(work);
    }
    working->mine = (ompi_osc_ucp_worked_t) { .work  = ompi_osc_ucp_work_each(work - delay),
                                              .delay = working->inside + delay };
    if (told && NULL != mine) {
        __atomic_store_n(&mine->work, working->mine.work, __ATOMIC_RELAXED);
        __atomic_store_n(&mine->delay, working->mine.delay, __ATOMIC_RELAXED);
    }
}

/** It ends `now`, and took `ns`. Returns for how long of that there was no processor. */
static inline uint64_t ompi_osc_ucp_work_begins(uint64_t now, uint64_t ns)
{
    uint64_t delay = OPAL_LIKELY(ns < OMPI_OSC_UCP_DELAY_LEAST_NS) ? 0 : ompi_osc_ucp_delay_since(ns);

    ompi_osc_ucp_working.mine.delay += delay;
    ompi_osc_ucp_working.inside      = delay;
    ompi_osc_ucp_working.left        = now;
    ompi_osc_ucp_working.skipped     = 0;
    return delay;
}

/** Of a wait of `ns` nanoseconds, how much want of processors has caused. `needed` is how long it would have been with
 *  processors enough. */
static inline uint64_t ompi_osc_ucp_delay_part(uint64_t ns, uint64_t needed, uint64_t delays)
{
    uint64_t more = ns > needed ? ns - needed : 0;

    return delays < more ? delays : more;
}

/** How much longer one process worked than the other. */
static inline uint64_t ompi_osc_ucp_work_longer(uint64_t work, uint64_t than)
{
    return work > than ? work - than : 0;
}

/** Of a wait of `ns` nanoseconds for a process, which has ended, how much want of processors has caused. `key` is 0 if
 *  the process is not known. `alone`: the wait had nothing to do with what this process did before it. */
uint64_t ompi_osc_ucp_delay_of_wait(uint64_t key, uint64_t ns, bool alone);

#endif /* OSC_UCP_LAYER_DELAY_H */
