/* Accounts of osc_ucp_report 2: what the layer of instrumented windows (layer/count.c) tells of each call.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_CAUSE_H
#define OSC_UCP_LAYER_CAUSE_H

#include "base/causes.h"
#include "base/threads.h"
#include "base/ticks.h"
#include "call/mapped.h"
#include "layer/delay.h"
#include "layer/tally.h"
#include "peer/window.h"

/** Begin the accounts of a window. False if memory is short. */
bool ompi_osc_ucp_causes_begin(ompi_osc_ucp_window_t *window);

/** Free them. Inside the origin side. */
void ompi_osc_ucp_causes_free(ompi_osc_ucp_window_t *window);

/** Time was lost for a cause, with the process of rank `culprit`; negative: not known. Inside the origin side. */
static inline void ompi_osc_ucp_cause_add(ompi_osc_ucp_causes_t *causes, int call, int cause, int culprit, uint64_t ns)
{
    causes->sums.times[call][cause] += (int64_t) ns;
    if (culprit >= 0) {
        causes->whom[cause * causes->size + culprit] += (int64_t) ns;
    }
}

/** An operation begins. Returns the time if it is one that is looked at, else 0. */
static inline uint64_t ompi_osc_ucp_cause_begins(ompi_osc_ucp_window_t *window, int call, int target)
{
    ompi_osc_ucp_causes_t *causes = window->causes;

    if (OPAL_LIKELY(causes->tells)) {
        ompi_osc_ucp_calling.window = window;
        ompi_osc_ucp_calling.target = target;
        ompi_osc_ucp_calling.since  = 0;
        ompi_osc_ucp_calling.told   = false;
        ompi_osc_ucp_calling.call   = call;
    }
    return OPAL_LIKELY(causes->tally->left >= 0 && !ompi_osc_ucp_threaded()) ? 0 : ompi_osc_ucp_ticks_now();
}

/** Is the next operation one that is only counted? Not so if it is looked at, or is the one before. */
static inline bool ompi_osc_ucp_cause_counts(const ompi_osc_ucp_causes_t *causes)
{
    return causes->tally->left > 0;
}

/** Count an operation. */
static inline void ompi_osc_ucp_cause_count(ompi_osc_ucp_causes_t *causes, int call)
{
    causes->sums.calls[call]++;
    if (!ompi_osc_ucp_threaded()) {
        causes->tally->left--;
    } else {
        causes->looked++; /* all are looked at */
    }
}

/** An operation ends that is looked at, or is the one before, or has waited. */
void ompi_osc_ucp_cause_looked(ompi_osc_ucp_window_t *window, int call, uint64_t begin, int target, ptrdiff_t disp,
                               ompi_osc_ucp_count_t count, ompi_datatype_t *type);

/** An operation ends. `begin` is what ompi_osc_ucp_cause_begins returned. */
static inline void ompi_osc_ucp_cause_operated(ompi_osc_ucp_window_t *window, int call, uint64_t begin, int target,
                                               ptrdiff_t disp, ompi_osc_ucp_count_t count, ompi_datatype_t *type)
{
    ompi_osc_ucp_causes_t *causes = window->causes;

    if (OPAL_LIKELY(0 == begin && ompi_osc_ucp_cause_counts(causes) && 0 == ompi_osc_ucp_sampled.at)) {
        ompi_osc_ucp_cause_count(causes, call);
    } else {
        ompi_osc_ucp_cause_looked(window, call, begin, target, disp, count, type);
    }
    if (OPAL_LIKELY(causes->tells)) {
        ompi_osc_ucp_calling.call = OMPI_OSC_UCP_CALLED_NONE;
    }
}

/** MPI_Win_lock has locked a target. */
void ompi_osc_ucp_cause_locked(ompi_osc_ucp_causes_t *causes, bool exclusive);

/** A synchronizing call ends `now`, which took `ns`. A fence stands for `stands` nanoseconds of others. */
void ompi_osc_ucp_cause_waited(ompi_osc_ucp_window_t *window, int call, uint64_t now, uint64_t ns, uint64_t stands);

/** A fence begins. Is it one that is not timed? To ask the processor for the time twice would take it some 30 ns, and
 *  the kernel's coarse clock takes 5. While that shows the same time, no process lacks a processor for long. */
