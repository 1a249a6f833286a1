/* The layer of windows that osc_ucp_trace records: each call, each epoch, and who talks to whom.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Win_free is not here, because a window of ours is known by that function (window/free.c).
 */

#include "layer/trace.h"

#include <stdlib.h>

#include "base/threads.h"
#include "base/trace.h"
#include "layer/layer.h"

/** As a target: none, or all. */
#define NOBODY (-1)

/** An epoch that is open. */
typedef struct epoch_t {
    const char *name;
    int         target; /**< rank in MPI_COMM_WORLD, or NOBODY */
    uint64_t    begin;
} epoch_t;

/** What the trace keeps for a window. */
struct ompi_osc_ucp_tracing_t {
    ompi_osc_ucp_traced_t *as;   /**< the window in records; outlives this */
    uint64_t               job;  /**< own job */
    bool                   same; /**< all ranks in the window are those in MPI_COMM_WORLD */
    epoch_t               *open; /**< malloc'd; inside the origin side */
    int                    opened, room;
};

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_TRACE);
}

/** The rank in MPI_COMM_WORLD of a member; NOBODY for a process of another job, and for ranks that are none. */
static int world_rank(const ompi_osc_ucp_window_t *window, int rank)
{
    uint64_t key;

    if (rank < 0 || rank >= window->size) {
        return NOBODY;
    }
    if (window->tracing->same) {
        return rank;
    }
    key = ompi_osc_ucp_proc_key(window->group, rank);
    return window->tracing->job == key >> 32 ? (int) (uint32_t) key : NOBODY;
}

/* Communication: what is counted always, and recorded if osc_ucp_trace_operations says so. */

static uint64_t begins(void)
{
    return ompi_osc_ucp_trace.operations ? opal_common_ucp_now_ns() : 0;
}

/** Apart, so that operations that are not recorded do not pay for it. */
static __attribute__((noinline)) void operation_add(const ompi_osc_ucp_window_t *window, const char *name,
                                                    uint64_t begin, int rank, ptrdiff_t disp, uint64_t bytes,
                                                    const ompi_datatype_t *type, const ompi_op_t *op)
{
    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) {
        .begin = begin, .end = opal_common_ucp_now_ns(), .window = window->tracing->as, .name = name,
        .type = ompi_datatype_is_predefined(type) ? type->name : NULL,
        .op = NULL != op && ompi_op_is_intrinsic((ompi_op_t *) op) ? op->o_name : NULL, /* others may be freed */
        .disp = disp, .bytes = bytes, .target = rank, .kind = OMPI_OSC_UCP_TRACE_OPERATION
    });
}

static inline int operated(int rc, ompi_win_t *win, const char *name, uint64_t begin, int target, ptrdiff_t disp,
                           ompi_osc_ucp_count_t count, const ompi_datatype_t *type, const ompi_op_t *op)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                          rank   = world_rank(window, target);
    uint64_t                     bytes  = (uint64_t) count * type->super.size;

    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_trace_count(rank, bytes);
    }
    if (0 != begin) {
        operation_add(window, name, begin, rank, disp, bytes, type, op);
    }
    return rc;
}

static int trace_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                         win);

    return operated(rc, win, "MPI_Put", begin, target, disp, target_count, target_type, NULL);
}

static int trace_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_rput(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          win, request_p);

    return operated(rc, win, "MPI_Rput", begin, target, disp, target_count, target_type, NULL);
}

static int trace_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                         win);

    return operated(rc, win, "MPI_Get", begin, target, disp, target_count, target_type, NULL);
}

static int trace_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_rget(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                          win, request_p);

    return operated(rc, win, "MPI_Rget", begin, target, disp, target_count, target_type, NULL);
}

static int trace_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                target_type, op, win);

    return operated(rc, win, "MPI_Accumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win, ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_raccumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                 target_type, op, win, request_p);

    return operated(rc, win, "MPI_Raccumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_get_accumulate(origin, origin_count, origin_type, result, result_count,
                                                    result_type, target, disp, target_count, target_type, op, win);

    return operated(rc, win, "MPI_Get_accumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_rget_accumulate(origin, origin_count, origin_type, result, result_count,
                                                     result_type, target, disp, target_count, target_type, op, win,
                                                     request_p);

    return operated(rc, win, "MPI_Rget_accumulate", begin, target, disp, target_count, target_type, op);
}

static int trace_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *op, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_fetch_and_op(origin, result, type, target, disp, op, win);

    return operated(rc, win, "MPI_Fetch_and_op", begin, target, disp, 1, type, op);
}

static int trace_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    uint64_t begin = begins();
    int      rc    = below(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win);

    return operated(rc, win, "MPI_Compare_and_swap", begin, target, disp, 1, type, NULL);
}

/* Synchronization, and epochs. */

/** Record a call that ends now. `target` is a rank in the window, or NOBODY; a lock is of a `sort`. Returns when that
 *  is. */
