/* Synchronization in instrumented windows: the time that calls take.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/threads.h"
#include "layer/cause.h"
#include "layer/count.h"

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_COUNT);
}

/** A call begins. Returns the time. */
static inline uint64_t waits(ompi_win_t *win, int call)
{
    uint64_t now = ompi_osc_ucp_ticks_now();

    if (NULL != ompi_osc_ucp_window(win)->causes) {
        ompi_osc_ucp_work_ends(now, OMPI_OSC_UCP_CALLED_POST == call || OMPI_OSC_UCP_CALLED_COMPLETE == call ||
                                    OMPI_OSC_UCP_CALLED_UNLOCK == call || OMPI_OSC_UCP_CALLED_UNLOCK_ALL == call);
    }
    return now;
}

/** Add the time since `begin` to what the window has waited, and pass on the outcome of the call. */
static int waited(int rc, ompi_win_t *win, int call, uint64_t begin)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               now    = ompi_osc_ucp_ticks_now(), ns = now - begin, stands = 0;

    if (OMPI_OSC_UCP_CALLED_FENCE == call && NULL != window->causes) {
        stands = ompi_osc_ucp_cause_fence_stands(window->causes, begin, ns);
    }
    if (OPAL_LIKELY(!ompi_osc_ucp_threaded())) {
        window->counters.waited_ns += ns + stands; /* an atomic add waits for all earlier stores */
    } else {
        __atomic_fetch_add(&window->counters.waited_ns, ns, __ATOMIC_RELAXED);
    }
    if (NULL != window->causes) {
        ompi_osc_ucp_cause_waited(window, call, now, ns, stands);
    }
    return rc;
}

/** A fence that is not timed, unless it polls. */
static int count_fence_short(int assert, ompi_win_t *win)
{
    int      rc    = below(win)->osc_fence(assert, win);
    uint64_t begin = ompi_osc_ucp_sampled.first;

    if (OPAL_LIKELY(0 == ompi_osc_ucp_sampled.at)) {
        ompi_osc_ucp_cause_fence_counted(ompi_osc_ucp_window(win)->causes);
        return rc;
    }
    ompi_osc_ucp_work_ends(begin, false);
    return waited(rc, win, OMPI_OSC_UCP_CALLED_FENCE, begin);
}

static int count_fence(int assert, ompi_win_t *win)
{
    const ompi_osc_ucp_causes_t *causes = ompi_osc_ucp_window(win)->causes;
    uint64_t                     begin;

    if (OPAL_LIKELY(NULL != causes && ompi_osc_ucp_cause_fence_is_short(causes))) {
        return count_fence_short(assert, win);
    }
    begin = waits(win, OMPI_OSC_UCP_CALLED_FENCE);
    return waited(below(win)->osc_fence(assert, win), win, OMPI_OSC_UCP_CALLED_FENCE, begin);
}

static int count_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_START);

    return waited(below(win)->osc_start(group, assert, win), win, OMPI_OSC_UCP_CALLED_START, begin);
}

static int count_complete(ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_COMPLETE);

    return waited(below(win)->osc_complete(win), win, OMPI_OSC_UCP_CALLED_COMPLETE, begin);
}

static int count_post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_POST);

    return waited(below(win)->osc_post(group, assert, win), win, OMPI_OSC_UCP_CALLED_POST, begin);
}

static int count_wait(ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_WAIT);

    return waited(below(win)->osc_wait(win), win, OMPI_OSC_UCP_CALLED_WAIT, begin);
}

static void count_locks(ompi_win_t *win, uint64_t locks)
{
    __atomic_fetch_add(&ompi_osc_ucp_window(win)->counters.locks, locks, __ATOMIC_RELAXED);
}

/** How many targets MPI_Win_lock_all has locked. A path that locks all at once takes one lock. */
static uint64_t locks_held(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;
    uint64_t             held;

    ompi_osc_ucp_enter();
    held = window->all_locked;
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        held += peer->lock > OMPI_OSC_UCP_NOCHECK;
    }
    ompi_osc_ucp_leave();
    return held;
}

