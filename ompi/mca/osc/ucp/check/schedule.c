/* osc_ucp_check_schedule: a layer that does what the standard allows, and programs seldom see. It keeps communication
 * calls until the program makes the call that must complete them, carries them out in a random order and in pieces, and
 * reads their buffers only then. So what a program relies on without right fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is the lowest layer but for device and survive. One mutex serializes what it does. It is held while calls are
 * carried out, as a flush in another thread must not overtake them.
 */

#include "check/schedule.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/params.h"
#include "base/threads.h"
#include "call/notified.h"
#include "check/kept.h"
#include "epoch/access.h"
#include "layer/layer.h"
#include "peer/pending.h"
#include "reach/reach.h"

/** Most calls of a window that are kept; then one of them is carried out. */
#define KEPT_MAX 256

/** An R call is carried out after less progress than so often, unless its window is synchronized. */
#define PATIENCE 32

/** Nanoseconds for which a call is kept, at most: one that no other completes must come to its end, too. */
#define KEPT_NS 1000000000u

static pthread_mutex_t          mutex = PTHREAD_MUTEX_INITIALIZER;
static ompi_osc_ucp_schedule_t *schedules;

static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_SCHEDULE);
}

static ompi_osc_ucp_schedule_t *schedule_of(ompi_win_t *win)
{
    return ompi_osc_ucp_window(win)->schedule;
}

/* When calls are carried out. */

/** Carry out a call before the one that completes it, which then tells the error if no request does; with the mutex. */
static void carry_early(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept)
{
    const bool told   = NULL != kept->request;
    const int  target = kept->target, rc = ompi_osc_ucp_kept_carry(schedule, kept);

    if (OMPI_SUCCESS != rc && !told && OMPI_SUCCESS == schedule->error) {
        schedule->error  = rc;
        schedule->failed = target;
    }
}

/** Carry out calls that have waited for too long; with the mutex. Returns their number. */
static int aged_carry(void)
{
    ompi_osc_ucp_schedule_t *schedule;
    uint64_t                 now  = NULL == schedules ? 0 : opal_common_ucp_now_ns();
    int                      aged = 0;

    for (schedule = schedules; NULL != schedule; schedule = schedule->next) {
        while (NULL != schedule->first && now - schedule->first->since > KEPT_NS) {
            carry_early(schedule, ompi_osc_ucp_kept_take(schedule, schedule->first));
            aged++;
        }
    }
    return aged;
}

/** Carry out all calls to a target. Returns the first error. */
static int drain(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept;
    int                  rc = OMPI_SUCCESS, one;

    pthread_mutex_lock(&mutex);
    while (NULL != (kept = ompi_osc_ucp_kept_draw(schedule, target))) {
        one = ompi_osc_ucp_kept_carry(schedule, kept);
        rc  = OMPI_SUCCESS == rc ? one : rc;
    }
    (void) aged_carry();
    pthread_mutex_unlock(&mutex);
    return rc;
}

/** Carry out all calls to a target before one that is not kept. */
static void drain_early(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept;

    pthread_mutex_lock(&mutex);
    while (NULL != (kept = ompi_osc_ucp_kept_draw(schedule, target))) {
        carry_early(schedule, kept);
    }
    (void) aged_carry();
    pthread_mutex_unlock(&mutex);
}

/** The call that completes those to a target: what is left are requests. Returns the first error. */
static int completed(ompi_osc_ucp_schedule_t *schedule, int target, int drained, int rc)
{
    pthread_mutex_lock(&mutex);
    ompi_osc_ucp_kept_settle(schedule);
    if (OMPI_SUCCESS != schedule->error && (OMPI_OSC_UCP_KEPT_ALL == target || target == schedule->failed)) {
        drained         = schedule->error;
        schedule->error = OMPI_SUCCESS;
    }
    pthread_mutex_unlock(&mutex);
    return OMPI_SUCCESS == drained ? rc : drained;
}

/** Let the program have its buffers back: calls that only read are kept on, with a copy. */
static int drain_local(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept, *next;
    int                  rc = OMPI_SUCCESS, one;

    pthread_mutex_lock(&mutex);
    for (kept = schedule->first; NULL != kept; kept = next) {
        next = kept->next;
        if ((OMPI_OSC_UCP_KEPT_ALL == target || target == kept->target) && !ompi_osc_ucp_kept_image(schedule, kept)) {
            one  = ompi_osc_ucp_kept_carry(schedule, ompi_osc_ucp_kept_take(schedule, kept));
            rc   = OMPI_SUCCESS == rc ? one : rc;
            next = schedule->first; /* another one may have been taken first */
        }
    }
    (void) aged_carry();
    pthread_mutex_unlock(&mutex);
    return rc;
}