static uint64_t called_for(ompi_win_t *win, const char *name, ompi_osc_ucp_trace_kind_t kind, uint64_t begin,
                           int target, const char *sort)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t                     end    = opal_common_ucp_now_ns();

    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) {
        .begin = begin, .end = end, .window = window->tracing->as, .name = name, .kind = (uint8_t) kind,
        .target = world_rank(window, target), .type = sort
    });
    return end;
}

static uint64_t called(ompi_win_t *win, const char *name, ompi_osc_ucp_trace_kind_t kind, uint64_t begin, int target)
{
    return called_for(win, name, kind, begin, target, NULL);
}

/** An epoch begins. One for which memory is short is not recorded. */
static void epoch_begins(ompi_win_t *win, const char *name, int target, uint64_t now)
{
    struct ompi_osc_ucp_tracing_t *tracing = ompi_osc_ucp_window(win)->tracing;
    epoch_t                       *open;

    target = world_rank(ompi_osc_ucp_window(win), target);
    ompi_osc_ucp_enter();
    if (tracing->opened == tracing->room) {
        open = realloc(tracing->open, (size_t) (2 * tracing->room + 4) * sizeof(*open));
        if (NULL != open) {
            tracing->open = open;
            tracing->room = 2 * tracing->room + 4;
        }
    }
    if (tracing->opened < tracing->room) {
        tracing->open[tracing->opened++] = (epoch_t) { .name = name, .target = target, .begin = now };
    }
    ompi_osc_ucp_leave();
}

static void epoch_add(const struct ompi_osc_ucp_tracing_t *tracing, const epoch_t *epoch, uint64_t end)
{
    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) {
        .begin = epoch->begin, .end = end, .window = tracing->as, .name = epoch->name, .target = epoch->target,
        .kind = OMPI_OSC_UCP_TRACE_EPOCH
    });
}

/** The epoch of one of two names ends, if there is one. */
static void epoch_ends(ompi_win_t *win, const char *name, const char *other, int target, uint64_t now)
{
    struct ompi_osc_ucp_tracing_t *tracing = ompi_osc_ucp_window(win)->tracing;
    epoch_t                        ended   = { .name = NULL };
    int                            i;

    target = world_rank(ompi_osc_ucp_window(win), target);
    ompi_osc_ucp_enter();
    for (i = tracing->opened - 1; i >= 0 && NULL == ended.name; i--) {
        if (target == tracing->open[i].target && (name == tracing->open[i].name || other == tracing->open[i].name)) {
            ended            = tracing->open[i];
            tracing->open[i] = tracing->open[--tracing->opened];
        }
    }
    ompi_osc_ucp_leave();
    if (NULL != ended.name) {
        epoch_add(tracing, &ended, now);
    }
}

static const char fence_epoch[] = "fence", access_epoch[] = "access", exposure_epoch[] = "exposure",
                  shared_lock[] = "shared lock", exclusive_lock[] = "exclusive lock", lock_all[] = "lock_all";

static int trace_fence(int assert, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_fence(assert, win);
    uint64_t end   = called(win, "MPI_Win_fence", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_ends(win, fence_epoch, NULL, NOBODY, end);
        if (0 == (assert & MPI_MODE_NOSUCCEED)) {
            epoch_begins(win, fence_epoch, NOBODY, end);
        }
    }
    return rc;
}

static int trace_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_start(group, assert, win);
    uint64_t end   = called(win, "MPI_Win_start", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_begins(win, access_epoch, NOBODY, end);
    }
    return rc;
}

static int trace_complete(ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_complete(win);
    uint64_t end   = called(win, "MPI_Win_complete", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_ends(win, access_epoch, NULL, NOBODY, end);
    }
    return rc;
}

static int trace_post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_post(group, assert, win);
    uint64_t end   = called(win, "MPI_Win_post", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_begins(win, exposure_epoch, NOBODY, end);
    }
    return rc;
}

static int trace_wait(ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_wait(win);
    uint64_t end   = called(win, "MPI_Win_wait", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_ends(win, exposure_epoch, NULL, NOBODY, end);
    }
    return rc;
}

/** Programs poll: a test is recorded if it ends the epoch. */
static int trace_test(ompi_win_t *win, int *flag)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_test(win, flag);

    if (OMPI_SUCCESS == rc && 0 != *flag) {
        epoch_ends(win, exposure_epoch, NULL, NOBODY,
                   called(win, "MPI_Win_test", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY));
    }
    return rc;
}

static int trace_lock(int type, int target, int assert, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_lock(type, target, assert, win);
    uint64_t end   = called_for(win, "MPI_Win_lock", OMPI_OSC_UCP_TRACE_SYNC, begin, target,
                                MPI_LOCK_EXCLUSIVE == type ? "exclusive" : "shared");

    if (OMPI_SUCCESS == rc) {
        epoch_begins(win, MPI_LOCK_EXCLUSIVE == type ? exclusive_lock : shared_lock, target, end);
    }
    return rc;
}