static int count_lock(int type, int target, int assert, ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_LOCK);
    int      rc    = below(win)->osc_lock(type, target, assert, win);

    count_locks(win, OMPI_SUCCESS == rc && MPI_PROC_NULL != target && 0 == (assert & MPI_MODE_NOCHECK) ? 1 : 0);
    rc = waited(rc, win, OMPI_OSC_UCP_CALLED_LOCK, begin);
    if (OMPI_SUCCESS == rc && NULL != ompi_osc_ucp_window(win)->causes) {
        ompi_osc_ucp_cause_locked(ompi_osc_ucp_window(win)->causes, MPI_LOCK_EXCLUSIVE == type);
    }
    return rc;
}

static int count_unlock(int target, ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_UNLOCK);

    return waited(below(win)->osc_unlock(target, win), win, OMPI_OSC_UCP_CALLED_UNLOCK, begin);
}

static int count_lock_all(int assert, ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_LOCK_ALL);

    return waited(below(win)->osc_lock_all(assert, win), win, OMPI_OSC_UCP_CALLED_LOCK_ALL, begin);
}

static int count_unlock_all(ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_UNLOCK_ALL);

    count_locks(win, locks_held(ompi_osc_ucp_window(win)));
    return waited(below(win)->osc_unlock_all(win), win, OMPI_OSC_UCP_CALLED_UNLOCK_ALL, begin);
}

/* Flushes on mapped memory are short. With report 2 most of them are only counted. */

/** A flush is over; pass on its outcome. */
static inline int flushed(int rc, ompi_win_t *win, int call, uint64_t begin, int64_t weight)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               ns;

    if (OPAL_LIKELY(0 == weight && 0 == ompi_osc_ucp_sampled.at)) {
        ompi_osc_ucp_cause_flush_counted(window->causes, call);
        return rc;
    }
    if (1 == weight) {
        return waited(rc, win, call, begin);
    }
    ns = 0 == weight ? 0 : ompi_osc_ucp_ticks_now() - begin;
    window->counters.waited_ns += (uint64_t) weight * ns;
    ompi_osc_ucp_cause_flushed(window, call, ns, weight);
    return rc;
}

static int count_flush(int target, ompi_win_t *win)
{
    int64_t  weight = ompi_osc_ucp_cause_flush_weight(ompi_osc_ucp_window(win), target);
    uint64_t begin  = ompi_osc_ucp_cause_flush_begins(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_FLUSH,
                                                      target, weight);

    return flushed(below(win)->osc_flush(target, win), win, OMPI_OSC_UCP_CALLED_FLUSH, begin, weight);
}

static int count_flush_all(ompi_win_t *win)
{
    int64_t  weight = ompi_osc_ucp_cause_flush_weight(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CAUSE_ALL);
    uint64_t begin  = ompi_osc_ucp_cause_flush_begins(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_FLUSH_ALL,
                                                      -1, weight);

    return flushed(below(win)->osc_flush_all(win), win, OMPI_OSC_UCP_CALLED_FLUSH_ALL, begin, weight);
}

static int count_flush_local(int target, ompi_win_t *win)
{
    int64_t  weight = ompi_osc_ucp_cause_flush_weight(ompi_osc_ucp_window(win), target);
    uint64_t begin  = ompi_osc_ucp_cause_flush_begins(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_FLUSH_LOCAL,
                                                      target, weight);

    return flushed(below(win)->osc_flush_local(target, win), win, OMPI_OSC_UCP_CALLED_FLUSH_LOCAL, begin, weight);
}

static int count_flush_local_all(ompi_win_t *win)
{
    int64_t  weight = ompi_osc_ucp_cause_flush_weight(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CAUSE_ALL);
    uint64_t begin  = ompi_osc_ucp_cause_flush_begins(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL,
                                                      -1, weight);

    return flushed(below(win)->osc_flush_local_all(win), win, OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL, begin, weight);
}

const ompi_osc_base_module_t ompi_osc_ucp_count_synchronizing = {
    .osc_fence           = count_fence,
    .osc_start           = count_start,
    .osc_complete        = count_complete,
    .osc_post            = count_post,
    .osc_wait            = count_wait,
    .osc_lock            = count_lock,
    .osc_unlock          = count_unlock,
    .osc_lock_all        = count_lock_all,
    .osc_unlock_all      = count_unlock_all,
    .osc_flush           = count_flush,
    .osc_flush_all       = count_flush_all,
    .osc_flush_local     = count_flush_local,
    .osc_flush_local_all = count_flush_local_all
};
