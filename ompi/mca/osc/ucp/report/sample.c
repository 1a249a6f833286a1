/* For what calls wait, found out now and then while they do (osc_ucp_report 2).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it happens in opal_progress, which each waiting loop calls. It reads the records of the node's processes
 * (base/watched.h), which the watchdog has too, and writes the accounts of the window (base/causes.h).
 */

#include "report/causes.h"

#include <stdio.h>

#include "base/params.h"
#include "base/threads.h"
#include "layer/watch.h"
#include "report/awaits.h"

/** Nanoseconds between two looks: an eighth of the wait so far, within these bounds. */
#define LOOK_MIN_NS 10000
#define LOOK_MAX_NS 1000000

/** Looks that are so far apart ask the kernel whether the awaited process had a processor. */
#define KERNEL_NS 200000

/** A target that was seen inside MPI at so many looks, over a millisecond or more, has answered what it can answer. */
#define LOOKS_INSIDE 30

static bool open_now;

/** What this thread knew of the awaited process at the last look. */
static _Thread_local struct {
    uint64_t key, polls;
    uint64_t delayed_key, delayed; /**< and how long it was ready without a processor, nanoseconds */
    uint64_t given_key;            /**< what was given, was on behalf of this one */
    int      inside;               /**< looks of this call that saw it make progress */
    int      rank;                 /**< in some window, of the process that was looked for last */
} before;

/** The rank of a process in the window; -1: it is no member. */
static int rank_of(const ompi_osc_ucp_window_t *window, uint64_t key)
{
    int rank = before.rank;

    if (rank < window->size && key == ompi_osc_ucp_proc_key(window->group, rank)) {
        return rank;
    }
    for (rank = 0; rank < window->size; rank++) {
        if (key == ompi_osc_ucp_proc_key(window->group, rank)) {
            before.rank = rank;
            return rank;
        }
    }
    return -1;
}

/** For how long the main thread of a process has been ready without a processor, as the kernel counts. */
static bool delayed_read(int32_t pid, uint64_t *delayed)
{
    char               path[40];
    unsigned long long ns;
    FILE              *file;
    bool               read;

    snprintf(path, sizeof(path), "/proc/%d/schedstat", (int) pid);
    file = fopen(path, "re");
    read = NULL != file && 1 == fscanf(file, "%*u %llu", &ns);
    if (NULL != file) {
        (void) fclose(file);
    }
    *delayed = read ? ns : 0;
    return read;
}

/** For how long since the last look the process had no processor, although it was ready. The kernel counts that when it
 *  gets one, so it may be longer than the time since that look. */
static uint64_t delay_of(uint64_t key, uint64_t ns)
{
    const ompi_osc_ucp_watched_t *record = ns < KERNEL_NS ? NULL : ompi_osc_ucp_watched_find(key);
    uint64_t                      delayed, grown = 0;

    if (NULL == record || !delayed_read(record->pid, &delayed)) {
        before.delayed_key = 0;
        return 0;
    }
    if (key == before.delayed_key) {
        grown = delayed - before.delayed;
    }
    before.delayed_key = key;
    before.delayed     = delayed;
    return grown;
}

/** The cause, if a process has to answer or to carry out something. */
static int cause_of_target(uint64_t key, int call)
{
    const ompi_osc_ucp_watched_t *record = ompi_osc_ucp_watched_find(key);
    uint64_t                      polls;
    bool                          outside;

    if (NULL == record) {
        return OMPI_OSC_UCP_CAUSE_REMOTE;
    }
    polls         = __atomic_load_n(&record->polls, __ATOMIC_RELAXED);
    outside       = key == before.key && polls == before.polls;
    before.inside = key != before.key ? 0 : before.inside + !outside;
    before.key    = key;
    before.polls  = polls;
    if (outside) {
        return OMPI_OSC_UCP_CAUSE_TARGET;
    }
    return OMPI_OSC_UCP_CALLED_GET_ACCUMULATE > call || OMPI_OSC_UCP_CALLED_RPUT == call ||
           OMPI_OSC_UCP_CALLED_RGET == call || OMPI_OSC_UCP_CALLED_RACCUMULATE == call ? OMPI_OSC_UCP_CAUSE_FLOW
                                                                                       : OMPI_OSC_UCP_CAUSE_ITSELF;
}

