/* The layer of instrumented windows: it counts operations by load and store, and the time in synchronization calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting would slow down calls that take some ten nanoseconds. As a layer it costs other windows nothing.
 */

#include "base/threads.h"
#include "call/calls.h"
#include "call/mapped.h"
#include "layer/cause.h"
#include "layer/layer.h"
#include "reach/reach.h"

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_COUNT);
}

/** Count an operation of a path with VIA_DIRECT; other paths count their operations themselves. */
static void count_direct(ompi_osc_ucp_window_t *window, int target, uint64_t bytes)
{
    ompi_osc_ucp_peer_t *peer;
    ompi_osc_ucp_via_t   via;

    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    via  = target == window->rank ? OMPI_OSC_UCP_VIA_SELF : OMPI_OSC_UCP_VIA_DIRECT;
    if (NULL != peer && OMPI_OSC_UCP_VIA_DIRECT == peer->path->via) {
        ompi_osc_ucp_count(&window->counters, via, bytes);
    }
    ompi_osc_ucp_leave();
}

/* The shortest ways: on mapped memory, where no other layer is below, the call is carried out here, and counted. To
 * call a function for that would take it longer than all the rest. */

/** Is the next operation only counted? */
static inline bool counts_only(const ompi_osc_ucp_window_t *window)
{
    return !ompi_osc_ucp_threaded() && (NULL == window->causes || ompi_osc_ucp_cause_counts(window->causes));
}

/** Count such an operation, by load and store. */
static inline void counted(ompi_osc_ucp_window_t *window, int call, int target, uint64_t bytes)
{
    ompi_osc_ucp_count(&window->counters, target == window->rank ? OMPI_OSC_UCP_VIA_SELF : OMPI_OSC_UCP_VIA_DIRECT,
                       bytes);
    if (NULL != window->causes) {
        ompi_osc_ucp_cause_count(window->causes, call);
    }
}

/** Update elements of the same predefined type in all buffers, and count that. False: nothing was done. */
static inline __attribute__((always_inline)) bool updated(int call, const void *origin, void *result,
                                                          ompi_osc_ucp_count_t count, const ompi_datatype_t *type,
                                                          int target, ptrdiff_t disp, const ompi_op_t *op,
                                                          ompi_win_t *win)
{
    ompi_osc_ucp_window_t     *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t       *peer   = ompi_osc_ucp_peer_recent(window, target);
    const ompi_osc_ucp_prim_t *prim   = ompi_osc_ucp_prim_predefined(type);
    uint8_t                    code   = ompi_osc_ucp_op_code(op);
    char                      *addr;

    if (!counts_only(window) || NULL == peer || !ompi_osc_ucp_is_mapped(peer) || !ompi_osc_ucp_granted(peer) ||
        0 == count || ompi_osc_ucp_count_is_huge((size_t) count) || !ompi_osc_ucp_op_valid(code, prim) ||
        ompi_osc_ucp_prim_has_gaps(prim)) {
        return false;
    }
    addr = ompi_osc_ucp_mapped_addr(peer, disp, prim->size * (uint64_t) count);
    if (NULL == addr) {
        return false;
    }
    counted(window, call, target, prim->size * (uint64_t) count);
    ompi_osc_ucp_update_mapped(peer, addr, code, prim, origin, result, (size_t) count);
    return true;
}

/** Count a put, get or accumulate before it is made, if it is by load and store, does not wait, and is not looked at:
 *  then nothing has to be kept for later. One that fails, because of its arguments, is counted as well. False: not
 *  counted. */
static bool count_ahead(ompi_osc_ucp_window_t *window, int call, int target, ompi_osc_ucp_count_t count,
                        const ompi_datatype_t *type)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer_recent(window, target);

    if (NULL == peer || NULL == peer->path || OMPI_OSC_UCP_VIA_DIRECT != peer->path->via ||
        !ompi_osc_ucp_granted(peer) || !counts_only(window)) {
        return false;
    }
    counted(window, call, target, (uint64_t) count * type->super.size);
    return true;
}

/** An operation begins. What this returns goes to `operated`. */
static inline uint64_t begins(ompi_win_t *win, int call, int target)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    return OPAL_LIKELY(NULL == window->causes) ? 0 : ompi_osc_ucp_cause_begins(window, call, target);
}

