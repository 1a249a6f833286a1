/* The layer of windows that osc_ucp_check checks: it tells the checker's parts of each call, before and after it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_Win_free is not here, because a window of ours is known by that function (window/free.c calls
 * ompi_osc_ucp_check_end).
 */

#include "check/check.h"

#include <stdlib.h>

#include "check/conflicts.h"
#include "check/parts.h"
#include "check/report.h"
#include "check/requests.h"
#include "layer/layer.h"

/** The parts, in the order in which they are told. */
static const ompi_osc_ucp_check_part_t *const parts[] = {
    &ompi_osc_ucp_check_clocks,
    &ompi_osc_ucp_check_conflicts,
    &ompi_osc_ucp_check_loads,
    &ompi_osc_ucp_check_epochs,
    &ompi_osc_ucp_check_nostore,
    &ompi_osc_ucp_check_memory,
    &ompi_osc_ucp_check_buffers,
    &ompi_osc_ucp_check_misuse,
    &ompi_osc_ucp_check_clocks_last,
    &ompi_osc_ucp_check_epochs_last
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_CHECK);
}

/* Communication. */

static void calls(ompi_osc_ucp_check_op_t *op)
{
    size_t i;

    op->begin = opal_common_ucp_now_ns();
    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->calls) {
            parts[i]->calls(op);
        }
    }
}

/** The operation of an R call is complete. */
static void done(ompi_osc_ucp_window_t *window, ompi_request_t *request)
{
    size_t i;

    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->done) {
            parts[i]->done(window, request);
        }
    }
}

static int called(ompi_osc_ucp_check_op_t *op, int rc, ompi_request_t **request_p)
{
    ompi_osc_ucp_stand_in_t *stand_in = NULL;
    size_t                   i;

    if (OMPI_SUCCESS == rc && NULL != request_p) {
        stand_in    = ompi_osc_ucp_check_request_new(op, request_p, done);
        op->request = NULL == stand_in ? NULL : *request_p;
    }
    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->called) {
            parts[i]->called(op, rc);
        }
    }
    if (NULL != stand_in) {
        ompi_osc_ucp_check_request_begin(stand_in);
    }
    return rc;
}

static int check_put(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_PUT, .site = ompi_osc_ucp_site_here(),
        .origin = { origin, (size_t) origin_count, origin_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type
    };

    calls(&op);
    return called(&op, below(win)->osc_put(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                           win), NULL);
}

static int check_rput(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_RPUT, .site = ompi_osc_ucp_site_here(),
        .origin = { origin, (size_t) origin_count, origin_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type
    };

    calls(&op);
    return called(&op, below(win)->osc_rput(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                            win, request_p), request_p);
}

static int check_get(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                     ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_GET, .site = ompi_osc_ucp_site_here(),
        .result = { origin, (size_t) origin_count, origin_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type
    };

    calls(&op);
    return called(&op, below(win)->osc_get(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                           win), NULL);
}

static int check_rget(void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type, int target,
                      ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type, ompi_win_t *win,
                      ompi_request_t **request_p)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_RGET, .site = ompi_osc_ucp_site_here(),
        .result = { origin, (size_t) origin_count, origin_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type
    };

    calls(&op);
    return called(&op, below(win)->osc_rget(origin, origin_count, origin_type, target, disp, target_count, target_type,
                                            win, request_p), request_p);
}

static int check_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                            int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count, ompi_datatype_t *target_type,
                            ompi_op_t *mpi_op, ompi_win_t *win)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_ACCUMULATE, .site = ompi_osc_ucp_site_here(),
        .origin = { origin, (size_t) origin_count, origin_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type, .op = mpi_op
    };

    calls(&op);
    return called(&op, below(win)->osc_accumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                  target_type, mpi_op, win), NULL);
}

static int check_raccumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                             int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                             ompi_datatype_t *target_type, ompi_op_t *mpi_op, ompi_win_t *win,
                             ompi_request_t **request_p)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_RACCUMULATE, .site = ompi_osc_ucp_site_here(),
        .origin = { origin, (size_t) origin_count, origin_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type, .op = mpi_op
    };

    calls(&op);
    return called(&op, below(win)->osc_raccumulate(origin, origin_count, origin_type, target, disp, target_count,
                                                   target_type, mpi_op, win, request_p), request_p);
}

