/* osc_ucp_check_schedule: a layer that does what the standard allows, and programs seldom see. It keeps communication
 * calls until the program makes the call that must complete them, carries them out in a random order and in pieces, and
 * reads their buffers only then. So what a program relies on without right fails.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is the lowest layer but for device and survive.
 */

#include "check/schedule.h"

#include <stdlib.h>

#include "base/params.h"
#include "base/threads.h"
#include "call/notified.h"
#include "check/carry.h"
#include "epoch/access.h"
#include "layer/layer.h"
#include "peer/pending.h"
#include "reach/reach.h"

static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_SCHEDULE);
}

static ompi_osc_ucp_schedule_t *schedule_of(ompi_win_t *win)
{
    return ompi_osc_ucp_window(win)->schedule;
}

/** The next call of this thread has a notification behind it, and must not be kept. If it is refused, the one after it
 *  is not kept, either. */
static _Thread_local bool notifies;

static void notified_before(ompi_osc_ucp_window_t *window, int target)
{
    if (NULL != window->schedule) {
        ompi_osc_ucp_carry_before(window->schedule, target); /* before the operation's place is known */
        notifies = true;
    }
}

/* Communication calls. */

/** May a call be kept? One that is an error must be one at once; so must the first one that shows it. The first one in
 *  a lock_all epoch waits for the lock here: later, it would keep other threads from what the lock's holder may
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

/** Carry a call out at once, behind those that are kept: accumulates stay in their order. */
static int pass_on(const ompi_osc_ucp_kept_t *call, ompi_win_t *win, ompi_request_t **request_p)
{
    ompi_osc_ucp_carry_before(schedule_of(win), call->target);
    return ompi_osc_ucp_kept_issue(call, win, request_p);
}

/** Keep a call. */
static int keep(ompi_osc_ucp_kept_t *call, ompi_win_t *win, ompi_request_t **request_p)
{
    ompi_osc_ucp_schedule_t *schedule = schedule_of(win);

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
    return ompi_osc_ucp_carry_later(schedule, call, win, request_p);
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
    int carried = ompi_osc_ucp_carry_all(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return ompi_osc_ucp_carry_completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, carried,
                                        below(win)->osc_fence(assert, win));
}

static int schedule_complete(ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_all(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return ompi_osc_ucp_carry_completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, carried,
                                        below(win)->osc_complete(win));
}

static int schedule_unlock(int target, ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_all(schedule_of(win), target);

    return ompi_osc_ucp_carry_completed(schedule_of(win), target, carried, below(win)->osc_unlock(target, win));
}

static int schedule_unlock_all(ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_all(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return ompi_osc_ucp_carry_completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, carried,
                                        below(win)->osc_unlock_all(win));
}

static int schedule_flush(int target, ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_all(schedule_of(win), target);

    return ompi_osc_ucp_carry_completed(schedule_of(win), target, carried, below(win)->osc_flush(target, win));
}

static int schedule_flush_all(ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_all(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);

    return ompi_osc_ucp_carry_completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, carried,
                                        below(win)->osc_flush_all(win));
}

static int schedule_flush_local(int target, ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_local(schedule_of(win), target), rc;

    ompi_osc_ucp_carry_none(true);
    rc      = below(win)->osc_flush_local(target, win);
    ompi_osc_ucp_carry_none(false);
    return ompi_osc_ucp_carry_completed(schedule_of(win), target, carried, rc);
}

static int schedule_flush_local_all(ompi_win_t *win)
{
    int carried = ompi_osc_ucp_carry_local(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL), rc;

    ompi_osc_ucp_carry_none(true);
    rc      = below(win)->osc_flush_local_all(win);
    ompi_osc_ucp_carry_none(false);
    return ompi_osc_ucp_carry_completed(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL, carried, rc);
}

/** An epoch begins. If a fence's is open, with calls, that is an error: show that there are some. */
static void begins(ompi_win_t *win)
{
    if (OMPI_OSC_UCP_EPOCH_FENCE == ompi_osc_ucp_window(win)->epoch) {
        (void) ompi_osc_ucp_carry_all(schedule_of(win), OMPI_OSC_UCP_KEPT_ALL);
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

void ompi_osc_ucp_schedule_begin(ompi_osc_ucp_window_t *window)
{
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
    ompi_osc_ucp_notified_before = notified_before;
    ompi_osc_ucp_carry_begin(schedule);
}

void ompi_osc_ucp_schedule_drain(ompi_osc_ucp_window_t *window)
{
    (void) ompi_osc_ucp_carry_all(window->schedule, OMPI_OSC_UCP_KEPT_ALL);
}

void ompi_osc_ucp_schedule_end(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_carry_end(window->schedule);
    free(window->schedule);
    window->schedule = NULL;
}
