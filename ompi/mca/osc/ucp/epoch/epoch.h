/* Epochs: the synchronization calls that Open MPI calls, with MPI's own arguments, and what they share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * They return OMPI_SUCCESS, an OMPI_ERR_ code or an MPI error class; the caller raises it at the window.
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

/** Complete all operations to all peers at their targets; the first error that a target reported. */
int ompi_osc_ucp_flush_peers(ompi_osc_ucp_window_t *window);

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

/** At MPI_Finalize a window may be in any epoch: complete its operations, and release what others may wait for. */
void ompi_osc_ucp_epochs_end(ompi_osc_ucp_window_t *window);

/* epoch/barrier.c */

/** The window's own barrier. `last`: the window is about to be freed, getting to know peers better is in vain. */
int ompi_osc_ucp_barrier(ompi_osc_ucp_window_t *window, bool last);

#endif /* OSC_UCP_EPOCH_H */
