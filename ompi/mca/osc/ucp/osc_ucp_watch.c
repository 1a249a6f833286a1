/* Watching a window: the module's functions once more, with counting and a clock around them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of load and store take some ten nanoseconds: counting them has to cost nothing where nobody looks. A watched
 * window therefore has other functions in its module, and all others have none of this.
 */

#include "osc_ucp.h"

#include <time.h>

#include "path/path.h"

/** The calls that are watched. */
static const ompi_osc_base_module_t *calls(ompi_win_t *win)
{
    return ompi_osc_ucp_window(win)->calls;
}

/** Count a call that succeeded, if its path is one of load and store; the others count themselves. */
static void count_direct(int rc, ompi_win_t *win, int target, int count, const ompi_datatype_t *type)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    ompi_osc_ucp_via_t     via;

    if (OMPI_SUCCESS != rc) {
        return;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    via  = target == window->rank ? OMPI_OSC_UCP_VIA_SELF : OMPI_OSC_UCP_VIA_DIRECT;
    if (NULL != peer && peer->path->loads_and_stores) {
        ompi_osc_ucp_count(&window->counters, via, (uint64_t) count * type->super.size);
    }
    ompi_osc_ucp_leave();
}

static int watched_put(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                       int target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    int rc = calls(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type, win);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_rput(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                        int target_count, ompi_datatype_t *target_type, ompi_win_t *win, ompi_request_t **request_p)
{
    int rc = calls(win)->osc_rput(origin, origin_count, origin_type, target, disp, target_count, target_type, win,
                                  request_p);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_get(void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                       int target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    int rc = calls(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type, win);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_rget(void *origin, int origin_count, ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                        int target_count, ompi_datatype_t *target_type, ompi_win_t *win, ompi_request_t **request_p)
{
    int rc = calls(win)->osc_rget(origin, origin_count, origin_type, target, disp, target_count, target_type, win,
                                  request_p);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                              ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                              ompi_win_t *win)
{
    int rc = calls(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op,
                                        win);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_raccumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, int target,
                               ptrdiff_t disp, int target_count, ompi_datatype_t *target_type, ompi_op_t *op,
                               ompi_win_t *win, ompi_request_t **request_p)
{
    int rc = calls(win)->osc_raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                         op, win, request_p);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_get_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, void *result,
                                  int result_count, ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                  int target_count, ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    int rc = calls(win)->osc_get_accumulate(origin, origin_count, origin_type, result, result_count, result_type,
                                            target, disp, target_count, target_type, op, win);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_rget_accumulate(const void *origin, int origin_count, ompi_datatype_t *origin_type, void *result,
                                   int result_count, ompi_datatype_t *result_type, int target, ptrdiff_t disp,
                                   int target_count, ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                   ompi_request_t **request_p)
{
    int rc = calls(win)->osc_rget_accumulate(origin, origin_count, origin_type, result, result_count, result_type,
                                             target, disp, target_count, target_type, op, win, request_p);

    count_direct(rc, win, target, target_count, target_type);
    return rc;
}

static int watched_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                                ompi_op_t *op, ompi_win_t *win)
{
    int rc = calls(win)->osc_fetch_and_op(origin, result, type, target, disp, op, win);

    count_direct(rc, win, target, 1, type);
    return rc;
}

static int watched_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                    int target, ptrdiff_t disp, ompi_win_t *win)
{
    int rc = calls(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win);

    count_direct(rc, win, target, 1, type);
    return rc;
}

/* Synchronization: the time that calls take. */

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

/** Pass on the outcome of a call that began at `begin`. */
static int waited(int rc, ompi_win_t *win, uint64_t begin)
{
    __atomic_fetch_add(&ompi_osc_ucp_window(win)->counters.waited_ns, now_ns() - begin, __ATOMIC_RELAXED);
    return rc;
}

static int watched_fence(int assert, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_fence(assert, win), win, begin);
}

static int watched_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_start(group, assert, win), win, begin);
}

static int watched_complete(ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_complete(win), win, begin);
}

static int watched_post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_post(group, assert, win), win, begin);
}

static int watched_wait(ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_wait(win), win, begin);
}

static int watched_lock(int type, int target, int assert, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_lock(type, target, assert, win), win, begin);
}

static int watched_unlock(int target, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_unlock(target, win), win, begin);
}

static int watched_lock_all(int assert, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_lock_all(assert, win), win, begin);
}

static int watched_unlock_all(ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_unlock_all(win), win, begin);
}

static int watched_flush(int target, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_flush(target, win), win, begin);
}

static int watched_flush_all(ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_flush_all(win), win, begin);
}

static int watched_flush_local(int target, ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_flush_local(target, win), win, begin);
}

static int watched_flush_local_all(ompi_win_t *win)
{
    uint64_t begin = now_ns();

    return waited(ompi_osc_ucp_flush_local_all(win), win, begin);
}

void ompi_osc_ucp_watch(ompi_osc_ucp_window_t *window)
{
    static const ompi_osc_base_module_t watched = {
        .osc_put              = watched_put,
        .osc_get              = watched_get,
        .osc_accumulate       = watched_accumulate,
        .osc_compare_and_swap = watched_compare_and_swap,
        .osc_fetch_and_op     = watched_fetch_and_op,
        .osc_get_accumulate   = watched_get_accumulate,
        .osc_rput             = watched_rput,
        .osc_rget             = watched_rget,
        .osc_raccumulate      = watched_raccumulate,
        .osc_rget_accumulate  = watched_rget_accumulate
    };
    ompi_osc_base_module_t *module = &window->super;

    if (0 != mca_osc_ucp_component.survive) {
        return; /* messages are counted in any case, and its synchronizing calls are others already */
    }
    ompi_osc_ucp_module_communicate(module, &watched);
    module->osc_fence           = watched_fence;
    module->osc_start           = watched_start;
    module->osc_complete        = watched_complete;
    module->osc_post            = watched_post;
    module->osc_wait            = watched_wait;
    module->osc_lock            = watched_lock;
    module->osc_unlock          = watched_unlock;
    module->osc_lock_all        = watched_lock_all;
    module->osc_unlock_all      = watched_unlock_all;
    module->osc_flush           = watched_flush;
    module->osc_flush_all       = watched_flush_all;
    module->osc_flush_local     = watched_flush_local;
    module->osc_flush_local_all = watched_flush_local_all;
}
