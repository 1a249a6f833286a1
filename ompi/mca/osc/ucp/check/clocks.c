/* What the calls of a checked window say about the order of processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * There are two parts: the first one before the conflicts are looked for, which hears what orders the operations that a
 * call ends; the last one behind that, which hears what these operations have read.
 */

#include "check/order.h"

#include <stdlib.h>

#include "base/threads.h"
#include "peer/peer.h"

/** What the clocks keep for a window. Each entry belongs to a rank. Concurrent calls may miss an entry that another
 *  thread writes in the same call, which no correct program uses. */
typedef struct ompi_osc_ucp_clocks_t {
    ompi_group_t *started; /**< of MPI_Win_start; NULL: none */
    ompi_group_t *posted;
    int          *process; /**< malloc'd, as the next ones */
    bool         *exclusive; /**< the own lock is */
    bool         *fetched;   /**< an operation has read there whose result may not be known yet */
} clocks_t;

static ompi_osc_ucp_clock_t *const clock_own = &ompi_osc_ucp_check_clock;

static _Thread_local uint32_t step;

uint32_t ompi_osc_ucp_check_step(void)
{
    return step;
}

static clocks_t *clocks_of(const ompi_osc_ucp_window_t *window)
{
    return NULL == window->check ? NULL : window->check->clocks;
}

static void clocks_free(clocks_t *clocks)
{
    free(clocks->process);
    free(clocks->exclusive);
    free(clocks->fetched);
    free(clocks);
}

static bool begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    clocks_t *clocks = calloc(1, sizeof(*clocks));
    size_t    n      = (size_t) window->size;
    int       rank;

    (void) comm;
    ompi_osc_ucp_check_order_begin(window->win);
    if (NULL == clocks || NULL == (clocks->process = calloc(n, sizeof(*clocks->process))) ||
        NULL == (clocks->exclusive = calloc(n, sizeof(*clocks->exclusive))) ||
        NULL == (clocks->fetched = calloc(n, sizeof(*clocks->fetched)))) {
        if (NULL != clocks) {
            clocks_free(clocks);
        }
        ompi_osc_ucp_clock_off(clock_own);
        return false;
    }
    for (rank = 0; rank < window->size; rank++) {
        clocks->process[rank] = ompi_osc_ucp_check_process(window->group, rank);
    }
    window->check->clocks = clocks;
    return true;
}

/** Keep a group; NULL: none. */
static void group_keep(ompi_group_t **kept, ompi_group_t *group)
{
    if (NULL != *kept) {
        OBJ_RELEASE(*kept);
    }
    if (NULL != group) {
        OBJ_RETAIN(group);
    }
    *kept = group;
}

static void end(ompi_osc_ucp_window_t *window, bool last)
{
    clocks_t *clocks = clocks_of(window);

    (void) last;
    if (NULL != clocks) {
        window->check->clocks = NULL;
        group_keep(&clocks->started, NULL);
        group_keep(&clocks->posted, NULL);
        clocks_free(clocks);
    }
}

static bool is_rank(const ompi_osc_ucp_window_t *window, int target)
{
    return target >= 0 && target < window->size;
}

/** Before an operation: others may see at once that it was called, if it writes. */
static void calls(const ompi_osc_ucp_check_op_t *op)
{
    clocks_t *clocks = clocks_of(op->window);
    bool      reads  = NULL != op->result.type;
    bool      writes = (NULL != op->origin.type || NULL != op->compare.type) && &ompi_mpi_op_no_op.op != op->op;

    if (NULL == clocks || !is_rank(op->window, op->target)) {
        return;
    }
    if (writes) {
        ompi_osc_ucp_clock_write(clock_own, clocks->process[op->target]);
    }
    if (reads) {
        clocks->fetched[op->target] = true;
    }
}

static void group_hear(ompi_group_t *group)
{
    int rank;

    for (rank = 0; NULL != group && rank < ompi_group_size(group); rank++) {
        ompi_osc_ucp_clock_hear(clock_own, ompi_osc_ucp_check_process(group, rank));
    }
}

/** For a call's target, or for all ranks if it is negative. MPI_PROC_NULL is none. */
static void each(const ompi_osc_ucp_window_t *window, int target, void (*do_it)(clocks_t *clocks, int rank))
{
    clocks_t *clocks = clocks_of(window);
    int       rank;

    if (is_rank(window, target)) {
        do_it(clocks, target);
    }
    for (rank = 0; -1 == target && rank < window->size; rank++) {
        do_it(clocks, rank);
    }
}

static void unlock(clocks_t *clocks, int rank)
{
    ompi_osc_ucp_clock_unlock(clock_own, clocks->process[rank], clocks->exclusive[rank]);
}

/** The lock has been granted by now. */
static void locked(clocks_t *clocks, int rank)
{
    ompi_osc_ucp_clock_lock(clock_own, clocks->process[rank], clocks->exclusive[rank]);
}

static void result_read(clocks_t *clocks, int rank)
{
    if (clocks->fetched[rank]) {
        clocks->fetched[rank] = false;
        ompi_osc_ucp_clock_read(clock_own, clocks->process[rank]);
    }
}

/** Is it sure that the target's lock is there? The first operation may have asked for it. A lock that is asked for by
 *  message may be granted later. */
