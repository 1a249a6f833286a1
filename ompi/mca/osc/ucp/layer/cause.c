/* Accounts of osc_ucp_report 2: sizes and pieces of operations, and the time of calls by cause.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations may take ten nanoseconds, less than asking for the time. So most are only counted, and some are looked at.
 */

#include "layer/cause.h"

#include <sched.h>
#include <stdlib.h>

#include "base/params.h"
#include "base/threads.h"
#include "op/layout_type.h"
#include "opal/datatype/opal_datatype.h"

/** An operation of more bytes is not small. */
#define SMALL 4096

_Thread_local ompi_osc_ucp_sampled_t ompi_osc_ucp_sampled;

/** What asking for the time takes: the least of some. Once: programs make windows again and again. */
static uint64_t clock_measure(void)
{
    static uint64_t least; /* 0: not known; atomic */
    uint64_t        last = ompi_osc_ucp_ticks_now(), now, found = 1000;
    int             i;

    for (i = 0; i < 20 && 0 == __atomic_load_n(&least, __ATOMIC_RELAXED); i++, last = now) {
        now   = ompi_osc_ucp_ticks_now();
        found = now - last < found ? now - last : found;
    }
    if (i > 0) {
        __atomic_store_n(&least, found, __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&least, __ATOMIC_RELAXED);
}

static bool single_cpu(void)
{
    cpu_set_t set;

    return 0 == sched_getaffinity(0, sizeof(set), &set) && 1 == CPU_COUNT(&set);
}

/** How many operations on the next window are all looked at, and how far behind them the next one is. */
static void looked_begin(ompi_osc_ucp_causes_t *causes)
{
    static uint64_t windows; /* atomic */
    const uint64_t  number = __atomic_add_fetch(&windows, 1, __ATOMIC_RELAXED);
    const uint64_t  first  = OMPI_OSC_UCP_LOOKED_FIRST / number;

    causes->looked_first = first < OMPI_OSC_UCP_LOOKED_LEAST ? OMPI_OSC_UCP_LOOKED_LEAST : first;
    causes->looked_gap   = 1 + (30 + (number - 1) * 37) % OMPI_OSC_UCP_LOOKED_EACH; /* half of it, then each once */
}

bool ompi_osc_ucp_causes_begin(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_causes_t *causes = calloc(1, sizeof(*causes));

    if (NULL != causes) {
        causes->whom = calloc((size_t) window->size * OMPI_OSC_UCP_CAUSES, sizeof(*causes->whom));
    }
    if (NULL == causes || NULL == causes->whom || !ompi_osc_ucp_tally_begin(window)) {
        if (NULL != causes) {
            free(causes->whom);
        }
        free(causes);
        return false;
    }
    ompi_osc_ucp_ticks_compare();
    causes->tells           = !ompi_osc_ucp_watched_wanted();
    causes->size            = window->size;
    causes->rank            = window->rank;
    causes->disp_unit       = window->uniform_disp_unit;
    causes->last.kind       = -1;
    causes->step            = 1;
    causes->tally           = window->tally;
    causes->tally->left     = ompi_osc_ucp_threaded() ? 0 : -1;
    causes->looked          = ompi_osc_ucp_threaded() ? 1 : 0;
    causes->clock_ns        = clock_measure();
    causes->sums.single_cpu = single_cpu();
    causes->begin           = ompi_osc_ucp_ticks_now();
    causes->delay           = ompi_osc_ucp_work_first(causes->begin);
    looked_begin(causes);
    window->causes          = causes;
    return true;
}

void ompi_osc_ucp_causes_free(ompi_osc_ucp_window_t *window)
{
    if (NULL != window->causes) {
        free(window->causes->whom);
        free(window->causes->fenced);
        free(window->causes->before);
        free(window->causes->stands);
        free(window->causes->used);
        free(window->causes->last_fenced);
        free(window->causes->last_before);
        free(window->causes->last_used);
        free(window->causes);
        window->causes = NULL;
    }
}

/* Operations. */

static const uint8_t kinds[OMPI_OSC_UCP_CALLED_COUNT] = {
    [OMPI_OSC_UCP_CALLED_PUT]              = OMPI_OSC_UCP_SORT_PUT,
    [OMPI_OSC_UCP_CALLED_RPUT]             = OMPI_OSC_UCP_SORT_PUT,
    [OMPI_OSC_UCP_CALLED_GET]              = OMPI_OSC_UCP_SORT_GET,
    [OMPI_OSC_UCP_CALLED_RGET]             = OMPI_OSC_UCP_SORT_GET,
    [OMPI_OSC_UCP_CALLED_ACCUMULATE]       = OMPI_OSC_UCP_SORT_ACCUMULATE,
    [OMPI_OSC_UCP_CALLED_RACCUMULATE]      = OMPI_OSC_UCP_SORT_ACCUMULATE,
    [OMPI_OSC_UCP_CALLED_GET_ACCUMULATE]   = OMPI_OSC_UCP_SORT_FETCH,
    [OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE]  = OMPI_OSC_UCP_SORT_FETCH,
    [OMPI_OSC_UCP_CALLED_FETCH_AND_OP]     = OMPI_OSC_UCP_SORT_FETCH,
    [OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP] = OMPI_OSC_UCP_SORT_FETCH
};

/** The index of a power of 2 in a histogram of `n`: 0 for 0 and 1. */
static inline int power(uint64_t value, int n)
{
    int bits = value <= 1 ? 0 : 63 - __builtin_clzll(value);

    return bits < n ? bits : n - 1;
}

/** In how many pieces of memory the data lies; 0: not known. Outside the origin side. */
static __attribute__((noinline)) uint64_t pieces_count(ompi_datatype_t *type, ompi_osc_ucp_count_t count)
{
    ompi_osc_ucp_layout_t layout;
    uint64_t              runs;

    if (opal_datatype_is_contiguous_memory_layout(&type->super, 1 == count ? 1 : 2)) {
        return 1;
    }
    if (!ompi_osc_ucp_layout_recall(type, (size_t) count, NULL, &layout)) {
        return 0;
    }
    runs = ompi_osc_ucp_layout_runs(&layout);
    ompi_osc_ucp_layout_fini(&layout);
    return runs;
}

/** Does the operation go on where the last one ended, or end where it began? One call could do both. */
static inline bool continues(const ompi_osc_ucp_causes_t *causes, int kind, int target, ptrdiff_t disp, int64_t bytes,
                             const ompi_datatype_t *type)
{
    /* Unsigned: a program may give any displacement, also one that is refused. */
    int64_t distance = (int64_t) (((uint64_t) disp - (uint64_t) causes->last.disp) * (uint64_t) causes->disp_unit);

    return kind == causes->last.kind && target == causes->last.target && type == causes->last.type &&
           bytes <= SMALL && causes->disp_unit > 0 && (causes->last.bytes == distance || -bytes == distance);
}

/** The call is over that was looked at: the next one begins anew. */
static void sampled_end(void)
{
    ompi_osc_ucp_sampled.at      = 0;
    ompi_osc_ucp_sampled.ns      = 0;
    ompi_osc_ucp_sampled.given   = 0;
    ompi_osc_ucp_sampled.cause   = OMPI_OSC_UCP_CAUSE_ITSELF;
    ompi_osc_ucp_sampled.culprit = -1;
}

/** A call is over. If the watchdog's layer tells which it is, that layer will tell, too, that it is over. */
static inline void call_end(const ompi_osc_ucp_causes_t *causes)
{
    if (OPAL_LIKELY(causes->tells)) {
        ompi_osc_ucp_calling.call = OMPI_OSC_UCP_CALLED_NONE;
    }
    if (OPAL_UNLIKELY(0 != ompi_osc_ucp_sampled.at)) {
        sampled_end();
    }
}

/** Account for the time of an operation. */
static void operation_time(ompi_osc_ucp_causes_t *causes, int call, uint64_t begin, int64_t weight, bool scattered)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;
    uint64_t                now     = ompi_osc_ucp_ticks_now(), ns = now - begin;

    if (0 != sampled->at) { /* its waiting time is known, and not typical of others */
        ompi_osc_ucp_cause_add(causes, call, sampled->cause, sampled->culprit, now - sampled->at);
        sampled_end();
    } else if (0 != begin) {
        ns = ns > causes->clock_ns ? ns - causes->clock_ns : 0;
        ns -= OPAL_UNLIKELY(ns >= OMPI_OSC_UCP_DELAY_LEAST_NS) ? ompi_osc_ucp_delay_since(ns) : 0;
        causes->sums.timed[call]    += weight;
        causes->sums.timed_ns[call] += weight * (int64_t) ns;
        if (scattered) {
            causes->sums.scattered.timed    += weight;
            causes->sums.scattered.timed_ns += weight * (int64_t) ns;
        }
    }
}

