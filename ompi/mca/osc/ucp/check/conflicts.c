/* Conflicts: operations on the same bytes of a window that nothing orders.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two operations of one process conflict if the first is pending when the second is issued (check/issued.c). Those of
 * several processes are compared by the process whose memory it is (check/arrived.c): origins tell it what they did
 * (check/log.c) before they end the epoch.
 */

#include "check/parts.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/params.h"
#include "base/threads.h"
#include "check/across.h"
#include "check/arrived.h"
#include "check/conflicts.h"
#include "check/issued.h"
#include "check/loads.h"
#include "check/order.h"
#include "check/verify.h"
#include "epoch/epoch.h"

/** How many accesses are remembered. */
static uint32_t records(void)
{
    return ompi_osc_ucp_params.check_records < 16 ? 16 : (uint32_t) ompi_osc_ucp_params.check_records;
}

/** Accesses of locks that wait to be told, at most. */
#define READY_MAX 128u

typedef struct ompi_osc_ucp_conflicts_t {
    pthread_mutex_t         mutex;
    ompi_osc_ucp_log_t     *log;     /**< NULL: no other process compares anything */
    ompi_osc_ucp_issued_t  *issued;  /**< NULL before the first operation */
    ompi_osc_ucp_arrived_t *arrived; /**< NULL before the first access to the own memory */
    int64_t                *units;   /**< displacement units by rank; NULL: all are alike */
    uint64_t                host;
    uint32_t                fences;  /**< so far */
    uint32_t               *starts;  /**< epochs of MPI_Win_start by target; NULL before the first */
    uint8_t                *locks;   /**< ompi_osc_ucp_within_t by target, 0: none; NULL before the first */
    bool                    started, all_locked, exposed;
    struct {
        int                 assert;
        ompi_osc_ucp_site_t site;
    } fence, post;                   /**< the last calls */
} conflicts_t;

static conflicts_t *conflicts_of(const ompi_osc_ucp_window_t *window)
{
    return window->check->conflicts;
}

/* Telling, and being told. */

static ompi_osc_ucp_arrived_t *arrived_of(conflicts_t *conflicts, ompi_osc_ucp_window_t *window)
{
    if (NULL == conflicts->arrived) {
        conflicts->arrived = ompi_osc_ucp_arrived_new(window, records());
    }
    return conflicts->arrived;
}

/** Under the mutex. */
static void arrived_add(conflicts_t *conflicts, ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *accesses,
                        uint32_t n)
{
    ompi_osc_ucp_arrived_t *arrived = n > 0 ? arrived_of(conflicts, window) : NULL;
    uint32_t                i;

    for (i = 0; i < n; i++) {
        if ((OMPI_OSC_UCP_LOCAL_NOT != accesses[i].local || ompi_osc_ucp_epochs_see(window, &accesses[i])) &&
            NULL != arrived) {
            ompi_osc_ucp_arrived_add(arrived, &accesses[i]);
            ompi_osc_ucp_across_add(window, &accesses[i]);
        }
    }
}

/** Compare what this process did to its own memory. Under the mutex. */
static void own_add(conflicts_t *conflicts, ompi_osc_ucp_window_t *window)
{
    uint32_t               n, i;
    ompi_osc_ucp_access_t *own = ompi_osc_ucp_loads_take(window, &n);

    for (i = 0; i < n; i++) {
        own[i].host = conflicts->host;
    }
    arrived_add(conflicts, window, own, n);
    free(own);
}

/** Compare what others have told, and what this process did to its memory. Under the mutex. */
static void drain(conflicts_t *conflicts, ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_access_t accesses[32];
    uint32_t              n;

    own_add(conflicts, window);

    while (NULL != conflicts->log &&
           0 < (n = ompi_osc_ucp_log_take(conflicts->log, accesses, sizeof(accesses) / sizeof(accesses[0])))) {
        arrived_add(conflicts, window, accesses, n);
    }
}

/** Tell the owners of memory what was done to it. Takes the mutex; what is sent is sent without. */
static void tell(conflicts_t *conflicts, ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_access_t *ready = NULL;
    uint32_t               n = 0, from, to;

    ompi_osc_ucp_check_lock(&conflicts->mutex);
    if (NULL != conflicts->issued && ompi_osc_ucp_issued_ready(conflicts->issued) > 0) {
        ready = ompi_osc_ucp_issued_take(conflicts->issued, &n);
    }
    for (from = 0; from < n; from = to) {
        for (to = from + 1; to < n && ready[to].target == ready[from].target; to++) {
            continue;
        }
        if (ready[from].target == window->rank) {
            arrived_add(conflicts, window, ready + from, to - from);
        } else if (NULL != conflicts->log) {
            ompi_osc_ucp_check_unlock(&conflicts->mutex);
            ompi_osc_ucp_log_append(conflicts->log, ready[from].target, ready + from, to - from);
            ompi_osc_ucp_check_lock(&conflicts->mutex);
        }
    }
    ompi_osc_ucp_check_unlock(&conflicts->mutex);
    free(ready);
}

