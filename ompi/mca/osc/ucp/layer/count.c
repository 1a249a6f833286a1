/* The layer of instrumented windows: it counts operations by load and store. Synchronization is in layer/count_sync.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Counting would slow down calls that take some ten nanoseconds. As a layer it costs other windows nothing.
 */

#include "base/threads.h"
#include "call/calls.h"
#include "call/mapped.h"
#include "layer/cause.h"
#include "layer/count.h"
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

/* The shortest ways: where no other layer is below, and one thread calls, the call is carried out here, and counted. To
 * call a function for that would take it longer than all the rest. */

/** So many operations are counted together in a window without osc_ucp_report 2; false: they are not. */
static __attribute__((noinline)) bool tally_again(ompi_osc_ucp_window_t *window)
{
    if (ompi_osc_ucp_threaded() || NULL != window->causes) {
        return false;
    }
    ompi_osc_ucp_tally_settle(window);
    window->tally->left = OMPI_OSC_UCP_TALLY_MAX;
    return true;
}

/** Count an operation before it is made, if it is by load and store, does not wait, and is not looked at: then nothing
 *  has to be done after it. One that fails, because of its arguments, is counted as well. False: not counted. */
static inline bool count_ahead(ompi_osc_ucp_window_t *window, int call, int target, ompi_osc_ucp_count_t count,
                               const ompi_datatype_t *type)
{
    ompi_osc_ucp_peer_t *peer  = ompi_osc_ucp_peer_recent(window, target);
    uint64_t             bytes = (uint64_t) count * type->super.size;

    __atomic_thread_fence(__ATOMIC_ACQUIRE); /* another thread may just have made the tally: see ompi_osc_ucp_below */
    if (NULL == peer || bytes > OMPI_OSC_UCP_TALLY_BYTES || (window->tally->left <= 0 && !tally_again(window))) {
        return false;
    }
    return NULL != peer->path && OMPI_OSC_UCP_VIA_DIRECT == peer->path->via && ompi_osc_ucp_granted(peer) &&
           ompi_osc_ucp_tally(window->tally, call, target != window->rank, bytes);
}

/** What `begins_other` returns for an operation that it has counted. */
#define AHEAD UINT64_MAX

/** An operation begins. What this returns goes to `operated`. */
static inline uint64_t begins(ompi_win_t *win, int call, int target)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    return OPAL_LIKELY(NULL == window->causes) ? 0 : ompi_osc_ucp_cause_begins(window, call, target);
}

/** The same for one that may be counted ahead. */
static inline uint64_t begins_other(ompi_win_t *win, int call, int target, ompi_osc_ucp_count_t count,
                                    const ompi_datatype_t *type)
{
    return count_ahead(ompi_osc_ucp_window(win), call, target, count, type) ? AHEAD : begins(win, call, target);
}

/** It is over; pass on its outcome. One that fails has moved nothing, and what it asked for may be absurd. */
static inline int operated(int rc, ompi_win_t *win, int call, uint64_t begin, int target, ptrdiff_t disp,
                           ompi_osc_ucp_count_t count, ompi_datatype_t *type)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    if (AHEAD == begin) {
        return rc;
    }
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
    uint64_t begin = begins_other(win, OMPI_OSC_UCP_CALLED_PUT, target, target_count, target_type);
    int      rc    = (AHEAD == begin && ompi_osc_ucp_put == below(win)->osc_put ? ompi_osc_ucp_put_other
                                                                            : below(win)->osc_put)(
        origin, origin_count, origin_type, target, disp, target_count, target_type, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_PUT, begin, target, disp, target_count, target_type);
}

static int count_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes;
    char                  *addr   = ompi_osc_ucp_copy_addr(origin_count, origin_type, target, disp, target_count,
                                                           target_type, window, &bytes);

    if (OPAL_UNLIKELY(NULL == addr || !ompi_osc_ucp_tally(window->tally, OMPI_OSC_UCP_CALLED_PUT,
                                                          target != window->rank, bytes))) {
        return put_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
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
    uint64_t begin = begins_other(win, OMPI_OSC_UCP_CALLED_GET, target, target_count, target_type);
    int      rc    = (AHEAD == begin && ompi_osc_ucp_get == below(win)->osc_get ? ompi_osc_ucp_get_other
                                                                            : below(win)->osc_get)(
        origin, origin_count, origin_type, target, disp, target_count, target_type, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_GET, begin, target, disp, target_count, target_type);
}