/** Progress, as in MPI_Wait: the R calls of a window. Returns the number of those that were carried out. */
static int requests_carry(ompi_osc_ucp_schedule_t *schedule)
{
    ompi_osc_ucp_kept_t *kept, *next;
    int                  carried = 0;

    for (kept = schedule->first; NULL != kept; kept = next) {
        next = kept->next;
        if (NULL != kept->request && 0 == kept->patience) {
            if (!ompi_osc_ucp_kept_image(schedule, kept)) {
                (void) ompi_osc_ucp_kept_carry(schedule, ompi_osc_ucp_kept_take(schedule, kept));
                next = schedule->first;
            }
            carried++;
        } else if (NULL != kept->request) {
            kept->patience--;
        }
    }
    return carried;
}

/** This thread carries out calls to a target for which others are kept. */
static _Thread_local bool flushes;

/** Callback of opal_progress. Whoever calls it while a call is carried out holds the mutex, or carries out several: a
 *  further one must not overtake these. */
static int poll(void)
{
    ompi_osc_ucp_schedule_t *schedule;
    int                      events;

    if (flushes || 0 != pthread_mutex_trylock(&mutex)) {
        return 0;
    }
    events = aged_carry();
    for (schedule = schedules; NULL != schedule; schedule = schedule->next) {
        if (schedule->requests > 0) {
            events += requests_carry(schedule);
            ompi_osc_ucp_kept_settle(schedule);
        }
    }
    pthread_mutex_unlock(&mutex);
    return events;
}

/** The next call of this thread has a notification behind it, and must not be kept. If it is refused, the one after it
 *  is not kept, either. */
static _Thread_local bool notifies;

static void notified_before(ompi_osc_ucp_window_t *window, int target)
{
    if (NULL != window->schedule) {
        drain_early(window->schedule, target); /* before the operation's place is known */
        notifies = true;
    }
}

/* Communication calls. */

/** May a call be kept? One that is an error must be one at once; so must the first one that shows it. The first one in
 *  a lock_all epoch waits for the lock here: with the mutex it would keep other threads from what the lock's holder may
 *  wait for. */
static bool may_keep(ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_peer_t *peer;
    bool                 may;

    if (target < 0 || target >= window->size) {
        return false;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    may  = NULL != peer && !window->lost && OMPI_SUCCESS == ompi_osc_ucp_access(peer);
    ompi_osc_ucp_leave();
    return may;
}

/** Carry a call out at once, behind those that are kept: accumulates stay in their order. Without the mutex. */
static int pass_on(const ompi_osc_ucp_kept_t *call, ompi_win_t *win, ompi_request_t **request_p)
{
    drain_early(schedule_of(win), call->target);
    return ompi_osc_ucp_kept_issue(call, win, request_p);
}

/** Keep a call; without the mutex. */
static int keep(ompi_osc_ucp_kept_t *call, ompi_win_t *win, ompi_request_t **request_p)
{
    ompi_osc_ucp_schedule_t *schedule = schedule_of(win);
    ompi_osc_ucp_kept_t     *drawn    = NULL;
    int                      rc       = OMPI_SUCCESS;

    if (notifies || !may_keep(schedule->window, call->target)) {
        notifies = false;
        return pass_on(call, win, request_p);
    }
    if (NULL != request_p) {
        call->request = ompi_osc_ucp_request_new(schedule->window);
        if (NULL == call->request) {
            return pass_on(call, win, request_p);
        }
    }
    pthread_mutex_lock(&mutex);
    call->patience = ompi_osc_ucp_kept_random(PATIENCE);
    call->since    = opal_common_ucp_now_ns();
    if (!ompi_osc_ucp_kept_add(schedule, call)) {
        ompi_osc_ucp_request_discard(call->request);
        rc = ompi_osc_ucp_kept_issue(call, win, request_p);
    } else if (NULL != request_p) {
        *request_p = call->request;
    }
    if (schedule->count > KEPT_MAX) {
        drawn = ompi_osc_ucp_kept_draw(schedule, OMPI_OSC_UCP_KEPT_ALL);
        rc    = ompi_osc_ucp_kept_carry(schedule, drawn);
    }
    pthread_mutex_unlock(&mutex);
    return rc;
}

static int schedule_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                         int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                         ompi_win_t *win, ompi_request_t **request_p)
{
    ompi_osc_ucp_kept_t call = {
        .call = OMPI_OSC_UCP_CALLED_PUT, .origin = { origin, origin_count, origin_type },
        .target = target, .disp = disp, .count = target_count, .type = target_type
    };

    return keep(&call, win, request_p);
}