/* Operations. */

/** The epoch that the operation is in, as far as it is known. Under the mutex. */
static void epoch_set(const conflicts_t *conflicts, ompi_osc_ucp_access_t *access)
{
    access->number = conflicts->fences;
    if (conflicts->all_locked) {
        access->within = OMPI_OSC_UCP_WITHIN_SHARED;
    } else if (NULL != conflicts->locks && 0 != conflicts->locks[access->target]) {
        access->within = conflicts->locks[access->target];
    } else if (conflicts->started) {
        access->within = OMPI_OSC_UCP_WITHIN_START;
        access->number = conflicts->starts[access->target];
    } else {
        access->within = OMPI_OSC_UCP_WITHIN_FENCES;
    }
}

static void conflicts_called(const ompi_osc_ucp_check_op_t *op, int rc)
{
    conflicts_t          *conflicts = conflicts_of(op->window);
    ompi_osc_ucp_access_t parts[OMPI_OSC_UCP_ACCESS_PARTS];
    ompi_osc_ucp_stamp_t  stamp;
    bool                  kept;
    int                   n, i;

    if (NULL == conflicts || OMPI_SUCCESS != rc || op->target < 0 ||
        __atomic_load_n(&op->window->check->notifies, __ATOMIC_RELAXED)) {
        return;
    }
    ompi_osc_ucp_check_stamp(op->window, op->target, &stamp);
    n = ompi_osc_ucp_access_parts(op, NULL == conflicts->units ? op->window->uniform_disp_unit
                                                               : conflicts->units[op->target], parts);
    ompi_osc_ucp_check_lock(&conflicts->mutex);
    if (NULL == conflicts->issued && n > 0) {
        conflicts->issued = ompi_osc_ucp_issued_new(op->window, records());
    }
    for (i = 0; i < n; i++) {
        parts[i].begin  = op->begin;
        parts[i].finish = UINT64_MAX;
        parts[i].host   = conflicts->host;
        if (stamp.process >= 0) {
            parts[i].stamp = stamp;
        }
        epoch_set(conflicts, &parts[i]);
    }
    if (1 == n) {
        parts[0].print = ompi_osc_ucp_verify_print(op, &parts[0]);
    }
    kept = NULL != conflicts->issued && ompi_osc_ucp_issued_add(conflicts->issued, parts, n, op->request);
    ompi_osc_ucp_check_unlock(&conflicts->mutex);
    if (!kept && n > 0) {
        ompi_osc_ucp_conflicts_hide(op->window, op->target);
    }
}

static void conflicts_done(ompi_osc_ucp_window_t *window, ompi_request_t *request)
{
    conflicts_t *conflicts = conflicts_of(window);

    if (NULL == conflicts) {
        return;
    }
    ompi_osc_ucp_check_lock(&conflicts->mutex);
    if (NULL != conflicts->issued) {
        ompi_osc_ucp_issued_done(conflicts->issued, request, opal_common_ucp_now_ns());
    }
    ompi_osc_ucp_check_unlock(&conflicts->mutex);
}

/* Synchronization. */

/** Operations are complete. Returns how many others can be told of. */
static uint32_t complete(conflicts_t *conflicts, int target, uint64_t now, bool local)
{
    uint32_t ready = 0;

    ompi_osc_ucp_check_lock(&conflicts->mutex);
    if (NULL != conflicts->issued) {
        ompi_osc_ucp_issued_complete(conflicts->issued, target, now, local);
        ready = ompi_osc_ucp_issued_ready(conflicts->issued);
    }
    ompi_osc_ucp_check_unlock(&conflicts->mutex);
    return ready;
}

static void conflicts_synchronizes(const ompi_osc_ucp_check_sync_t *sync)
{
    conflicts_t *conflicts = conflicts_of(sync->window);

    if (NULL == conflicts || MPI_PROC_NULL == sync->target) {
        return;
    }
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_FENCE:
    case OMPI_OSC_UCP_CALLED_COMPLETE:
    case OMPI_OSC_UCP_CALLED_UNLOCK:
    case OMPI_OSC_UCP_CALLED_UNLOCK_ALL:
        if (complete(conflicts, sync->target, sync->begin, false) > 0) {
            tell(conflicts, sync->window);
        }
        break;
    case OMPI_OSC_UCP_CALLED_FLUSH:
    case OMPI_OSC_UCP_CALLED_FLUSH_ALL:
        if (complete(conflicts, sync->target, sync->begin, false) > READY_MAX) {
            tell(conflicts, sync->window);
        }
        break;
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL:
        (void) complete(conflicts, sync->target, sync->begin, true);
        break;
    case OMPI_OSC_UCP_CALLED_POST:
        ompi_osc_ucp_check_lock(&conflicts->mutex);
        drain(conflicts, sync->window);
        ompi_osc_ucp_nostore_look(sync, conflicts->arrived);
        ompi_osc_ucp_check_unlock(&conflicts->mutex);
        break;
    default:
        break;
    }
}