/** It is over; pass on its outcome. One that fails has moved nothing, and what it asked for may be absurd. */
static inline int operated(int rc, ompi_win_t *win, int call, uint64_t begin, int target, ptrdiff_t disp,
                           ompi_osc_ucp_count_t count, ompi_datatype_t *type)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    if (OPAL_LIKELY(OMPI_SUCCESS == rc)) {
        count_direct(window, target, (uint64_t) count * type->super.size);
    }
    if (NULL != window->causes) {
        ompi_osc_ucp_cause_operated(window, call, begin, target, disp, OMPI_SUCCESS == rc ? count : 0, type);
    }
    return rc;
}

static __attribute__((noinline)) int put_other(const void *origin, ompi_osc_ucp_count_t origin_count,
                                               ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                                               ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                                               ompi_win_t *win)
{
    uint64_t begin;
    int      rc;

    if (count_ahead(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_PUT, target, target_count, target_type)) {
        return below(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    begin = begins(win, OMPI_OSC_UCP_CALLED_PUT, target);
    rc    = below(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    return operated(rc, win, OMPI_OSC_UCP_CALLED_PUT, begin, target, disp, target_count, target_type);
}

static int count_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    char                  *addr   = NULL;
    uint64_t               bytes;

    if (OPAL_LIKELY(ompi_osc_ucp_put == below(win)->osc_put && counts_only(window))) {
        addr = ompi_osc_ucp_copy_addr(origin_count, origin_type, target, disp, target_count, target_type, window,
                                      &bytes);
    }
    if (OPAL_UNLIKELY(NULL == addr)) {
        return put_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    counted(window, OMPI_OSC_UCP_CALLED_PUT, target, bytes);
    return ompi_osc_ucp_copy_mapped(true, addr, (void *) origin, bytes, window);
}

static int count_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_RPUT, target);
    int      rc    = below(win)->osc_rput(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          win, request_p);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_RPUT, begin, target, disp, target_count, target_type);
}

static __attribute__((noinline)) int get_other(void *origin, ompi_osc_ucp_count_t origin_count,
                                               ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                                               ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                                               ompi_win_t *win)
{
    uint64_t begin;
    int      rc;

    if (count_ahead(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_GET, target, target_count, target_type)) {
        return below(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    begin = begins(win, OMPI_OSC_UCP_CALLED_GET, target);
    rc    = below(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    return operated(rc, win, OMPI_OSC_UCP_CALLED_GET, begin, target, disp, target_count, target_type);
}

static int count_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    char                  *addr   = NULL;
    uint64_t               bytes;

    if (OPAL_LIKELY(ompi_osc_ucp_get == below(win)->osc_get && counts_only(window))) {
        addr = ompi_osc_ucp_copy_addr(origin_count, origin_type, target, disp, target_count, target_type, window,
                                      &bytes);
    }
    if (OPAL_UNLIKELY(NULL == addr)) {
        return get_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
    counted(window, OMPI_OSC_UCP_CALLED_GET, target, bytes);
    return ompi_osc_ucp_copy_mapped(false, addr, origin, bytes, window);
}

static int count_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_RGET, target);
    int      rc    = below(win)->osc_rget(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          win, request_p);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_RGET, begin, target, disp, target_count, target_type);
}

static __attribute__((noinline)) int accumulate_other(const void *origin, ompi_osc_ucp_count_t origin_count,
                                                      ompi_datatype_t *origin_type, int target, ptrdiff_t disp,
                                                      ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                                                      ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin;
    int      rc;

    if (count_ahead(ompi_osc_ucp_window(win), OMPI_OSC_UCP_CALLED_ACCUMULATE, target, target_count, target_type)) {
        return below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          op, win);
    }
    begin = begins(win, OMPI_OSC_UCP_CALLED_ACCUMULATE, target);
    rc    = below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op,
                                       win);
    return operated(rc, win, OMPI_OSC_UCP_CALLED_ACCUMULATE, begin, target, disp, target_count, target_type);
}