/** Who holds the lock of the first process of `whom`; 0: not known. `exclusive`: who does so exclusively. */
static uint64_t holder_of(const ompi_osc_ucp_watched_t *draft, bool exclusive)
{
    ompi_osc_ucp_watched_answer_t answer;
    uint32_t                      i;

    answer.holders = 0;
    ompi_osc_ucp_watched_holders(&answer, draft->whom[0], &draft->window);
    for (i = 0; i < answer.holders; i++) {
        if (ompi_osc_ucp_watched->key != answer.holder[i].key &&
            (!exclusive || OMPI_OSC_UCP_HELD_EXCLUSIVE == answer.holder[i].how)) {
            return answer.holder[i].key;
        }
    }
    return 0;
}

/** The cause, if a lock is awaited. One that is asked for by message may only be on its way. */
static int cause_of_lock(const ompi_osc_ucp_watched_t *draft, bool by_message, int call, uint64_t *key)
{
    int cause;

    *key = holder_of(draft, false);
    if (0 != *key || !by_message) {
        return OMPI_OSC_UCP_CAUSE_HOLDER;
    }
    cause = cause_of_target(draft->whom[0], call);
    if (OMPI_OSC_UCP_CAUSE_TARGET != cause && before.inside >= LOOKS_INSIDE) {
        return OMPI_OSC_UCP_CAUSE_HOLDER; /* the target does not grant it */
    }
    *key = draft->whom[0];
    return cause;
}

/** The cause, if processes have to carry out operations. An unlock may be in one message with its lock. */
static int cause_of_flush(const ompi_osc_ucp_watched_t *draft, int call, uint64_t *key)
{
    uint64_t holder = 0 == ompi_osc_ucp_record_lock(draft) ? 0 : holder_of(draft, true);

    if (0 != holder) {
        *key = holder;
        return OMPI_OSC_UCP_CAUSE_HOLDER;
    }
    return cause_of_target(*key, call);
}

/** Whose MPI_Win_complete is missing, if it is one process that is known; else 0. */
static uint64_t completer_of(const ompi_osc_ucp_watched_t *draft)
{
    const ompi_osc_ucp_watched_t *record;
    ompi_osc_ucp_watched_t        copy;
    uint64_t                      key = 0;
    uint32_t                      i, started = 0;

    if (1 == draft->whoms || 1 != draft->missing) {
        return 1 == draft->whoms ? draft->whom[0] : 0;
    }
    for (i = 0; i < draft->whoms; i++) {
        record = ompi_osc_ucp_watched_find(draft->whom[i]);
        if (NULL != record) {
            ompi_osc_ucp_watched_copy(&copy, record);
            if (ompi_osc_ucp_watched_started(&copy, &draft->window)) {
                key = draft->whom[i];
                started++;
            }
        }
    }
    return 1 == started ? key : 0;
}

/** The cause for which the call waits, and the process; 0: not known. */
static int cause_find(const ompi_osc_ucp_calling_t *calling, uint64_t *key)
{
    ompi_osc_ucp_watched_t draft;
    bool                   by_message = ompi_osc_ucp_awaits_find(calling, &draft);

    draft.call = (uint32_t) calling->call;
    *key       = 0 == draft.whoms ? 0 : draft.whom[0];
    switch (draft.awaits) {
    case OMPI_OSC_UCP_AWAITS_LOCK:
        return cause_of_lock(&draft, by_message, calling->call, key);
    case OMPI_OSC_UCP_AWAITS_ANSWER:
        return OMPI_OSC_UCP_CAUSE_CONTACT;
    case OMPI_OSC_UCP_AWAITS_ARRIVE:
        *key = 0;
        return OMPI_OSC_UCP_CAUSE_FENCE;
    case OMPI_OSC_UCP_AWAITS_POST:
        return OMPI_OSC_UCP_CAUSE_POST;
    case OMPI_OSC_UCP_AWAITS_COMPLETE:
        *key = completer_of(&draft);
        return OMPI_OSC_UCP_CAUSE_COMPLETE;
    case OMPI_OSC_UCP_AWAITS_FLUSH:
        return cause_of_flush(&draft, calling->call, key);
    default:
        return OMPI_OSC_UCP_CAUSE_ITSELF; /* nobody has to answer: own copies */
    }
}

/** Split the time since the last look between the cause and want of a processor, which may also have been the reason
 *  for the time before. Of a process that has to make a call, it is known when it has made it. */
static void delay_split(const ompi_osc_ucp_calling_t *calling, int cause, uint64_t key, uint64_t ns)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;
    ompi_osc_ucp_causes_t  *causes  = calling->window->causes;
    int                     culprit = sampled->culprit;
    uint64_t                delay   = 0 == key || ompi_osc_ucp_cause_excusable(cause) ? 0 : delay_of(key, ns);

    sampled->given += ns;
    delay           = delay < sampled->given ? delay : sampled->given;
    sampled->given -= delay;
    ompi_osc_ucp_cause_add(causes, calling->call, OMPI_OSC_UCP_CAUSE_CPU, culprit, delay);
    ompi_osc_ucp_cause_add(causes, calling->call, cause, culprit, ns - delay); /* takes back, if that is negative */
}