static bool granted(ompi_osc_ucp_window_t *window, int target)
{
    const ompi_osc_ucp_peer_t *peer;
    bool                       there;

    ompi_osc_ucp_enter();
    peer  = ompi_osc_ucp_peer_find(window, target);
    there = NULL != peer && NULL != peer->control && OMPI_OSC_UCP_UNLOCKED != peer->lock;
    ompi_osc_ucp_leave();
    return there;
}

void ompi_osc_ucp_check_stamp(ompi_osc_ucp_window_t *window, int target, ompi_osc_ucp_stamp_t *stamp)
{
    clocks_t *clocks = clocks_of(window);
    bool      active = OMPI_OSC_UCP_EPOCH_FENCE == window->epoch || OMPI_OSC_UCP_EPOCH_START == window->epoch;

    if (NULL != clocks && active) {
        ompi_osc_ucp_clock_stamp(clock_own, stamp);
    } else if (NULL != clocks && ompi_osc_ucp_clock_on(clock_own) && granted(window, target)) {
        locked(clocks, target);
        ompi_osc_ucp_clock_stamp(clock_own, stamp);
    } else {
        stamp->process = -1; /* the operation may be behind another process's epoch that we do not know yet */
    }
}

/** Before the call. */
static void synchronizes(const ompi_osc_ucp_check_sync_t *sync)
{
    if (NULL == clocks_of(sync->window)) {
        return;
    }
    step = ompi_osc_ucp_clock_step(clock_own);
    if (OMPI_OSC_UCP_CALLED_UNLOCK == sync->call || OMPI_OSC_UCP_CALLED_UNLOCK_ALL == sync->call) {
        each(sync->window, sync->target, unlock);
    } else if (OMPI_OSC_UCP_CALLED_FENCE == sync->call || OMPI_OSC_UCP_CALLED_POST == sync->call ||
               OMPI_OSC_UCP_CALLED_COMPLETE == sync->call) {
        ompi_osc_ucp_clock_tell(clock_own);
    }
}

/** After the call, before anything is compared: what came before the operations that it ends? */
static void synchronized(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    clocks_t *clocks = clocks_of(sync->window);

    if (NULL == clocks) {
        return;
    }
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_clock_hear(clock_own, OMPI_OSC_UCP_CLOCK_ALL);
        return;
    }
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_FENCE:
        group_hear(sync->window->group);
        break;
    case OMPI_OSC_UCP_CALLED_POST:
        group_keep(&clocks->posted, sync->group);
        break;
    case OMPI_OSC_UCP_CALLED_START:
        group_keep(&clocks->started, sync->group);
        group_hear(sync->group);
        break;
    case OMPI_OSC_UCP_CALLED_COMPLETE:
        group_hear(clocks->started); /* only now is it sure that the targets have posted */
        break;
    case OMPI_OSC_UCP_CALLED_WAIT:
        group_hear(clocks->posted);
        break;
    case OMPI_OSC_UCP_CALLED_TEST:
        group_hear(0 != sync->flag ? clocks->posted : NULL);
        break;
    case OMPI_OSC_UCP_CALLED_LOCK:
        if (is_rank(sync->window, sync->target)) {
            clocks->exclusive[sync->target] = MPI_LOCK_EXCLUSIVE == sync->type;
        }
        each(sync->window, sync->target, locked);
        break;
    default:
        each(sync->window, sync->target, locked);
        break;
    }
}

/** After the call, and after all was compared. Results of operations that ended are known. */
static void synchronized_last(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    (void) rc;
    if (NULL == clocks_of(sync->window)) {
        return;
    }
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_COMPLETE:
    case OMPI_OSC_UCP_CALLED_FENCE:
    case OMPI_OSC_UCP_CALLED_FLUSH:
    case OMPI_OSC_UCP_CALLED_FLUSH_ALL:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL:
    case OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL:
    case OMPI_OSC_UCP_CALLED_UNLOCK:
    case OMPI_OSC_UCP_CALLED_UNLOCK_ALL:
        each(sync->window, sync->target, result_read);
        break;
    default:
        break;
    }
    if (OMPI_OSC_UCP_CALLED_UNLOCK == sync->call && is_rank(sync->window, sync->target)) {
        clocks_of(sync->window)->exclusive[sync->target] = false;
    }
}

static void done(ompi_osc_ucp_window_t *window, ompi_request_t *request)
{
    (void) request;
    if (NULL != clocks_of(window)) {
        step = ompi_osc_ucp_clock_step(clock_own);
    }
}

/** A request may be that of any target. */
static void read_again(clocks_t *clocks, int rank)
{
    if (clocks->fetched[rank]) {
        ompi_osc_ucp_clock_read(clock_own, clocks->process[rank]);
    }
}

static void done_last(ompi_osc_ucp_window_t *window, ompi_request_t *request)
{
    (void) request;
    if (NULL != clocks_of(window)) {
        each(window, -1, read_again);
    }
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_clocks = {
    .begin        = begin,
    .end          = NULL,
    .calls        = calls,
    .synchronizes = synchronizes,
    .synchronized = synchronized,
    .done         = done
};

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_clocks_last = {
    .end          = end,
    .synchronized = synchronized_last,
    .done         = done_last
};