static inline bool ompi_osc_ucp_cause_fence_is_short(const ompi_osc_ucp_causes_t *causes)
{
    uint64_t fences = (uint64_t) causes->sums.calls[OMPI_OSC_UCP_CALLED_FENCE], coarse;

    if (OPAL_UNLIKELY(fences < OMPI_OSC_UCP_FENCES_FIRST || ompi_osc_ucp_threaded())) {
        return false;
    }
    coarse = ompi_osc_ucp_watched_now();
    if (OPAL_LIKELY(fences < causes->fence_looked && coarse == ompi_osc_ucp_working.coarse)) {
        return true;
    }
    ompi_osc_ucp_working.coarse = coarse;
    return false;
}

/** It ends, and has not polled. */
void ompi_osc_ucp_cause_fence_counted(ompi_osc_ucp_causes_t *causes);

/** A fence ends that took `ns`. Returns the nanoseconds of others, for which it stands. */
uint64_t ompi_osc_ucp_cause_fence_stands(ompi_osc_ucp_causes_t *causes, uint64_t begin, uint64_t ns);

/** Is it a cause for which a process that lacked a processor is to be excused? */
bool ompi_osc_ucp_cause_excusable(int cause);

/** The call has waited for the process that was seen last. Take from that cause what want of processors has caused. */
void ompi_osc_ucp_cause_excuse(ompi_osc_ucp_window_t *window, int call);

/** Nobody is seen that holds the lock for which the call waits. Was somebody at the last look, `ns` nanoseconds ago?
 *  Then the call has waited for that one: a process without a processor looks long after the lock was released. */
bool ompi_osc_ucp_cause_released(ompi_osc_ucp_window_t *window, int call, uint64_t ns);

/** As a target: all. */
#define OMPI_OSC_UCP_CAUSE_ALL (-1)

/** With more peers than that a flush of all takes longer than asking for the time. */
#define OMPI_OSC_UCP_FLUSHED_PEERS 16

/** Has the flush nothing to wait for? Looks at a few peers only. */
static inline bool ompi_osc_ucp_cause_flush_is_short(const ompi_osc_ucp_window_t *window, int target)
{
    const ompi_osc_ucp_peer_t *peer;
    int                        n;

    if (OMPI_OSC_UCP_CAUSE_ALL != target) {
        peer = ompi_osc_ucp_peer_recent(window, target);
        return NULL != peer && ompi_osc_ucp_is_mapped(peer);
    }
    peer = window->all_peers;
    for (n = 0; n < OMPI_OSC_UCP_FLUSHED_PEERS && NULL != peer && ompi_osc_ucp_is_mapped(peer); n++) {
        peer = peer->next;
    }
    return NULL == peer;
}

/** A flush begins that waits for nothing, and is timed. Returns for how many it stands. */
int64_t ompi_osc_ucp_cause_flush_timed(ompi_osc_ucp_causes_t *causes);

/** A flush begins. Returns for how many it stands: 0 if it is not timed. It is 1 except for some that wait for nothing,
 *  with report 2 and without threads. */
static inline int64_t ompi_osc_ucp_cause_flush_weight(const ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_causes_t *causes = window->causes;

    if (NULL == causes || ompi_osc_ucp_threaded() || !ompi_osc_ucp_cause_flush_is_short(window, target)) {
        return 1;
    }
    if (OPAL_UNLIKELY(causes->flushes >= causes->flush_timed)) {
        return ompi_osc_ucp_cause_flush_timed(causes);
    }
    causes->flushes++;
    return 0;
}

/** It begins. Returns the time, and tells which call it is; 0 if it is not timed. */
static inline uint64_t ompi_osc_ucp_cause_flush_begins(ompi_osc_ucp_window_t *window, int call, int target,
                                                       int64_t weight)
{
    if (0 == weight) {
        return 0;
    }
    if (NULL != window->causes && window->causes->tells) {
        ompi_osc_ucp_calling = (ompi_osc_ucp_calling_t) { .window = window, .call = call, .target = target };
    }
    return ompi_osc_ucp_ticks_now();
}

/** A flush is over that is not timed. */
static inline void ompi_osc_ucp_cause_flush_counted(ompi_osc_ucp_causes_t *causes, int call)
{
    causes->sums.calls[call]++;
    causes->sums.flushes_single += ompi_osc_ucp_causes_operations(causes) - causes->at_flush == 1;
    causes->at_flush = ompi_osc_ucp_causes_operations(causes);
}

/** It ends, and took `ns` if it was timed. For weights other than 1. */
void ompi_osc_ucp_cause_flushed(ompi_osc_ucp_window_t *window, int call, uint64_t ns, int64_t weight);

#endif /* OSC_UCP_LAYER_CAUSE_H */