static int check_get_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                ompi_datatype_t *target_type, ompi_op_t *mpi_op, ompi_win_t *win)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_GET_ACCUMULATE,
        .site = ompi_osc_ucp_site_here(), .origin = { origin, (size_t) origin_count, origin_type },
        .result = { result, (size_t) result_count, result_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type, .op = mpi_op
    };

    calls(&op);
    return called(&op, below(win)->osc_get_accumulate(origin, origin_count, origin_type, result, result_count,
                                                      result_type, target, disp, target_count, target_type, mpi_op,
                                                      win), NULL);
}

static int check_rget_accumulate(const void *origin, ompi_osc_ucp_count_t origin_count, ompi_datatype_t *origin_type,
                                 void *result, ompi_osc_ucp_count_t result_count, ompi_datatype_t *result_type,
                                 int target, ptrdiff_t disp, ompi_osc_ucp_count_t target_count,
                                 ompi_datatype_t *target_type, ompi_op_t *mpi_op, ompi_win_t *win,
                                 ompi_request_t **request_p)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE,
        .site = ompi_osc_ucp_site_here(), .origin = { origin, (size_t) origin_count, origin_type },
        .result = { result, (size_t) result_count, result_type },
        .target = target, .disp = disp, .count = (size_t) target_count, .type = target_type, .op = mpi_op
    };

    calls(&op);
    return called(&op, below(win)->osc_rget_accumulate(origin, origin_count, origin_type, result, result_count,
                                                       result_type, target, disp, target_count, target_type, mpi_op,
                                                       win, request_p), request_p);
}

static int check_fetch_and_op(const void *origin, void *result, ompi_datatype_t *type, int target, ptrdiff_t disp,
                              ompi_op_t *mpi_op, ompi_win_t *win)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_FETCH_AND_OP, .site = ompi_osc_ucp_site_here(),
        .origin = { origin, 1, type }, .result = { result, 1, type },
        .target = target, .disp = disp, .count = 1, .type = type, .op = mpi_op
    };

    calls(&op);
    return called(&op, below(win)->osc_fetch_and_op(origin, result, type, target, disp, mpi_op, win), NULL);
}

static int check_compare_and_swap(const void *origin, const void *compare, void *result, ompi_datatype_t *type,
                                  int target, ptrdiff_t disp, ompi_win_t *win)
{
    ompi_osc_ucp_check_op_t op = {
        .window = ompi_osc_ucp_window(win), .call = OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP,
        .site = ompi_osc_ucp_site_here(), .origin = { origin, 1, type }, .compare = { compare, 1, type },
        .result = { result, 1, type }, .target = target, .disp = disp, .count = 1, .type = type
    };

    calls(&op);
    return called(&op, below(win)->osc_compare_and_swap(origin, compare, result, type, target, disp, win), NULL);
}

/* Synchronization. */

static void synchronizes(const ompi_osc_ucp_check_sync_t *sync)
{
    size_t i;

    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->synchronizes) {
            parts[i]->synchronizes(sync);
        }
    }
}

static int synchronized(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    size_t i;

    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->synchronized) {
            parts[i]->synchronized(sync, rc);
        }
    }
    return rc;
}

/** A call that concerns one target, or -1: all or none in particular. */
static inline __attribute__((always_inline)) ompi_osc_ucp_check_sync_t sync_of(ompi_win_t *win,
                                                                               ompi_osc_ucp_called_t call, int target)
{
    return (ompi_osc_ucp_check_sync_t) {
        .window = ompi_osc_ucp_window(win), .call = call, .site = ompi_osc_ucp_site_here(), .target = target,
        .begin = opal_common_ucp_now_ns()
    };
}

static int check_fence(int assert, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_FENCE, -1);

    sync.assert = assert;
    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_fence(assert, win));
}

static int check_start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_START, -1);

    sync.assert = assert;
    sync.group  = group;
    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_start(group, assert, win));
}

static int check_complete(ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_COMPLETE, -1);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_complete(win));
}

static int check_post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_POST, -1);

    sync.assert = assert;
    sync.group  = group;
    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_post(group, assert, win));
}

static int check_wait(ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_WAIT, -1);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_wait(win));
}

static int check_test(ompi_win_t *win, int *flag)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_TEST, -1);
    int                       rc;

    synchronizes(&sync);
    rc = below(win)->osc_test(win, flag);
    if (MPI_SUCCESS == rc) { /* else nobody has set it */
        sync.flag = *flag;
    }
    return synchronized(&sync, rc);
}