static int count_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t               bytes;
    char                  *addr   = ompi_osc_ucp_copy_addr(origin_count, origin_type, target, disp, target_count,
                                                           target_type, window, &bytes);

    if (OPAL_UNLIKELY(NULL == addr || !ompi_osc_ucp_tally(window->tally, OMPI_OSC_UCP_CALLED_GET,
                                                          target != window->rank, bytes))) {
        return get_other(origin, origin_count, origin_type, target, disp, target_count, target_type, win);
    }
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
    uint64_t begin = begins_other(win, OMPI_OSC_UCP_CALLED_ACCUMULATE, target, target_count, target_type);
    int      rc    = below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                target_type, op, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_ACCUMULATE, begin, target, disp, target_count, target_type);
}

static int count_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win)
{
    ompi_osc_ucp_fast_t fast = OMPI_OSC_UCP_FAST_NOT;

    if (OPAL_LIKELY(origin_type == target_type && origin_count == target_count && &ompi_mpi_op_no_op.op != op)) {
        fast = ompi_osc_ucp_accumulate_fast(OMPI_OSC_UCP_CALLED_ACCUMULATE, origin, NULL, target_count, target_type,
                                            target, disp, op, win);
    }
    switch (fast) {
    case OMPI_OSC_UCP_FAST_DONE:
        return OMPI_SUCCESS;
    case OMPI_OSC_UCP_FAST_COUNTED:
        return ompi_osc_ucp_raccumulate(origin, origin_count, origin_type, target, disp, target_count, target_type, op,
                                        win, NULL);
    default:
        return accumulate_other(origin, origin_count, origin_type, target, disp, target_count, target_type, op, win);
    }
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
    uint64_t begin = begins_other(win, OMPI_OSC_UCP_CALLED_GET_ACCUMULATE, target, target_count, target_type);
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
    uint64_t begin = begins_other(win, OMPI_OSC_UCP_CALLED_FETCH_AND_OP, target, 1, type);
    int      rc    = below(win)->osc_fetch_and_op(origin, result, type, target, disp, op, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_FETCH_AND_OP, begin, target, disp, 1, type);
}

static int count_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    switch (ompi_osc_ucp_accumulate_fast(OMPI_OSC_UCP_CALLED_FETCH_AND_OP,
                                         &ompi_mpi_op_no_op.op != op ? origin : NULL, result, 1, type, target, disp,
                                         op, win)) {
    case OMPI_OSC_UCP_FAST_DONE:
        return OMPI_SUCCESS;
    case OMPI_OSC_UCP_FAST_COUNTED:
        return ompi_osc_ucp_fetch_and_op(origin, result, type, target, disp, op, win);
    default:
        return fetch_and_op_other(origin, result, type, target, disp, op, win);
    }
}

static int count_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    uint64_t begin = begins_other(win, OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, target, 1, type);
    int      rc    = below(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win);

    return operated(rc, win, OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP, begin, target, disp, 1, type);
}

bool ompi_osc_ucp_instrument(ompi_osc_ucp_window_t *window)
{
    const ompi_osc_base_module_t *below     = &window->super;
    ompi_osc_base_module_t        functions = ompi_osc_ucp_count_synchronizing;
    const bool                    single    = !ompi_osc_ucp_threaded();

    functions.osc_put              = single && ompi_osc_ucp_put == below->osc_put ? count_put : put_other;
    functions.osc_get              = single && ompi_osc_ucp_get == below->osc_get ? count_get : get_other;
    functions.osc_accumulate       = single && ompi_osc_ucp_accumulate == below->osc_accumulate ? count_accumulate
                                                                                                : accumulate_other;
    functions.osc_fetch_and_op     = single && ompi_osc_ucp_fetch_and_op == below->osc_fetch_and_op
                                         ? count_fetch_and_op
                                         : fetch_and_op_other;
    functions.osc_compare_and_swap = count_compare_and_swap;
    functions.osc_get_accumulate   = count_get_accumulate;
    functions.osc_rput             = count_rput;
    functions.osc_rget             = count_rget;
    functions.osc_raccumulate      = count_raccumulate;
    functions.osc_rget_accumulate  = count_rget_accumulate;
    return ompi_osc_ucp_tally_begin(window) && ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_COUNT, &functions);
}