/** Count an epoch of MPI_Win_start. Under the mutex. */
static void started(conflicts_t *conflicts, const ompi_osc_ucp_window_t *window, ompi_group_t *group)
{
    int *ranks = NULL, n = 0, i;

    if (NULL == conflicts->starts) {
        conflicts->starts = calloc((size_t) window->size, sizeof(*conflicts->starts));
    }
    if (NULL != conflicts->starts && OMPI_SUCCESS == ompi_osc_ucp_group_ranks(window, group, &n, &ranks)) {
        conflicts->started = true;
    }
    for (i = 0; i < n; i++) {
        conflicts->starts[ranks[i]]++;
    }
    free(ranks);
}

/** Count an exposure epoch. Under the mutex. */
static void posted(conflicts_t *conflicts, ompi_osc_ucp_window_t *window, ompi_group_t *group)
{
    ompi_osc_ucp_arrived_t *arrived = arrived_of(conflicts, window);
    int                    *ranks   = NULL, n;

    if (NULL != arrived && OMPI_SUCCESS == ompi_osc_ucp_group_ranks(window, group, &n, &ranks)) {
        ompi_osc_ucp_arrived_post(arrived, ranks, n);
    }
    free(ranks);
}

/** A lock was taken. Under the mutex. */
static void locked(conflicts_t *conflicts, const ompi_osc_ucp_window_t *window, int target, int type)
{
    if (NULL == conflicts->locks) {
        conflicts->locks = calloc((size_t) window->size, sizeof(*conflicts->locks));
    }
    if (NULL != conflicts->locks) {
        conflicts->locks[target] = MPI_LOCK_EXCLUSIVE == type ? OMPI_OSC_UCP_WITHIN_EXCLUSIVE
                                                              : OMPI_OSC_UCP_WITHIN_SHARED;
    }
}

/** A fence, or an exposure epoch, has ended: all that came to the own memory is known. Under the mutex. */
static void verify(const conflicts_t *conflicts, const ompi_osc_ucp_check_sync_t *sync)
{
    bool                          fence = OMPI_OSC_UCP_CALLED_FENCE == sync->call;
    const ompi_osc_ucp_verified_t epoch = {
        .window = sync->window, .within = fence ? OMPI_OSC_UCP_WITHIN_FENCES : OMPI_OSC_UCP_WITHIN_START,
        .number = conflicts->fences, .assert = fence ? conflicts->fence.assert : conflicts->post.assert,
        .site   = fence ? conflicts->fence.site : conflicts->post.site
    };

    ompi_osc_ucp_nostore_look(sync, conflicts->arrived);
    if (NULL != conflicts->arrived && 0 == (sync->assert & MPI_MODE_NOPRECEDE)) { /* that completes nothing */
        ompi_osc_ucp_verify(conflicts->arrived, &epoch);
    }
}

/** Count a fence. Under the mutex. */
static void fenced(conflicts_t *conflicts, const ompi_osc_ucp_check_sync_t *sync)
{
    verify(conflicts, sync);
    if (NULL != conflicts->arrived) {
        ompi_osc_ucp_arrived_fence(conflicts->arrived, conflicts->fences);
    }
    conflicts->fences++;
    conflicts->fence.assert = sync->assert;
    conflicts->fence.site   = sync->site;
}

/** Note what epochs there are now. Under the mutex. */
static void epochs_note(conflicts_t *conflicts, const ompi_osc_ucp_check_sync_t *sync)
{
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_FENCE:
        fenced(conflicts, sync);
        break;
    case OMPI_OSC_UCP_CALLED_START:
        started(conflicts, sync->window, sync->group);
        break;
    case OMPI_OSC_UCP_CALLED_COMPLETE:
        conflicts->started = false;
        break;
    case OMPI_OSC_UCP_CALLED_POST:
        posted(conflicts, sync->window, sync->group);
        conflicts->exposed     = true;
        conflicts->post.assert = sync->assert;
        conflicts->post.site   = sync->site;
        break;
    case OMPI_OSC_UCP_CALLED_WAIT:
    case OMPI_OSC_UCP_CALLED_TEST:
        if (OMPI_OSC_UCP_CALLED_WAIT == sync->call || 0 != sync->flag) {
            conflicts->exposed = false;
        }
        if (NULL != conflicts->arrived && (OMPI_OSC_UCP_CALLED_WAIT == sync->call || 0 != sync->flag)) {
            verify(conflicts, sync);
            ompi_osc_ucp_arrived_wait(conflicts->arrived);
        }
        break;
    case OMPI_OSC_UCP_CALLED_LOCK:
        locked(conflicts, sync->window, sync->target, sync->type);
        break;
    case OMPI_OSC_UCP_CALLED_UNLOCK:
        if (NULL != conflicts->locks) {
            conflicts->locks[sync->target] = 0;
        }
        break;
    case OMPI_OSC_UCP_CALLED_LOCK_ALL:
    case OMPI_OSC_UCP_CALLED_UNLOCK_ALL:
        conflicts->all_locked = OMPI_OSC_UCP_CALLED_LOCK_ALL == sync->call;
        break;
    default:
        break;
    }
}

