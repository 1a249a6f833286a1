/* The layer of windows that the watchdog or the report watches: before and after each call it writes to this process's
 * record.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Win_free is no function of this layer, because a window of ours is known by that function: window/free.c calls.
 */

#include "layer/watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/events.h"
#include "base/params.h"
#include "base/threads.h"
#include "layer/layer.h"
#include "peer/pending.h"
#include "service/target.h"

/** In a record, the target of an epoch for all members. */
#define ALL 0

struct ompi_osc_ucp_watch_t *ompi_osc_ucp_watches;

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_WATCH);
}

/** The window of the last call, whose name the record has. Any thread; atomic. */
static const ompi_osc_ucp_window_t *last;

/** Have the record tell of the window. */
static __attribute__((noinline)) void last_tell(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;

    ompi_osc_ucp_watched_change();
    mine->last = window->watch->as;
    snprintf(mine->last_name, sizeof(mine->last_name), "%s", window->win->w_name);
    ompi_osc_ucp_watched_changed();
    __atomic_store_n(&last, window, __ATOMIC_RELAXED);
}

/* Communication: calls that mostly are short. */

static inline void window_begins(ompi_osc_ucp_window_t *window, ompi_osc_ucp_called_t call, int target)
{
    if (OPAL_UNLIKELY(window != __atomic_load_n(&last, __ATOMIC_RELAXED))) {
        last_tell(window);
    }
    ompi_osc_ucp_call_begins(window, call, target);
}

static inline void begins(ompi_win_t *win, ompi_osc_ucp_called_t call, int target)
{
    window_begins(ompi_osc_ucp_window(win), call, target);
}

static inline int communicated(int rc, ompi_osc_ucp_count_t count, const ompi_datatype_t *type)
{
    if (OPAL_LIKELY(OMPI_SUCCESS == rc && ompi_osc_ucp_calling.target >= 0)) {
        ompi_osc_ucp_watched_operation((uint64_t) count * type->super.size);
    }
    ompi_osc_ucp_call_ends(0);
    return rc;
}

static int watch_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    begins(win, OMPI_OSC_UCP_CALLED_PUT, target);
    return communicated(below(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                            win), target_count, target_type);
}

static int watch_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    begins(win, OMPI_OSC_UCP_CALLED_RPUT, target);
    return communicated(below(win)->osc_rput(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                             win, request_p), target_count, target_type);
}

static int watch_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    begins(win, OMPI_OSC_UCP_CALLED_GET, target);
    return communicated(below(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                            win), target_count, target_type);
}

static int watch_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    begins(win, OMPI_OSC_UCP_CALLED_RGET, target);
    return communicated(below(win)->osc_rget(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                             win, request_p), target_count, target_type);
}

static int watch_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win)
{
    begins(win, OMPI_OSC_UCP_CALLED_ACCUMULATE, target);
    return communicated(below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                   target_type, op, win), target_count, target_type);
}

static int watch_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p)
{
    begins(win, OMPI_OSC_UCP_CALLED_RACCUMULATE, target);
    return communicated(below(win)->osc_raccumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                    target_type, op, win, request_p), target_count, target_type);
}

static int watch_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    begins(win, OMPI_OSC_UCP_CALLED_GET_ACCUMULATE, target);
    return communicated(below(win)->osc_get_accumulate(origin, origin_count, origin_type, result, result_count,
                                                       result_type, target, disp, target_count, target_type, op, win),
                        target_count, target_type);
}

static int watch_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    begins(win, OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE, target);
    return communicated(below(win)->osc_rget_accumulate(origin, origin_count, origin_type, result, result_count,
                                                        result_type, target, disp, target_count, target_type, op, win,
                                                        request_p), target_count, target_type);
}

static int watch_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    begins(win, OMPI_OSC_UCP_CALLED_FETCH_AND_OP, target);
    return communicated(below(win)->osc_fetch_and_op(origin, result, type, target, disp, op, win), 1, type);
}

static int watch_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    begins(win, OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, target);
    return communicated(below(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win), 1, type);
}

/* Synchronization. */

/** With the report alone, one call in so many looks at the window's name. A power of 2. */
#define NAMED_EACH 64

/** These take long enough to see whether the window has another name by now. */
static void synchronizes(ompi_win_t *win, ompi_osc_ucp_called_t call, int target)
{
    const ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;

    if ((mine->whole || 0 == (mine->state >> 17) % NAMED_EACH) &&
        0 != strncmp(mine->last_name, win->w_name, sizeof(mine->last_name) - 1)) {
        last_tell(ompi_osc_ucp_window(win));
    }
    begins(win, call, target);
}