static int schedule_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                        ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                        ompi_win_t *win)
{
    return schedule_rput(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

static int schedule_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                         ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                         ompi_win_t *win, ompi_request_t **request_p)
{
    ompi_osc_ucp_kept_t call = {
        .call = OMPI_OSC_UCP_CALLED_GET, .result = { origin, origin_count, origin_type },
        .target = target, .disp = disp, .count = target_count, .type = target_type
    };

    return keep(&call, win, request_p);
}

static int schedule_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                        ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                        ompi_win_t *win)
{
    return schedule_rget(origin, origin_count, origin_type, target, disp, target_count, target_type, win, NULL);
}

static int schedule_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                ompi_request_t **request_p)
{
    ompi_osc_ucp_kept_t call = {
        .call = OMPI_OSC_UCP_CALLED_ACCUMULATE, .origin = { origin, origin_count, origin_type },
        .target = target, .disp = disp, .count = target_count, .type = target_type, .op = op
    };

    return keep(&call, win, request_p);
}

static int schedule_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                               int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                               ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    return schedule_raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op, win,
                                NULL);
}

static int schedule_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                    void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                    int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                    ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                    ompi_request_t **request_p)
{
    ompi_osc_ucp_kept_t call = {
        .call = OMPI_OSC_UCP_CALLED_GET_ACCUMULATE, .origin = { origin, origin_count, origin_type },
        .result = { result, result_count, result_type },
        .target = target, .disp = disp, .count = target_count, .type = target_type, .op = op
    };

    return keep(&call, win, request_p);
}

static int schedule_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                   void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                   int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                   ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    return schedule_rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type, target, disp,
                                    target_count, target_type, op, win, NULL);
}

static int schedule_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                                 ompi_op_t *op, ompi_win_t *win)
{
    ompi_osc_ucp_kept_t call = {
        .call = OMPI_OSC_UCP_CALLED_FETCH_AND_OP, .origin = { origin, 1, type }, .result = { result, 1, type },
        .target = target, .disp = disp, .count = 1, .type = type, .op = op
    };

    return keep(&call, win, NULL);
}

static int schedule_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                     int target, ptrdiff_t disp, ompi_win_t *win)
{
    ompi_osc_ucp_kept_t call = {
        .call = OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, .origin = { origin, 1, type }, .result = { result, 1, type },
        .compare = compare, .target = target, .disp = disp, .count = 1, .type = type
    };

    return keep(&call, win, NULL);
}

/* Synchronization calls. */

static int schedule_fence(int assert, ompi_win_t *win)
{
    int drained = drain(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, drained, below(win)->osc_fence(assert, win));
}

static int schedule_complete(ompi_win_t *win)
{
    int drained = drain(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, drained, below(win)->osc_complete(win));
}

static int schedule_unlock(int target, ompi_win_t *win)
{
    int drained = drain(schedule_of(win), target);

    return completed(schedule_of(win), target, drained, below(win)->osc_unlock(target, win));
}

static int schedule_unlock_all(ompi_win_t *win)
{
    int drained = drain(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, drained, below(win)->osc_unlock_all(win));
}

static int schedule_flush(int target, ompi_win_t *win)
{
    int drained = drain(schedule_of(win), target);

    return completed(schedule_of(win), target, drained, below(win)->osc_flush(target, win));
}

static int schedule_flush_all(ompi_win_t *win)
{
    int drained = drain(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, drained, below(win)->osc_flush_all(win));
}

static int schedule_flush_local(int target, ompi_win_t *win)
{
    int drained = drain_local(schedule_of(win), target), rc;

    flushes = true;
    rc      = below(win)->osc_flush_local(target, win);
    flushes = false;
    return completed(schedule_of(win), target, drained, rc);
}

static int schedule_flush_local_all(ompi_win_t *win)
{
    int drained = drain_local(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL), rc;

    flushes = true;
    rc      = below(win)->osc_flush_local_all(win);
    flushes = false;
    return completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, drained, rc);
}