/** Tell in which epochs others may access the own memory now. Under the mutex. */
static void phase_tell(const conflicts_t *conflicts, const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_phase_t phase = { .fences = conflicts->fences };

    if (conflicts->exposed && NULL != conflicts->arrived) {
        phase.exposure = ompi_osc_ucp_arrived_exposure(conflicts->arrived);
    }
    if (conflicts->all_locked) {
        phase.locked = OMPI_OSC_UCP_WITHIN_SHARED;
    } else if (NULL != conflicts->locks) {
        phase.locked = conflicts->locks[window->rank];
    }
    ompi_osc_ucp_loads_phase(window, &phase);
}

/** Has the call taken place? One that ends an epoch may return the error of an operation. It counts all the same, so
 *  that this process numbers its epochs as the others do. */
static bool took_place(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_FENCE:
    case OMPI_OSC_UCP_CALLED_COMPLETE:
    case OMPI_OSC_UCP_CALLED_UNLOCK:
    case OMPI_OSC_UCP_CALLED_UNLOCK_ALL:
        return OMPI_ERR_RMA_SYNC != rc;
    default:
        return OMPI_SUCCESS == rc;
    }
}

static void conflicts_synchronized(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    conflicts_t *conflicts = conflicts_of(sync->window);

    if (NULL == conflicts || MPI_PROC_NULL == sync->target) {
        return;
    }
    if (took_place(sync, rc)) {
        ompi_osc_ucp_check_lock(&conflicts->mutex);
        drain(conflicts, sync->window);
        epochs_note(conflicts, sync);
        phase_tell(conflicts, sync->window);
        ompi_osc_ucp_check_unlock(&conflicts->mutex);
    }
}

/* The life of a window. */

static bool conflicts_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    conflicts_t *conflicts = calloc(1, sizeof(*conflicts));

    if (OMPI_SUCCESS != ompi_osc_ucp_agree(comm, NULL == conflicts ? OMPI_ERROR : OMPI_SUCCESS) ||
        !ompi_osc_ucp_check_units(window, comm, &conflicts->units)) {
        free(conflicts);
        return false;
    }
    pthread_mutex_init(&conflicts->mutex, NULL);
    conflicts->host          = ompi_osc_ucp_check_host();
    window->check->conflicts = conflicts;
    ompi_osc_ucp_across_exposed(window, window->base, (size_t) window->bytes);
    if (window->size > 1) {
        conflicts->log = ompi_osc_ucp_log_new(window, comm, records());
        window->check->log = conflicts->log;
        return NULL != conflicts->log;
    }
    return true;
}

static void conflicts_end(ompi_osc_ucp_window_t *window, bool last)
{
    conflicts_t *conflicts = conflicts_of(window);

    if (NULL == conflicts) {
        return;
    }
    if (!last && NULL != conflicts->log) {
        (void) complete(conflicts, -1, opal_common_ucp_now_ns(), false);
        tell(conflicts, window);
        ompi_osc_ucp_log_settle(conflicts->log);
    }
    ompi_osc_ucp_check_lock(&conflicts->mutex);
    drain(conflicts, window);
    ompi_osc_ucp_check_unlock(&conflicts->mutex);
    window->check->log = NULL;
    if (NULL != conflicts->log) {
        ompi_osc_ucp_log_free(conflicts->log, last);
    }
    ompi_osc_ucp_issued_free(conflicts->issued);
    ompi_osc_ucp_arrived_free(conflicts->arrived);
    pthread_mutex_destroy(&conflicts->mutex);
    free(conflicts->units);
    free(conflicts->starts);
    free(conflicts->locks);
    free(conflicts);
    window->check->conflicts = NULL;
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_conflicts = {
    .begin        = conflicts_begin,
    .end          = conflicts_end,
    .called       = conflicts_called,
    .synchronizes = conflicts_synchronizes,
    .synchronized = conflicts_synchronized,
    .done         = conflicts_done,
    .attached     = ompi_osc_ucp_across_exposed
};