/** Count what an operation does, and remember it. */
static void operation_count(ompi_osc_ucp_causes_t *causes, int kind, int64_t weight, int target, ptrdiff_t disp,
                            int64_t bytes, uint64_t pieces, const ompi_datatype_t *type)
{
    ompi_osc_ucp_causes_sums_t *sums = &causes->sums;

    sums->bytes[kind] += weight * bytes;
    sums->sizes[kind][power((uint64_t) bytes, OMPI_OSC_UCP_SIZES)] += weight;
    if (1 != pieces) {
        sums->scattered.calls  += weight;
        sums->scattered.bytes  += weight * bytes;
        sums->scattered.pieces += weight * (int64_t) pieces;
        sums->pieces[kind][power(pieces, OMPI_OSC_UCP_PIECES)] += weight;
        causes->last.kind = -1;
        return;
    }
    sums->adjacent[kind] += continues(causes, kind, target, disp, bytes, type) ? weight : 0;
    causes->last.kind   = kind;
    causes->last.target = target;
    causes->last.disp   = disp;
    causes->last.bytes  = bytes;
    causes->last.type   = type;
}

/** For how many operations the next one stands: 0 if it is not looked at. */
static int64_t weight_of(ompi_osc_ucp_causes_t *causes)
{
    int64_t  weight     = (int64_t) causes->step;
    uint64_t operations = causes->looked, gap;

    if (ompi_osc_ucp_threaded()) {
        return 1;
    }
    if (causes->tally->left >= 0) {
        return 0;
    }
    causes->step         = operations + 1 < causes->looked_first ? 1
                           : operations < OMPI_OSC_UCP_LOOKED_FIRST * OMPI_OSC_UCP_LOOKED_EACH
                               ? OMPI_OSC_UCP_LOOKED_EACH
                               : OMPI_OSC_UCP_LOOKED_SELDOM;
    gap                  = operations + 1 == causes->looked_first ? causes->looked_gap : causes->step;
    causes->looked      += gap;
    causes->tally->left += (int64_t) gap;
    return weight;
}

