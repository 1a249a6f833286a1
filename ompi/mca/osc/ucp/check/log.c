/* Rings of accesses, in a window of the checker's own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/** A ring. Positions count all accesses since the beginning. */
typedef struct ring_t {
    uint64_t              tail;  /**< appended; by the holder of the lock; atomic */
    uint64_t              head;  /**< taken; by the owner; atomic */
    uint64_t              lost;  /**< 1: some found no room; by the holder of the lock; atomic */
    uint64_t              hidden; /**< 1: some are not told; by the holder of the lock; atomic */
    char                  pad[32];
    ompi_osc_ucp_access_t at[];  /**< by position modulo size */
} ring_t;

#define HEADER (2 * sizeof(uint64_t)) /**< what an origin reads */

struct ompi_osc_ucp_log_t {
    ompi_win_t      *win;
    ring_t          *own;
    uint32_t         size;
    pthread_mutex_t  mutex; /**< of those who append, for what follows */
    bool             failed;
    uint64_t         tail, head, full; /**< of the ring that is appended to, until it is unlocked */
};

ompi_osc_ucp_log_t *ompi_osc_ucp_log_new(const ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, uint32_t size)
{
    ompi_osc_ucp_log_t *log  = calloc(1, sizeof(*log));
    void               *base = NULL;
    ompi_win_t         *win;
    bool                good;

    win  = ompi_osc_ucp_check_window(comm, sizeof(ring_t) + size * sizeof(ompi_osc_ucp_access_t), sizeof(ring_t),
                                     &base);
    good = NULL != win && NULL != log && window->super.osc_free == win->w_osc_module->osc_free;
    if (OMPI_SUCCESS != ompi_osc_ucp_agree(comm, good ? OMPI_SUCCESS : OMPI_ERROR)) {
        if (NULL != win) {
            ompi_win_free(win);
        }
        free(log);
        return NULL;
    }
    log->win  = win;
    log->own  = base;
    log->size = size;
    pthread_mutex_init(&log->mutex, NULL);
    return log;
}

/** Put accesses into the ring of `target`, behind `tail`, and flush. */
static int ring_put(const ompi_osc_ucp_log_t *log, int target, uint64_t tail, const ompi_osc_ucp_access_t *accesses,
                    uint32_t n)
{
    const ompi_osc_base_module_t *module = log->win->w_osc_module;
    ompi_datatype_t              *bytes  = &ompi_mpi_byte.dt;
    uint32_t                      done, part, at;
    size_t                        len;
    int                           rc = OMPI_SUCCESS;

    for (done = 0; OMPI_SUCCESS == rc && done < n; done += part) {
        at   = (uint32_t) ((tail + done) % log->size);
        part = log->size - at < n - done ? log->size - at : n - done;
        len  = part * sizeof(*accesses);
        rc   = module->osc_put(accesses + done, (ompi_osc_ucp_count_t) len, bytes, target,
                               (ptrdiff_t) (offsetof(ring_t, at) + at * sizeof(*accesses)), (ompi_osc_ucp_count_t) len,
                               bytes, log->win);
    }
    return OMPI_SUCCESS == rc ? module->osc_flush(target, log->win) : rc;
}

/** Append under the lock of the ring. Buffers are the log's, as the unlock completes the operations. */
static int append_locked(ompi_osc_ucp_log_t *log, int target, const ompi_osc_ucp_access_t *accesses, uint32_t n)
{
    const ompi_osc_base_module_t *module = log->win->w_osc_module;
    ompi_datatype_t              *number = &ompi_mpi_uint64_t.dt;
    uint32_t                      room;
    int                           rc;

    rc = module->osc_get(&log->tail, HEADER, &ompi_mpi_byte.dt, target, 0, HEADER, &ompi_mpi_byte.dt, log->win);
    rc = OMPI_SUCCESS == rc ? module->osc_flush(target, log->win) : rc;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    room = log->tail - log->head < log->size ? log->size - (uint32_t) (log->tail - log->head) : 0;
    if (n > room) {
        n         = room;
        log->full = 1;
        rc        = module->osc_accumulate(&log->full, 1, number, target, offsetof(ring_t, lost), 1, number,
                                           &ompi_mpi_op_replace.op, log->win);
    }
    if (OMPI_SUCCESS == rc && n > 0) {
        rc         = ring_put(log, target, log->tail, accesses, n);
        log->tail += n;
    }
    if (OMPI_SUCCESS == rc) {
        rc = module->osc_accumulate(&log->tail, 1, number, target, offsetof(ring_t, tail), 1, number,
                                    &ompi_mpi_op_replace.op, log->win);
    }
    return rc;
}