/** The call has told for what it waits. Ends it, and tells tools, too. */
static __attribute__((noinline)) void told_ends(void)
{
    const ompi_osc_ucp_watched_t *mine   = ompi_osc_ucp_watched;
    uint64_t                      now    = ompi_osc_ucp_watched_now();
    unsigned                      awaits = mine->awaits;
    ompi_osc_ucp_waited_t         waited = { .window = mine->window.id, .ns = now - mine->since,
                                             .rank = 0 == mine->whoms ? -1 : (int) (uint32_t) mine->whom[0] };

    ompi_osc_ucp_call_ends(now);
    ompi_osc_ucp_event_waited(awaits, &waited); /* may call MPI */
}

static int synchronized(int rc)
{
    if (OPAL_UNLIKELY(ompi_osc_ucp_calling.told)) {
        told_ends();
    } else {
        ompi_osc_ucp_call_ends(ompi_osc_ucp_watched->whole ? ompi_osc_ucp_watched_now() : 0);
    }
    return rc;
}

/** Record an epoch that has begun. `target` is a rank, or negative for all. */
static void hold(ompi_win_t *win, int target, ompi_osc_ucp_held_t how)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    ompi_osc_ucp_watched_hold(&window->watch->as, target < 0 ? ALL : ompi_osc_ucp_proc_key(window->group, target), how);
}

static void release(ompi_win_t *win, int target)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    ompi_osc_ucp_watched_release(&window->watch->as, target < 0 ? ALL : ompi_osc_ucp_proc_key(window->group, target));
}

/** Has MPI_Win_lock returned with the lock? One that is asked for by message may be granted later. The target's service
 *  side knows of those. */
static bool locked(ompi_win_t *win, int target)
{
    const ompi_osc_ucp_peer_t *peer;
    bool                       mapped;

    ompi_osc_ucp_enter();
    peer   = ompi_osc_ucp_peer_find(ompi_osc_ucp_window(win), target);
    mapped = NULL != peer && (NULL != peer->control || peer->window->nic) && peer->lock > OMPI_OSC_UCP_NOCHECK;
    ompi_osc_ucp_leave();
    return mapped;
}

/** Keep the group of MPI_Win_post; NULL: forget it. */
static void posted(ompi_win_t *win, ompi_group_t *group)
{
    struct ompi_osc_ucp_watch_t *watch = ompi_osc_ucp_window(win)->watch;

    if (NULL != watch->posted) {
        OBJ_RELEASE(watch->posted);
        watch->posted = NULL;
    }
    if (NULL != group) {
        OBJ_RETAIN(group);
        watch->posted = group;
    }
}

static int watch_fence(int assert, ompi_win_t *win)
{
    synchronizes(win, OMPI_OSC_UCP_CALLED_FENCE, -1);
    return synchronized(below(win)->osc_fence(assert, win));
}

static int watch_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_START, -1);
    rc = synchronized(below(win)->osc_start(group, assert, win));
    if (OMPI_SUCCESS == rc) {
        hold(win, -1, OMPI_OSC_UCP_HELD_STARTED);
    }
    return rc;
}

static int watch_complete(ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_COMPLETE, -1);
    rc = synchronized(below(win)->osc_complete(win));
    release(win, -1);
    return rc;
}

static int watch_post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_POST, -1);
    rc = synchronized(below(win)->osc_post(group, assert, win));
    if (OMPI_SUCCESS == rc) {
        posted(win, group);
    }
    return rc;
}

static int watch_wait(ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_WAIT, -1);
    rc = synchronized(below(win)->osc_wait(win));
    posted(win, NULL);
    return rc;
}

static int watch_test(ompi_win_t *win, int *flag)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_TEST, -1);
    rc = synchronized(below(win)->osc_test(win, flag));
    if (OMPI_SUCCESS == rc && 0 != *flag) {
        posted(win, NULL);
    }
    return rc;
}

static int watch_lock(int type, int target, int assert, ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_LOCK, target);
    rc = synchronized(below(win)->osc_lock(type, target, assert, win));
    if (OMPI_SUCCESS == rc && target >= 0 && locked(win, target)) {
        hold(win, target, MPI_LOCK_EXCLUSIVE == type ? OMPI_OSC_UCP_HELD_EXCLUSIVE : OMPI_OSC_UCP_HELD_SHARED);
    }
    return rc;
}

static int watch_unlock(int target, ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_UNLOCK, target);
    rc = synchronized(below(win)->osc_unlock(target, win));
    if (target >= 0) {
        release(win, target);
    }
    return rc;
}

static int watch_lock_all(int assert, ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_LOCK_ALL, -1);
    rc = synchronized(below(win)->osc_lock_all(assert, win));
    if (OMPI_SUCCESS == rc && 0 == (assert & MPI_MODE_NOCHECK)) {
        hold(win, -1, OMPI_OSC_UCP_HELD_ALL);
    }
    return rc;
}

static int watch_unlock_all(ompi_win_t *win)
{
    int rc;

    synchronizes(win, OMPI_OSC_UCP_CALLED_UNLOCK_ALL, -1);
    rc = synchronized(below(win)->osc_unlock_all(win));
    release(win, -1);
    return rc;
}