void ompi_osc_ucp_cause_looked(ompi_osc_ucp_window_t *window, int call, uint64_t begin, int target, ptrdiff_t disp,
                               ompi_osc_ucp_count_t count, ompi_datatype_t *type)
{
    ompi_osc_ucp_causes_t *causes = window->causes;
    int64_t                bytes  = (int64_t) ((uint64_t) count * type->super.size), weight;
    uint64_t               pieces = ompi_datatype_is_predefined(type) ? 1 : pieces_count(type, count);

    ompi_osc_ucp_enter();
    weight = weight_of(causes);
    if (weight > 1) {
        ompi_osc_ucp_tally_settle(window);
    }
    ompi_osc_ucp_cause_count(causes, call);
    operation_count(causes, kinds[call], weight, target, disp, bytes, pieces, type);
    operation_time(causes, call, begin, weight, 1 != pieces);
    ompi_osc_ucp_leave();
}

/* Synchronizing calls. */

/** Make room for more fences, if there may be more. */
static __attribute__((noinline)) void fences_grow(ompi_osc_ucp_causes_t *causes)
{
    int                    room   = 0 == causes->room ? 64 : 2 * causes->room;
    ompi_osc_ucp_fenced_t *fenced;
    ompi_osc_ucp_before_t *before;
    float                 *stands;
    uint8_t               *used;

    if (room > OMPI_OSC_UCP_FENCES_MAX) {
        return;
    }
    fenced         = realloc(causes->fenced, (size_t) room * sizeof(*fenced));
    causes->fenced = NULL == fenced ? causes->fenced : fenced;
    before         = realloc(causes->before, (size_t) room * sizeof(*before));
    causes->before = NULL == before ? causes->before : before;
    stands         = realloc(causes->stands, (size_t) room * sizeof(*stands));
    causes->stands = NULL == stands ? causes->stands : stands;
    used           = realloc(causes->used, (size_t) room + 1); /* one more, see report/causes.c */
    causes->used   = NULL == used ? causes->used : used;
    causes->room   = NULL == fenced || NULL == before || NULL == stands || NULL == used ? causes->room : room;
}