/** An epoch begins. If a fence's is open, with calls, that is an error: show that there are some. */
static void begins(ompi_win_t *win)
{
    if (OMPI_OSC_UCP_EPOCH_FENCE == ompi_osc_ucp_window(win)->epoch) {
        (void) drain(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);
    }
}

static int schedule_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    begins(win);
    return below(win)->osc_start(group, assert, win);
}

static int schedule_lock(int type, int target, int assert, ompi_win_t *win)
{
    begins(win);
    return below(win)->osc_lock(type, target, assert, win);
}

static int schedule_lock_all(int assert, ompi_win_t *win)
{
    begins(win);
    return below(win)->osc_lock_all(assert, win);
}

static const ompi_osc_base_module_t functions = {
    .osc_put              = schedule_put,
    .osc_get              = schedule_get,
    .osc_accumulate       = schedule_accumulate,
    .osc_compare_and_swap = schedule_compare_and_swap,
    .osc_fetch_and_op     = schedule_fetch_and_op,
    .osc_get_accumulate   = schedule_get_accumulate,
    .osc_rput             = schedule_rput,
    .osc_rget             = schedule_rget,
    .osc_raccumulate      = schedule_raccumulate,
    .osc_rget_accumulate  = schedule_rget_accumulate,
    .osc_fence            = schedule_fence,
    .osc_start            = schedule_start,
    .osc_complete         = schedule_complete,
    .osc_lock             = schedule_lock,
    .osc_unlock           = schedule_unlock,
    .osc_lock_all         = schedule_lock_all,
    .osc_unlock_all       = schedule_unlock_all,
    .osc_flush            = schedule_flush,
    .osc_flush_all        = schedule_flush_all,
    .osc_flush_local      = schedule_flush_local,
    .osc_flush_local_all  = schedule_flush_local_all
};

/* The life of a window. */

/** The seed, which the first process of the job prints: the parameter, or for negative ones another in each job. */
static uint64_t seed_of(const ompi_osc_ucp_window_t *window)
{
    uint64_t key  = ompi_osc_ucp_proc_key(window->group, window->rank), rank = key & UINT32_MAX;
    int      seed = ompi_osc_ucp_params.check_schedule;

    seed = seed < 0 ? (int) (key >> 33) | 1 : seed;
    if (0 == rank) {
        opal_output(0, "osc/ucp: calls are delayed and reordered: the same again with --mca osc_ucp_check_schedule %d",
                    seed);
    }
    return (uint64_t) seed << 32 | rank;
}

void ompi_osc_ucp_schedule_begin(ompi_osc_ucp_window_t *window)
{
    static bool              seeded;
    ompi_osc_ucp_schedule_t *schedule;

    if (0 == ompi_osc_ucp_params.check_schedule) {
        return;
    }
    schedule = calloc(1, sizeof(*schedule));
    if (NULL == schedule) {
        return;
    }
    schedule->window = window;
    schedule->end    = &schedule->first;
    window->schedule = schedule;
    if (!ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_SCHEDULE, &functions)) {
        window->schedule = NULL;
        free(schedule);
        return;
    }
    pthread_mutex_lock(&mutex);
    if (!seeded) {
        ompi_osc_ucp_kept_seed(seed_of(window));
        seeded = true;
    }
    if (NULL == schedules) {
        ompi_osc_ucp_notified_before = notified_before;
        (void) opal_progress_register(poll);
    }
    schedule->next = schedules;
    schedules      = schedule;
    pthread_mutex_unlock(&mutex);
}

void ompi_osc_ucp_schedule_drain(ompi_osc_ucp_window_t *window)
{
    (void) drain(window->schedule, OMPI_OSC_UCP_KEPT_ALL);
}

void ompi_osc_ucp_schedule_end(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_schedule_t **at = &schedules, *schedule = window->schedule;

    while (NULL != schedule->underway && !window->lost && !ompi_osc_ucp_finalizing()) {
        opal_progress();
    }
    pthread_mutex_lock(&mutex);
    while (schedule != *at) {
        at = &(*at)->next;
    }
    *at = schedule->next;
    if (NULL == schedules) {
        (void) opal_progress_unregister(poll);
    }
    pthread_mutex_unlock(&mutex);
    ompi_osc_ucp_kept_forget(schedule);
    window->schedule = NULL;
    free(schedule);
}