static int watch_flush(int target, ompi_win_t *win)
{
    synchronizes(win, OMPI_OSC_UCP_CALLED_FLUSH, target);
    return synchronized(below(win)->osc_flush(target, win));
}

static int watch_flush_all(ompi_win_t *win)
{
    synchronizes(win, OMPI_OSC_UCP_CALLED_FLUSH_ALL, -1);
    return synchronized(below(win)->osc_flush_all(win));
}

static int watch_flush_local(int target, ompi_win_t *win)
{
    synchronizes(win, OMPI_OSC_UCP_CALLED_FLUSH_LOCAL, target);
    return synchronized(below(win)->osc_flush_local(target, win));
}

static int watch_flush_local_all(ompi_win_t *win)
{
    synchronizes(win, OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL, -1);
    return synchronized(below(win)->osc_flush_local_all(win));
}

static const ompi_osc_base_module_t functions = {
    .osc_put              = watch_put,
    .osc_get              = watch_get,
    .osc_accumulate       = watch_accumulate,
    .osc_compare_and_swap = watch_compare_and_swap,
    .osc_fetch_and_op     = watch_fetch_and_op,
    .osc_get_accumulate   = watch_get_accumulate,
    .osc_rput             = watch_rput,
    .osc_rget             = watch_rget,
    .osc_raccumulate      = watch_raccumulate,
    .osc_rget_accumulate  = watch_rget_accumulate,
    .osc_fence            = watch_fence,
    .osc_start            = watch_start,
    .osc_complete         = watch_complete,
    .osc_post             = watch_post,
    .osc_wait             = watch_wait,
    .osc_test             = watch_test,
    .osc_lock             = watch_lock,
    .osc_unlock           = watch_unlock,
    .osc_lock_all         = watch_lock_all,
    .osc_unlock_all       = watch_unlock_all,
    .osc_flush            = watch_flush,
    .osc_flush_all        = watch_flush_all,
    .osc_flush_local      = watch_flush_local,
    .osc_flush_local_all  = watch_flush_local_all
};

/** For the report alone: calls that mostly are short are not worth a record. Those are operations and flushes. */
static const ompi_osc_base_module_t synchronizing = {
    .osc_fence      = watch_fence,
    .osc_start      = watch_start,
    .osc_complete   = watch_complete,
    .osc_post       = watch_post,
    .osc_wait       = watch_wait,
    .osc_test       = watch_test,
    .osc_lock       = watch_lock,
    .osc_unlock     = watch_unlock,
    .osc_lock_all   = watch_lock_all,
    .osc_unlock_all = watch_unlock_all
};

/** Tell the service side, which must not ask Open MPI, which processes the members are. */
static void processes_tell(ompi_osc_ucp_window_t *window)
{
    uint64_t *processes = NULL == window->target ? NULL : malloc((size_t) window->size * sizeof(*processes));
    int       rank;

    for (rank = 0; NULL != processes && rank < window->size; rank++) {
        processes[rank] = ompi_osc_ucp_proc_key(window->group, rank);
    }
    if (NULL != processes) {
        __atomic_store_n(&window->target->processes, processes, __ATOMIC_RELEASE);
    }
}

bool ompi_osc_ucp_watch_begin(ompi_osc_ucp_window_t *window)
{
    struct ompi_osc_ucp_watch_t *watch;

    if (NULL != window->watch) {
        return true;
    }
    watch = calloc(1, sizeof(*watch));
    if (NULL == watch || !ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_WATCH,
                                                 ompi_osc_ucp_watched_wanted() ? &functions : &synchronizing)) {
        free(watch);
        return false;
    }
    watch->window  = window;
    watch->as.id   = window->id;
    watch->as.root = ompi_osc_ucp_proc_key(window->group, 0);
    window->watch  = watch;
    processes_tell(window);
    ompi_osc_ucp_enter();
    watch->next          = ompi_osc_ucp_watches;
    ompi_osc_ucp_watches = watch;
    ompi_osc_ucp_leave();
    return true;
}

void ompi_osc_ucp_watch_frees(ompi_osc_ucp_window_t *window, ompi_osc_ucp_called_t call)
{
    window_begins(window, call, -1);
}

void ompi_osc_ucp_watch_end(ompi_osc_ucp_window_t *window)
{
    struct ompi_osc_ucp_watch_t **at = &ompi_osc_ucp_watches, *watch = window->watch;

    while (watch != *at) {
        at = &(*at)->next;
    }
    *at = watch->next;
    if (NULL != watch->posted) {
        OBJ_RELEASE(watch->posted);
    }
    ompi_osc_ucp_watched_forget(&watch->as);
    __atomic_store_n(&last, NULL, __ATOMIC_RELAXED); /* another window may get this one's memory */
    ompi_osc_ucp_pendings_abandon(window, OMPI_ERR_NOT_AVAILABLE); /* questions: the others may be without the window */
    window->watch = NULL;
    free(watch);
}