/** Keep the time of a fence until the window is freed, and of others for which it stands. `mine` is what was before it.
 *  False: there is no room. */
static bool fence_keep(ompi_osc_ucp_causes_t *causes, uint64_t ns, uint64_t stands, const ompi_osc_ucp_worked_t *mine)
{
    if (OPAL_UNLIKELY(causes->fences == causes->room)) {
        fences_grow(causes);
        if (causes->fences == causes->room) {
            return false;
        }
    }
    causes->stands[causes->fences] = (float) stands;
    causes->fenced[causes->fences] = (ompi_osc_ucp_fenced_t) { .ns = (float) ns, .rank = causes->rank };
    causes->before[causes->fences] = (ompi_osc_ucp_before_t) { .work  = (float) mine->work,
                                                               .delay = (float) mine->delay };
    causes->delayed               |= mine->delay > 0;
    causes->used[causes->fences++] = ompi_osc_ucp_causes_operations(causes) > causes->at_fence;
    return true;
}

void ompi_osc_ucp_cause_fence_counted(ompi_osc_ucp_causes_t *causes)
{
    static const ompi_osc_ucp_worked_t nothing;

    causes->sums.calls[OMPI_OSC_UCP_CALLED_FENCE]++;
    causes->fences_short++;
    ompi_osc_ucp_working.skipped++;
    (void) fence_keep(causes, 0, 0, &nothing);
    causes->at_fence = ompi_osc_ucp_causes_operations(causes);
    causes->at_flush = ompi_osc_ucp_causes_operations(causes);
    call_end(causes);
}

uint64_t ompi_osc_ucp_cause_fence_stands(ompi_osc_ucp_causes_t *causes, uint64_t begin, uint64_t ns)
{
    uint64_t fences = (uint64_t) causes->sums.calls[OMPI_OSC_UCP_CALLED_FENCE], others = causes->fences_short;

    if (fences < OMPI_OSC_UCP_FENCES_FIRST || fences < causes->fence_looked || ompi_osc_ucp_threaded()) {
        return 0;
    }
    causes->fence_looked = fences + OMPI_OSC_UCP_LOOKED_EACH;
    causes->fences_short = 0;
    ns                   = 0 == ompi_osc_ucp_sampled.at ? ns : ompi_osc_ucp_sampled.first - begin;
    return others * (ns > causes->clock_ns ? ns - causes->clock_ns : 0);
}

bool ompi_osc_ucp_cause_excusable(int cause)
{
    return OMPI_OSC_UCP_CAUSE_HOLDER == cause || OMPI_OSC_UCP_CAUSE_POST == cause ||
           OMPI_OSC_UCP_CAUSE_COMPLETE == cause;
}