void ompi_osc_ucp_log_append(ompi_osc_ucp_log_t *log, int target, const ompi_osc_ucp_access_t *accesses, uint32_t n)
{
    const ompi_osc_base_module_t *module = log->win->w_osc_module;
    int                           rc     = OMPI_SUCCESS, ended;

    pthread_mutex_lock(&log->mutex);
    if (!log->failed) {
        rc = module->osc_lock(MPI_LOCK_EXCLUSIVE, target, 0, log->win);
        if (OMPI_SUCCESS == rc) {
            rc    = append_locked(log, target, accesses, n);
            ended = module->osc_unlock(target, log->win);
            rc    = OMPI_SUCCESS == rc ? ended : rc;
        }
        log->failed = OMPI_SUCCESS != rc;
    }
    pthread_mutex_unlock(&log->mutex);
    if (OMPI_SUCCESS != rc) {
        ompi_osc_ucp_check_leaves("osc/ucp: check: operations cannot be told to the target, which compares them");
    }
}

void ompi_osc_ucp_log_hide(ompi_osc_ucp_log_t *log, int target)
{
    const ompi_osc_base_module_t *module = log->win->w_osc_module;
    ompi_datatype_t              *number = &ompi_mpi_uint64_t.dt;

    pthread_mutex_lock(&log->mutex);
    log->full = 1;
    if (!log->failed && OMPI_SUCCESS == module->osc_lock(MPI_LOCK_EXCLUSIVE, target, 0, log->win)) {
        (void) module->osc_accumulate(&log->full, 1, number, target, offsetof(ring_t, hidden), 1, number,
                                      &ompi_mpi_op_replace.op, log->win);
        (void) module->osc_unlock(target, log->win);
    }
    pthread_mutex_unlock(&log->mutex);
}

bool ompi_osc_ucp_log_whole(const ompi_osc_ucp_log_t *log)
{
    return 0 == __atomic_load_n(&log->own->lost, __ATOMIC_ACQUIRE) &&
           0 == __atomic_load_n(&log->own->hidden, __ATOMIC_ACQUIRE);
}

uint32_t ompi_osc_ucp_log_take(ompi_osc_ucp_log_t *log, ompi_osc_ucp_access_t *accesses, uint32_t max)
{
    uint64_t tail = __atomic_load_n(&log->own->tail, __ATOMIC_ACQUIRE), head = log->own->head;
    uint32_t n    = 0;

    for (; head != tail && n < max; head++) {
        ompi_osc_ucp_access_copy(&accesses[n++], &log->own->at[head % log->size]);
    }
    if (n > 0) {
        __atomic_store_n(&log->own->head, head, __ATOMIC_RELEASE);
    }
    if (0 != __atomic_load_n(&log->own->lost, __ATOMIC_RELAXED)) {
        ompi_osc_ucp_check_leaves("osc/ucp: check: there were more operations than osc_ucp_check_records, so that some "
                                  "are not compared");
    }
    return n;
}

void ompi_osc_ucp_log_settle(ompi_osc_ucp_log_t *log)
{
    (void) log->win->w_osc_module->osc_fence(MPI_MODE_NOSUCCEED, log->win);
}

void ompi_osc_ucp_log_free(ompi_osc_ucp_log_t *log, bool last)
{
    if (!last) {
        (void) ompi_win_free(log->win);
    }
    pthread_mutex_destroy(&log->mutex);
    free(log);
}