static int trace_unlock(int target, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_unlock(target, win);
    uint64_t end   = called(win, "MPI_Win_unlock", OMPI_OSC_UCP_TRACE_SYNC, begin, target);

    if (OMPI_SUCCESS == rc) {
        epoch_ends(win, shared_lock, exclusive_lock, target, end);
    }
    return rc;
}

static int trace_lock_all(int assert, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_lock_all(assert, win);
    uint64_t end   = called(win, "MPI_Win_lock_all", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_begins(win, lock_all, NOBODY, end);
    }
    return rc;
}

static int trace_unlock_all(ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_unlock_all(win);
    uint64_t end   = called(win, "MPI_Win_unlock_all", OMPI_OSC_UCP_TRACE_SYNC, begin, NOBODY);

    if (OMPI_SUCCESS == rc) {
        epoch_ends(win, lock_all, NULL, NOBODY, end);
    }
    return rc;
}

static int trace_flush(int target, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_flush(target, win);

    (void) called(win, "MPI_Win_flush", OMPI_OSC_UCP_TRACE_FLUSH, begin, target);
    return rc;
}

static int trace_flush_all(ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_flush_all(win);

    (void) called(win, "MPI_Win_flush_all", OMPI_OSC_UCP_TRACE_FLUSH, begin, NOBODY);
    return rc;
}

static int trace_flush_local(int target, ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_flush_local(target, win);

    (void) called(win, "MPI_Win_flush_local", OMPI_OSC_UCP_TRACE_FLUSH, begin, target);
    return rc;
}

static int trace_flush_local_all(ompi_win_t *win)
{
    uint64_t begin = opal_common_ucp_now_ns();
    int      rc    = below(win)->osc_flush_local_all(win);

    (void) called(win, "MPI_Win_flush_local_all", OMPI_OSC_UCP_TRACE_FLUSH, begin, NOBODY);
    return rc;
}

static const ompi_osc_base_module_t functions = {
    .osc_put              = trace_put,
    .osc_get              = trace_get,
    .osc_accumulate       = trace_accumulate,
    .osc_compare_and_swap = trace_compare_and_swap,
    .osc_fetch_and_op     = trace_fetch_and_op,
    .osc_get_accumulate   = trace_get_accumulate,
    .osc_rput             = trace_rput,
    .osc_rget             = trace_rget,
    .osc_raccumulate      = trace_raccumulate,
    .osc_rget_accumulate  = trace_rget_accumulate,
    .osc_fence            = trace_fence,
    .osc_start            = trace_start,
    .osc_complete         = trace_complete,
    .osc_post             = trace_post,
    .osc_wait             = trace_wait,
    .osc_test             = trace_test,
    .osc_lock             = trace_lock,
    .osc_unlock           = trace_unlock,
    .osc_lock_all         = trace_lock_all,
    .osc_unlock_all       = trace_unlock_all,
    .osc_flush            = trace_flush,
    .osc_flush_all        = trace_flush_all,
    .osc_flush_local      = trace_flush_local,
    .osc_flush_local_all  = trace_flush_local_all
};

/** Are all ranks in the window those in MPI_COMM_WORLD? */
static bool same_ranks(const ompi_osc_ucp_window_t *window)
{
    int rank;

    for (rank = 0; rank < window->size && rank == world_rank(window, rank); rank++) {
    }
    return rank == window->size;
}

bool ompi_osc_ucp_tracing_begin(ompi_osc_ucp_window_t *window, const char *call, uint64_t begin)
{
    struct ompi_osc_ucp_tracing_t *tracing = calloc(1, sizeof(*tracing));

    if (NULL != tracing) {
        tracing->as = calloc(1, sizeof(*tracing->as));
    }
    if (NULL == tracing || NULL == tracing->as ||
        !ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_TRACE, &functions)) {
        if (NULL != tracing) {
            free(tracing->as);
        }
        free(tracing);
        return false;
    }
    tracing->as->win   = window->win;
    tracing->as->id    = window->id;
    tracing->job       = ompi_osc_ucp_proc_key(window->group, window->rank) >> 32;
    window->tracing    = tracing;
    tracing->same      = same_ranks(window);
    tracing->as->first = world_rank(window, 0);
    (void) called(window->win, call, OMPI_OSC_UCP_TRACE_WINDOW, begin, NOBODY);
    return true;
}

void ompi_osc_ucp_tracing_end(ompi_osc_ucp_window_t *window, const char *call, uint64_t begin)
{
    struct ompi_osc_ucp_tracing_t *tracing = window->tracing;
    uint64_t                       end     = opal_common_ucp_now_ns();
    int                            i;

    for (i = 0; i < tracing->opened; i++) {
        epoch_add(tracing, &tracing->open[i], begin);
    }
    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) {
        .begin = begin, .end = end, .window = tracing->as, .name = call, .target = NOBODY,
        .kind = OMPI_OSC_UCP_TRACE_WINDOW
    });
    ompi_osc_ucp_trace_forget(tracing->as);
    free(tracing->open);
    free(tracing);
    window->tracing = NULL;
}