void ompi_osc_ucp_cause_excuse(ompi_osc_ucp_window_t *window, int call)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;
    int                     culprit = sampled->culprit;
    uint64_t                key, delayed;

    if (sampled->given >= OMPI_OSC_UCP_DELAY_LEAST_NS && ompi_osc_ucp_cause_excusable(sampled->cause)) {
        key     = culprit < 0 ? 0 : ompi_osc_ucp_proc_key(window->group, culprit);
        delayed = ompi_osc_ucp_delay_of_wait(key, sampled->given, OMPI_OSC_UCP_CAUSE_HOLDER == sampled->cause);
        ompi_osc_ucp_cause_add(window->causes, call, OMPI_OSC_UCP_CAUSE_CPU, culprit, delayed);
        ompi_osc_ucp_cause_add(window->causes, call, sampled->cause, culprit, -delayed);
    }
    sampled->given = 0;
}

bool ompi_osc_ucp_cause_released(ompi_osc_ucp_window_t *window, int call, uint64_t ns)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;

    if (OMPI_OSC_UCP_CAUSE_HOLDER != sampled->cause || sampled->culprit < 0) {
        return false;
    }
    ompi_osc_ucp_cause_add(window->causes, call, OMPI_OSC_UCP_CAUSE_HOLDER, sampled->culprit, ns);
    sampled->ns    += ns;
    sampled->given += ns;
    ompi_osc_ucp_cause_excuse(window, call);
    sampled->culprit = -1;
    return true;
}

/** Account for the time that no look has given to a cause. The process had no processor for `delay` in this call. A
 *  fence stands for `stands` nanoseconds of others. */
static void rest_add(ompi_osc_ucp_window_t *window, int call, uint64_t ns, uint64_t delay, uint64_t stands)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;
    ompi_osc_ucp_causes_t  *causes  = window->causes;

    if (OMPI_OSC_UCP_CALLED_FENCE == call && fence_keep(causes, ns, stands, &ompi_osc_ucp_working.mine)) {
        return;
    }
    ompi_osc_ucp_cause_add(causes, call, OMPI_OSC_UCP_CAUSE_UNKNOWN, -1, stands);
    if (0 == sampled->at) {
        delay = delay < ns ? delay : ns;
        ompi_osc_ucp_cause_add(causes, call, OMPI_OSC_UCP_CAUSE_CPU, -1, delay);
        ompi_osc_ucp_cause_add(causes, call, OMPI_OSC_UCP_CAUSE_ITSELF, -1, ns - delay);
        return;
    }
    ompi_osc_ucp_cause_add(causes, call, OMPI_OSC_UCP_CAUSE_FENCE == sampled->cause ? OMPI_OSC_UCP_CAUSE_UNKNOWN
                                                                                   : sampled->cause,
                           sampled->culprit, ns);
    sampled->given += ns;
    ompi_osc_ucp_cause_excuse(window, call);
}

/** Operations that are atomic by themselves, so far: all but puts and gets, which are fewer to add up. The
 *  result is right up to a constant. */
static int64_t atomics(const ompi_osc_ucp_causes_t *causes)
{
    const int64_t *calls = causes->sums.calls;

    return (int64_t) ompi_osc_ucp_causes_operations(causes) -
           (int64_t) ompi_osc_ucp_tally_puts_and_gets(causes->tally) - calls[OMPI_OSC_UCP_CALLED_PUT] -
           calls[OMPI_OSC_UCP_CALLED_GET] - calls[OMPI_OSC_UCP_CALLED_RPUT] - calls[OMPI_OSC_UCP_CALLED_RGET];
}

void ompi_osc_ucp_cause_locked(ompi_osc_ucp_causes_t *causes, bool exclusive)
{
    ompi_osc_ucp_enter();
    causes->exclusive = exclusive;
    causes->atomics   = exclusive ? atomics(causes) : 0;
    ompi_osc_ucp_leave();
}

/** Is all that an epoch of MPI_Win_lock does one operation that needs no lock? An exclusive lock may keep others from
 *  what a put or a get does, or from loads and stores. */
static bool is_lock_needless(const ompi_osc_ucp_causes_t *causes)
{
    return ompi_osc_ucp_causes_operations(causes) - causes->at_unlock == 1 &&
           (!causes->exclusive || atomics(causes) - causes->atomics == 1);
}

