/* The layer of windows that osc_ucp_trace records: synchronizing calls and epochs. Operations are in
 * layer/trace_operations.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Win_free is not here, because a window of ours is known by that function (window/free.c).
 */

#include "layer/trace.h"

#include <stdlib.h>

#include "base/threads.h"
#include "layer/tracing.h"

#define NOBODY OMPI_OSC_UCP_TRACE_NOBODY

/** An epoch that is open. */
typedef struct epoch_t {
    const char *name;
    int         target; /**< as in a record */
    uint64_t    begin;
} epoch_t;

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_TRACE);
}

/** Record a call that ends now. `target` is a rank in the window, or NOBODY; a lock is of a `sort`. Returns when that
 *  is. */
static uint64_t called_for(ompi_win_t *win, const char *name, ompi_osc_ucp_trace_kind_t kind, uint64_t begin,
                           int target, const char *sort)
{
    const ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    uint64_t                     end    = opal_common_ucp_now_ns();

    ompi_osc_ucp_trace_add(&(ompi_osc_ucp_trace_record_t) {
        .begin = begin, .end = end, .window = window->tracing->as, .name = name, .kind = (uint8_t) kind,
        .target = ompi_osc_ucp_traced_rank(window, target), .type = sort
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

    target = ompi_osc_ucp_traced_rank(ompi_osc_ucp_window(win), target);
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

    target = ompi_osc_ucp_traced_rank(ompi_osc_ucp_window(win), target);
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

/** Add the layer. False if memory is short. */
static bool layer_add(ompi_osc_ucp_window_t *window)
{
    ompi_osc_base_module_t functions = ompi_osc_ucp_trace_communicating;

    functions.osc_fence           = trace_fence;
    functions.osc_start           = trace_start;
    functions.osc_complete        = trace_complete;
    functions.osc_post            = trace_post;
    functions.osc_wait            = trace_wait;
    functions.osc_test            = trace_test;
    functions.osc_lock            = trace_lock;
    functions.osc_unlock          = trace_unlock;
    functions.osc_lock_all        = trace_lock_all;
    functions.osc_unlock_all      = trace_unlock_all;
    functions.osc_flush           = trace_flush;
    functions.osc_flush_all       = trace_flush_all;
    functions.osc_flush_local     = trace_flush_local;
    functions.osc_flush_local_all = trace_flush_local_all;
    return ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_TRACE, &functions);
}

/** Are all ranks in the window those in MPI_COMM_WORLD? */
static bool same_ranks(const ompi_osc_ucp_window_t *window)
{
    int rank;

    for (rank = 0; rank < window->size && rank == ompi_osc_ucp_traced_rank(window, rank); rank++) {
    }
    return rank == window->size;
}

bool ompi_osc_ucp_tracing_begin(ompi_osc_ucp_window_t *window, const char *call, uint64_t begin)
{
    struct ompi_osc_ucp_tracing_t *tracing = calloc(1, sizeof(*tracing));

    if (NULL != tracing) {
        tracing->as = calloc(1, sizeof(*tracing->as));
    }
    if (NULL == tracing || NULL == tracing->as || !layer_add(window)) {
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
    tracing->as->first = ompi_osc_ucp_traced_rank(window, 0);
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