static int check_lock(int type, int target, int assert, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_LOCK, target);

    sync.type   = type;
    sync.assert = assert;
    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_lock(type, target, assert, win));
}

static int check_unlock(int target, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_UNLOCK, target);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_unlock(target, win));
}

static int check_lock_all(int assert, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_LOCK_ALL, -1);

    sync.type   = MPI_LOCK_SHARED;
    sync.assert = assert;
    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_lock_all(assert, win));
}

static int check_unlock_all(ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_UNLOCK_ALL, -1);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_unlock_all(win));
}

static int check_sync(ompi_win_t *win)
{
    ompi_osc_ucp_nostore_forget(ompi_osc_ucp_window(win)); /* it says: since the last synchronization */
    return below(win)->osc_sync(win);
}

static int check_flush(int target, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_FLUSH, target);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_flush(target, win));
}

static int check_flush_all(ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_FLUSH_ALL, -1);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_flush_all(win));
}

static int check_flush_local(int target, ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_FLUSH_LOCAL, target);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_flush_local(target, win));
}

static int check_flush_local_all(ompi_win_t *win)
{
    ompi_osc_ucp_check_sync_t sync = sync_of(win, OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL, -1);

    synchronizes(&sync);
    return synchronized(&sync, below(win)->osc_flush_local_all(win));
}

/* Memory of dynamic windows. */

static int check_attach(ompi_win_t *win, void *base, size_t size)
{
    int    rc = below(win)->osc_win_attach(win, base, size);
    size_t i;

    for (i = 0; OMPI_SUCCESS == rc && i < PARTS; i++) {
        if (NULL != parts[i]->attached) {
            parts[i]->attached(ompi_osc_ucp_window(win), base, size);
        }
    }
    return rc;
}

static int check_detach(ompi_win_t *win, const void *base)
{
    size_t i;

    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->detaches) {
            parts[i]->detaches(ompi_osc_ucp_window(win), base);
        }
    }
    return below(win)->osc_win_detach(win, base);
}

static const ompi_osc_base_module_t functions = {
    .osc_win_attach       = check_attach,
    .osc_win_detach       = check_detach,
    .osc_put              = check_put,
    .osc_get              = check_get,
    .osc_accumulate       = check_accumulate,
    .osc_compare_and_swap = check_compare_and_swap,
    .osc_fetch_and_op     = check_fetch_and_op,
    .osc_get_accumulate   = check_get_accumulate,
    .osc_rput             = check_rput,
    .osc_rget             = check_rget,
    .osc_raccumulate      = check_raccumulate,
    .osc_rget_accumulate  = check_rget_accumulate,
    .osc_fence            = check_fence,
    .osc_start            = check_start,
    .osc_complete         = check_complete,
    .osc_post             = check_post,
    .osc_wait             = check_wait,
    .osc_test             = check_test,
    .osc_lock             = check_lock,
    .osc_unlock           = check_unlock,
    .osc_lock_all         = check_lock_all,
    .osc_unlock_all       = check_unlock_all,
    .osc_sync             = check_sync,
    .osc_flush            = check_flush,
    .osc_flush_all        = check_flush_all,
    .osc_flush_local      = check_flush_local,
    .osc_flush_local_all  = check_flush_local_all
};

/* The life of a window. */

void ompi_osc_ucp_check_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    ompi_osc_ucp_check_t *check;
    bool                  good;
    size_t                i;

    if (ompi_osc_ucp_check_makes_own()) {
        return;
    }
    check = calloc(1, sizeof(*check));
    good  = NULL != check && ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_CHECK, &functions);
    if (OMPI_SUCCESS != ompi_osc_ucp_agree(comm, good ? OMPI_SUCCESS : OMPI_ERROR)) {
        free(check);
        return;
    }
    window->check = check;
    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->begin && !parts[i]->begin(window, comm)) {
            ompi_osc_ucp_check_leaves("osc/ucp: check: memory is short, so that a window is checked in part");
        }
    }
}

void ompi_osc_ucp_check_end(ompi_osc_ucp_window_t *window, bool last)
{
    size_t i;

    ompi_osc_ucp_check_requests_end(window);
    for (i = 0; i < PARTS; i++) {
        if (NULL != parts[i]->end) {
            parts[i]->end(window, last);
        }
    }
    free(window->check);
    window->check = NULL;
}