/** Was there one operation only since the last call of this kind? */
static void singles_count(ompi_osc_ucp_causes_t *causes, int call, uint64_t ns)
{
    bool single = ompi_osc_ucp_causes_operations(causes) - causes->at_flush == 1;

    switch (call) {
    case OMPI_OSC_UCP_CALLED_FLUSH:
    case OMPI_OSC_UCP_CALLED_FLUSH_ALL:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL:
        causes->sums.flushes_single    += single;
        causes->sums.flushes_single_ns += single ? (int64_t) ns : 0;
        causes->at_flush = ompi_osc_ucp_causes_operations(causes);
        break;
    case OMPI_OSC_UCP_CALLED_UNLOCK:
        causes->sums.locks_single += is_lock_needless(causes);
        causes->at_flush  = ompi_osc_ucp_causes_operations(causes);
        causes->at_unlock = ompi_osc_ucp_causes_operations(causes);
        break;
    case OMPI_OSC_UCP_CALLED_FENCE:
        causes->at_fence = ompi_osc_ucp_causes_operations(causes);
        causes->at_flush = ompi_osc_ucp_causes_operations(causes);
        break;
    default:
        break;
    }
}

void ompi_osc_ucp_cause_waited(ompi_osc_ucp_window_t *window, int call, uint64_t now, uint64_t ns, uint64_t stands)
{
    ompi_osc_ucp_sampled_t *sampled = &ompi_osc_ucp_sampled;
    ompi_osc_ucp_causes_t  *causes;
    uint64_t                delay;

    ompi_osc_ucp_enter();
    causes = window->causes;
    ns     = ns > causes->clock_ns ? ns - causes->clock_ns : 0;
    causes->sums.calls[call]++;
    causes->sums.waiting_ns += (int64_t) (ns + stands);
    if (OMPI_OSC_UCP_CALLED_FLUSH <= call) {
        ompi_osc_ucp_working.mine = (ompi_osc_ucp_worked_t) { 0 }; /* it told nobody that it began */
    }
    delay = ompi_osc_ucp_work_begins(now, ns);
    rest_add(window, call, ns > sampled->ns ? ns - sampled->ns : 0, delay, stands);
    singles_count(causes, call, ns);
    call_end(causes);
    ompi_osc_ucp_leave();
}

/* Flushes on mapped memory wait for nothing, and take as long as asking for the time. So some stand for others. */

int64_t ompi_osc_ucp_cause_flush_timed(ompi_osc_ucp_causes_t *causes)
{
    bool    first = causes->flushes < OMPI_OSC_UCP_FLUSHES_FIRST;
    int64_t each  = causes->flushes + 1 < OMPI_OSC_UCP_FLUSHES_FIRST ? 1 : OMPI_OSC_UCP_LOOKED_EACH;

    causes->flush_timed = causes->flushes + (uint64_t) each;
    causes->flushes++;
    return first ? 1 : OMPI_OSC_UCP_LOOKED_EACH;
}

void ompi_osc_ucp_cause_flushed(ompi_osc_ucp_window_t *window, int call, uint64_t ns, int64_t weight)
{
    ompi_osc_ucp_causes_t *causes = window->causes;
    uint64_t               now;

    if (OPAL_UNLIKELY(0 != ompi_osc_ucp_sampled.at)) { /* it has polled, and stands for itself */
        now = ompi_osc_ucp_ticks_now();
        ompi_osc_ucp_cause_waited(window, call, now, now - ompi_osc_ucp_sampled.first, 0);
        return;
    }
    ns = (uint64_t) weight * (ns > causes->clock_ns ? ns - causes->clock_ns : 0);
    causes->sums.calls[call]++;
    causes->sums.waiting_ns += (int64_t) ns;
    ompi_osc_ucp_cause_add(causes, call, OMPI_OSC_UCP_CAUSE_ITSELF, -1, ns);
    singles_count(causes, call, ns);
    call_end(causes);
}