static int count_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win)
{
    if (OPAL_LIKELY(ompi_osc_ucp_accumulate == below(win)->osc_accumulate && origin_type == target_type &&
                    origin_count == target_count && &ompi_mpi_op_no_op.op != op &&
                    updated(OMPI_OSC_UCP_CALLED_ACCUMULATE, origin, NULL, target_count, target_type, target, disp, op,
                            win))) {
        return OMPI_SUCCESS;
    }
    return accumulate_other(origin, origin_count, origin_type, target, disp, target_count, target_type, op, win);
}

static int count_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_RACCUMULATE, target);
    int      rc    = below(win)->osc_raccumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                 target_type, op, win, request_p);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_RACCUMULATE, begin, target, disp, target_count, target_type);
}

static int count_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_GET_ACCUMULATE, target);
    int      rc    = below(win)->osc_get_accumulate(origin, origin_count, origin_type, result, result_count,
                                                    result_type, target, disp, target_count, target_type, op, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_GET_ACCUMULATE, begin, target, disp, target_count, target_type);
}

static int count_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE, target);
    int      rc    = below(win)->osc_rget_accumulate(origin, origin_count, origin_type, result, result_count,
                                                     result_type, target, disp, target_count, target_type, op, win,
                                                     request_p);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE, begin, target, disp, target_count, target_type);
}

static __attribute__((noinline)) int fetch_and_op_other(const void *origin, void *result, ompi_datatype_t *type,
                                                        int target, ptrdiff_t disp, ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_FETCH_AND_OP, target);
    int      rc    = below(win)->osc_fetch_and_op(origin, result, type, target, disp, op, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_FETCH_AND_OP, begin, target, disp, 1, type);
}

static int count_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    if (OPAL_LIKELY(ompi_osc_ucp_fetch_and_op == below(win)->osc_fetch_and_op &&
                    updated(OMPI_OSC_UCP_CALLED_FETCH_AND_OP, &ompi_mpi_op_no_op.op != op ? origin : NULL, result, 1,
                            type, target, disp, op, win))) {
        return OMPI_SUCCESS;
    }
    return fetch_and_op_other(origin, result, type, target, disp, op, win);
}

static int count_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    uint64_t begin = begins(win, OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, target);
    int      rc    = below(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, begin, target, disp, 1, type);
}

/* Synchronization: the time that calls take. */

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
    uint64_t               now    = ompi_osc_ucp_ticks_now(), ns = now - begin;

    if (OPAL_LIKELY(!ompi_osc_ucp_threaded())) {
        window->counters.waited_ns += ns; /* an atomic add waits for all earlier stores */
    } else {
        __atomic_fetch_add(&window->counters.waited_ns, ns, __ATOMIC_RELAXED);
    }
    if (NULL != window->causes) {
        ompi_osc_ucp_cause_waited(window, call, now, ns);
    }
    return rc;
}

static int count_fence(int assert, ompi_win_t *win)
{
    uint64_t begin = waits(win, OMPI_OSC_UCP_CALLED_FENCE);

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

bool ompi_osc_ucp_instrument(ompi_osc_ucp_window_t *window)
{
    static const ompi_osc_base_module_t functions = {
        .osc_put              = count_put,
        .osc_get              = count_get,
        .osc_accumulate       = count_accumulate,
        .osc_compare_and_swap = count_compare_and_swap,
        .osc_fetch_and_op     = count_fetch_and_op,
        .osc_get_accumulate   = count_get_accumulate,
        .osc_rput             = count_rput,
        .osc_rget             = count_rget,
        .osc_raccumulate      = count_raccumulate,
        .osc_rget_accumulate  = count_rget_accumulate,
        .osc_fence            = count_fence,
        .osc_start            = count_start,
        .osc_complete         = count_complete,
        .osc_post             = count_post,
        .osc_wait             = count_wait,
        .osc_lock             = count_lock,
        .osc_unlock           = count_unlock,
        .osc_lock_all         = count_lock_all,
        .osc_unlock_all       = count_unlock_all,
        .osc_flush            = count_flush,
        .osc_flush_all        = count_flush_all,
        .osc_flush_local      = count_flush_local,
        .osc_flush_local_all  = count_flush_local_all
    };

    return ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_COUNT, &functions);
}