/** Give the time since the last look to the cause. Who is last at a fence is known later; for whom MPI_Win_wait waits
 *  is whoever completes last. */
static void time_give(const ompi_osc_ucp_calling_t *calling, int cause, uint64_t key, uint64_t ns)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;

    if (0 == key && OMPI_OSC_UCP_CAUSE_HOLDER == cause &&
        ompi_osc_ucp_cause_released(calling->window, calling->call, ns)) {
        before.given_key = 0;
        return;
    }
    if (key != before.given_key || cause != sampled->cause) {
        ompi_osc_ucp_cause_excuse(calling->window, calling->call);
        before.given_key = key;
    }
    sampled->cause = cause;
    if (OMPI_OSC_UCP_CAUSE_FENCE == cause) {
        sampled->culprit = -1;
        return;
    }
    if (0 != key || OMPI_OSC_UCP_CAUSE_COMPLETE != cause) {
        sampled->culprit = 0 == key ? -1 : rank_of(calling->window, key);
    }
    if (OMPI_OSC_UCP_CAUSE_COMPLETE == cause) {
        return;
    }
    delay_split(calling, cause, key, ns);
    sampled->ns += ns;
}

static void first_look(uint64_t now)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;

    sampled->first     = sampled->at = now;
    sampled->ns        = 0;
    sampled->culprit   = -1;
    before.key         = 0;
    before.delayed_key = 0;
    before.given_key   = 0;
    sampled->given     = 0;
    before.inside      = 0;
}

static void look(const ompi_osc_ucp_calling_t *calling, uint64_t now)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;
    uint64_t                pause, key;
    int                     cause;

    if (0 == sampled->at) {
        first_look(now);
        if (OMPI_OSC_UCP_CALLED_FENCE == calling->call) { /* short ones are compared later, and not to be delayed */
            sampled->cause = OMPI_OSC_UCP_CAUSE_FENCE;
            sampled->next  = now + LOOK_MIN_NS;
            return;
        }
    }
    cause = cause_find(calling, &key);
    time_give(calling, cause, key, now - sampled->at);
    pause         = (now - sampled->first) / 8;
    pause         = pause < LOOK_MIN_NS ? LOOK_MIN_NS : pause > LOOK_MAX_NS ? LOOK_MAX_NS : pause;
    sampled->at   = now;
    sampled->next = now + pause;
}

/** The callback of opal_progress. */
static int poll(void)
{
    const ompi_osc_ucp_calling_t *calling = &ompi_osc_ucp_calling;
    const ompi_osc_ucp_window_t  *window  = calling->window;
    ompi_osc_ucp_watched_t       *mine    = ompi_osc_ucp_watched;
    uint64_t                      now;

    __atomic_store_n(&mine->polls, mine->polls + 1, __ATOMIC_RELAXED);
    if (OMPI_OSC_UCP_CALLED_NONE == calling->call || OMPI_OSC_UCP_CALLED_TEST == calling->call ||
        OMPI_OSC_UCP_CALLED_FREE <= calling->call || NULL == window->causes || NULL == window->watch) {
        return 0;
    }
    now = ompi_osc_ucp_ticks_now();
    if ((0 == ompi_osc_ucp_sampled.at || now >= ompi_osc_ucp_sampled.next) && ompi_osc_ucp_try_enter()) {
        look(calling, now);
        ompi_osc_ucp_leave();
    }
    return 0;
}

void ompi_osc_ucp_samples_begin(ompi_osc_ucp_window_t *window)
{
    if (window->size < 2) {
        return;
    }
    ompi_osc_ucp_enter();
    ompi_osc_ucp_watched_open(ompi_osc_ucp_proc_key(window->group, window->rank),
                              (uint64_t) ompi_osc_ucp_params.watchdog * 1000000000, false);
    if (!open_now) {
        open_now = OMPI_SUCCESS == opal_progress_register(poll);
    }
    ompi_osc_ucp_leave();
    (void) ompi_osc_ucp_watch_begin(window);
}

void ompi_osc_ucp_samples_end(void)
{
    if (open_now) {
        opal_progress_unregister(poll);
        ompi_osc_ucp_watched_close();
        ompi_osc_ucp_delay_close();
        open_now = false;
    }
}
