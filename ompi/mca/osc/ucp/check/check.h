/* The checker (osc_ucp_check): its layer sees each call of the program and tells the checker's parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A part is a table of functions, named in check/layer.c. Those that are NULL are not called. All are called outside
 * the origin side, by the thread that made the call, so a part that keeps something takes its own lock.
 */

#ifndef OSC_UCP_CHECK_H
#define OSC_UCP_CHECK_H

#include <pthread.h>

#include "base/record.h"
#include "base/threads.h"
#include "check/site.h"
#include "peer/window.h"

/** What the parts keep for a window; each part owns its field. */
typedef struct ompi_osc_ucp_check_t {
    struct ompi_osc_ucp_conflicts_t *conflicts; /**< check/conflicts.c */
    struct ompi_osc_ucp_misuse_t    *misuse;    /**< check/misuse.c */
    struct ompi_osc_ucp_log_t       *log;       /**< check/conflicts.c; NULL: no other process compares anything */
    struct ompi_osc_ucp_clocks_t    *clocks;    /**< check/clocks.c */
    struct ompi_osc_ucp_epochs_t    *epochs;    /**< check/epochs.c */
    struct ompi_osc_ucp_nostore_t   *nostore;   /**< check/nostore.c */
    bool                             notifies;  /**< this process has called an operation with notification; atomic */
} ompi_osc_ucp_check_t;

/** A buffer of a communication call. */
typedef struct ompi_osc_ucp_check_buffer_t {
    const void      *at;
    size_t           count;
    ompi_datatype_t *type; /**< NULL: the call has no such buffer */
} ompi_osc_ucp_check_buffer_t;

/** A communication call, with the program's arguments. They are not checked before it. */
typedef struct ompi_osc_ucp_check_op_t {
    ompi_osc_ucp_window_t      *window;
    ompi_osc_ucp_called_t       call;
    ompi_osc_ucp_site_t         site;
    ompi_osc_ucp_check_buffer_t origin;  /**< that the call reads; of put and accumulates */
    ompi_osc_ucp_check_buffer_t compare; /**< of MPI_Compare_and_swap */
    ompi_osc_ucp_check_buffer_t result;  /**< that the call writes */
    int                         target;
    ptrdiff_t                   disp;
    size_t                      count;   /**< at the target */
    ompi_datatype_t            *type;    /**< at the target */
    ompi_op_t                  *op;      /**< NULL: none, and of MPI_Compare_and_swap */
    uint64_t                    begin;   /**< when the call began, CLOCK_MONOTONIC, nanoseconds */
    ompi_request_t             *request; /**< of a successful R call, once it is made; else NULL. An R call that has
                                          *   succeeded without one (memory is short) counts as complete */
} ompi_osc_ucp_check_op_t;

/** A synchronization call. */
typedef struct ompi_osc_ucp_check_sync_t {
    ompi_osc_ucp_window_t *window;
    ompi_osc_ucp_called_t  call;   /**< of a test that does not end the epoch: CALLED_TEST, with `flag` 0 */
    ompi_osc_ucp_site_t    site;
    int                    target; /**< rank, MPI_PROC_NULL; -1: all, or none in particular */
    int                    assert;
    int                    type;   /**< MPI_LOCK_, of MPI_Win_lock and _lock_all */
    ompi_group_t          *group;  /**< of MPI_Win_post and MPI_Win_start; else NULL */
    uint64_t               begin;  /**< when the call began */
    int                    flag;   /**< of MPI_Win_test, once it has returned */
} ompi_osc_ucp_check_sync_t;

/** A part of the checker. */
typedef struct ompi_osc_ucp_check_part_t {
    /** The window has been made. Collective; `window->check` is there. False: memory is short here. Then the window is
     *  not checked by this part at this process, which may still have to take part in what others do. */
    bool (*begin)(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm);

    /** The window is freed, and all processes have come to that. Collective. `last`: MPI_Finalize frees it, then no
     *  call of a window may be made. */
    void (*end)(ompi_osc_ucp_window_t *window, bool last);

    /** Before and after a communication call. */
    void (*calls)(const ompi_osc_ucp_check_op_t *op);
    void (*called)(const ompi_osc_ucp_check_op_t *op, int rc);

    /** Before and after a synchronization call; MPI_Win_free is not among them. */
    void (*synchronizes)(const ompi_osc_ucp_check_sync_t *sync);
    void (*synchronized)(const ompi_osc_ucp_check_sync_t *sync, int rc);

    /** The operation of an R call is complete here, and the program can know it from now on: by MPI_Wait, MPI_Test or
     *  the like. In the callback of opal_progress. */
    void (*done)(ompi_osc_ucp_window_t *window, ompi_request_t *request);

    /** After a call of MPI_Win_attach, before one of MPI_Win_detach. */
    void (*attached)(ompi_osc_ucp_window_t *window, void *base, size_t size);
    void (*detaches)(ompi_osc_ucp_window_t *window, const void *base);
} ompi_osc_ucp_check_part_t;

/** Check a window from now on, unless it is one of the checker's own. Collective, outside the origin side. */
void ompi_osc_ucp_check_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm);

/** End the check of a window that is freed. Collective, outside the origin side. `last`: MPI_Finalize frees it. */
void ompi_osc_ucp_check_end(ompi_osc_ucp_window_t *window, bool last);

/** Take a mutex that only calls of MPI take, so only if several threads may be inside MPI: most programs have one, and
 *  an uncontended mutex for each operation would cost as much as the operation. */
static inline void ompi_osc_ucp_check_lock(pthread_mutex_t *mutex)
{
    if (ompi_osc_ucp_threaded()) {
        pthread_mutex_lock(mutex);
    }
}

static inline void ompi_osc_ucp_check_unlock(pthread_mutex_t *mutex)
{
    if (ompi_osc_ucp_threaded()) {
        pthread_mutex_unlock(mutex);
    }
}

/* check/host.c */

/** A number for those processes whose CLOCK_MONOTONIC is the same. */
uint64_t ompi_osc_ucp_check_host(void);

/** Learn all displacement units, if they differ: malloc'd, by rank; NULL: they do not. Collective. False: memory is
 *  short. */
bool ompi_osc_ucp_check_units(const ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int64_t **units_p);

/* check/window.c */

/** Does this thread make a window of the checker's own, which is not checked? */
bool ompi_osc_ucp_check_makes_own(void);

/** Make a window that is not checked, with `bytes` at each process, the first `zeros` of which are zeros. Collective.
 *  NULL: there is none, here and at all processes. *base_p is the own memory. */
ompi_win_t *ompi_osc_ucp_check_window(ompi_communicator_t *comm, size_t bytes, size_t zeros, void **base_p);

#endif /* OSC_UCP_CHECK_H */
