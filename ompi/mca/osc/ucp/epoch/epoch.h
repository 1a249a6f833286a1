/* Epochs: the synchronization calls, with MPI's arguments, and the window's barrier.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls return OMPI_SUCCESS, an OMPI_ERR_ code or an MPI error class, which Open MPI raises at the window. They
 * enter the origin side; the other functions run inside.
 */

#ifndef OSC_UCP_EPOCH_H
#define OSC_UCP_EPOCH_H

#include "peer/window.h"

/* epoch/flush.c */

int ompi_osc_ucp_flush(int target, ompi_win_t *win);
int ompi_osc_ucp_flush_all(ompi_win_t *win);
int ompi_osc_ucp_flush_local(int target, ompi_win_t *win);
int ompi_osc_ucp_flush_local_all(ompi_win_t *win);
int ompi_osc_ucp_sync(ompi_win_t *win);

/** Complete all operations on all peers at their targets. Returns the first error. */
int ompi_osc_ucp_flush_peers(ompi_osc_ucp_window_t *window);

/** The outcome of two steps: the first error, if there is one. */
static inline int ompi_osc_ucp_first_error(int rc, int next)
{
    return OMPI_SUCCESS == rc ? next : rc;
}

/* epoch/fence.c, epoch/pscw.c, epoch/lock.c */

int ompi_osc_ucp_fence(int assert, ompi_win_t *win);
int ompi_osc_ucp_start(ompi_group_t *group, int assert, ompi_win_t *win);
int ompi_osc_ucp_complete(ompi_win_t *win);
int ompi_osc_ucp_post(ompi_group_t *group, int assert, ompi_win_t *win);
int ompi_osc_ucp_wait(ompi_win_t *win);
int ompi_osc_ucp_test(ompi_win_t *win, int *flag);
int ompi_osc_ucp_lock(int lock_type, int target, int assert, ompi_win_t *win);
int ompi_osc_ucp_unlock(int target, ompi_win_t *win);
int ompi_osc_ucp_lock_all(int assert, ompi_win_t *win);
int ompi_osc_ucp_unlock_all(ompi_win_t *win);

/** The members of `group` as ranks of the window, malloc'd; NULL if the group is empty. MPI_ERR_GROUP: not a subset. */
int ompi_osc_ucp_group_ranks(const ompi_osc_ucp_window_t *window, ompi_group_t *group, int *n_p, int **ranks_p);

/** End the window's epochs at MPI_Finalize: complete its operations, and release its locks. */
void ompi_osc_ucp_epochs_end(ompi_osc_ucp_window_t *window);

/* epoch/barrier.c */

/** The window's own barrier. `last`: the window is freed afterwards, so peers are not asked for descriptions. */
int ompi_osc_ucp_barrier(ompi_osc_ucp_window_t *window, bool last);

/** The same, as an agreement. *veto_p: has this process failed? Then: has any? */
int ompi_osc_ucp_barrier_agree(ompi_osc_ucp_window_t *window, bool *veto_p);

/** What a process does in a round of the barrier: first it sends a notice, then it waits for one. Ranks; -1: nobody. */
typedef struct ompi_osc_ucp_barrier_step_t {
    int to, from;
} ompi_osc_ucp_barrier_step_t;

/** The step of that round; false if there are fewer rounds. */
bool ompi_osc_ucp_barrier_step(const ompi_osc_ucp_window_t *window, int round, ompi_osc_ucp_barrier_step_t *step);

#endif /* OSC_UCP_EPOCH_H */
