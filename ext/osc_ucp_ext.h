/* Notified access of osc/ucp: calls of the draft of MPI 5.1, with MPIX_ for MPI_. See docs/notified.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An operation with notification raises a counter of its target by one, when the target can read its data. They need a
 * window of osc/ucp, and an epoch of MPI_Win_lock or MPI_Win_lock_all. Programs use the MPIX_ names only: the functions
 * behind them have names of their own, because other libraries have other functions of these names.
 */

#ifndef OSC_UCP_EXT_H
#define OSC_UCP_EXT_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Changes when a call does. */
#define OSC_UCP_EXT_VERSION 1

/* Operations with notification: as MPI's, and `notification_idx` names the counter of the target, from 0. */

int osc_ucp_ext_put_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                           MPI_Win win);
int osc_ucp_ext_get_notify(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                           MPI_Win win);
int osc_ucp_ext_accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, int target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win);
int osc_ucp_ext_get_accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                      void *result_addr, int result_count, MPI_Datatype result_datatype,
                                      int target_rank, MPI_Aint target_disp, int target_count,
                                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win);

/* The same with a request, which is complete when the origin's buffers may be used, as MPI's. */

int osc_ucp_ext_rput_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                            MPI_Win win, MPI_Request *request);
int osc_ucp_ext_rget_notify(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                            MPI_Win win, MPI_Request *request);
int osc_ucp_ext_raccumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                   int target_rank, MPI_Aint target_disp, int target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                                   MPI_Request *request);
int osc_ucp_ext_rget_accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                       void *result_addr, int result_count, MPI_Datatype result_datatype,
                                       int target_rank, MPI_Aint target_disp, int target_count,
                                       MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                                       MPI_Request *request);

/* The same for large counts, where MPI has such forms itself: from MPI 4 on. */

#if MPI_VERSION >= 4
#define OSC_UCP_EXT_LARGE_COUNTS 1
int osc_ucp_ext_put_notify_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                             int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                             MPI_Datatype target_datatype, int notification_idx, MPI_Win win);
int osc_ucp_ext_get_notify_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                             MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype,
                             int notification_idx, MPI_Win win);
int osc_ucp_ext_accumulate_notify_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                    int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                    MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win);
int osc_ucp_ext_get_accumulate_notify_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                        void *result_addr, MPI_Count result_count, MPI_Datatype result_datatype,
                                        int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                        MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win);
int osc_ucp_ext_rput_notify_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                              MPI_Datatype target_datatype, int notification_idx, MPI_Win win, MPI_Request *request);
int osc_ucp_ext_rget_notify_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                              int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                              MPI_Datatype target_datatype, int notification_idx, MPI_Win win, MPI_Request *request);
int osc_ucp_ext_raccumulate_notify_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                                     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
                                     MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                                     MPI_Request *request);
int osc_ucp_ext_rget_accumulate_notify_c(const void *origin_addr, MPI_Count origin_count,
                                         MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
                                         MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                         MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                                         int notification_idx, MPI_Win win, MPI_Request *request);
#endif

/** Collective: this process has so many counters from now on, all of them 0. No access epoch is open. Members may have
 *  different numbers. If it fails at one process it fails at all, and changes nothing. */
int osc_ucp_ext_win_set_num_notify(MPI_Win win, MPI_Info info, int num_notifications);

/** How many counters a member has. */
int osc_ucp_ext_win_get_num_notify(MPI_Win win, int target_rank, int *num_notifications);

/** The value of an own counter. Who sees it can read the data of the operations that it counts. */
int osc_ucp_ext_win_get_notify_value(MPI_Win win, int notification_idx, MPI_Count *value);

/** The same, and the counter is 0 then, in one step. */
int osc_ucp_ext_win_reset_notify_value(MPI_Win win, int notification_idx, MPI_Count *value);

/** A request that is complete when an own counter has reached a value. */
int osc_ucp_ext_win_notify_threshold(MPI_Win win, int notification_idx, MPI_Count threshold, MPI_Request *request);

/** MPI_Win_get_attr, which knows these three attributes, too. The draft has them as predefined ones: how many counters
 *  are supported efficiently (int), how many at most (int), and the largest value (MPI_Count). `value` becomes a
 *  pointer to it, for as long as the window is there. All are 0 if the calls cannot be used on this window. */
int osc_ucp_ext_win_get_attr(MPI_Win win, int keyval, void *value, int *flag);
int osc_ucp_ext_keyval_num_sb(void);
int osc_ucp_ext_keyval_num_ub(void);
int osc_ucp_ext_keyval_value_ub(void);

/* Not in the draft. */

/** Wait until an own counter has reached a value. *value is what it has then. */
int osc_ucp_ext_win_notify_wait(MPI_Win win, int notification_idx, MPI_Count threshold, MPI_Count *value);

/** Can the calls be used on this window? */
int osc_ucp_ext_win_notify_supported(MPI_Win win, int *flag);

/** The three attributes in one call, without pointers. */
int osc_ucp_ext_win_notify_limits(MPI_Win win, int *num_sb, int *num_ub, MPI_Count *value_ub);

/** The class (MPI_Error_class) of errors for an index that is negative or not below the target's number of
 *  counters. After MPI_Init. */
int osc_ucp_ext_err_rma_notification(void);

#define MPIX_Put_notify                osc_ucp_ext_put_notify
#define MPIX_Get_notify                osc_ucp_ext_get_notify
#define MPIX_Accumulate_notify         osc_ucp_ext_accumulate_notify
#define MPIX_Get_accumulate_notify     osc_ucp_ext_get_accumulate_notify
#define MPIX_Rput_notify               osc_ucp_ext_rput_notify
#define MPIX_Rget_notify               osc_ucp_ext_rget_notify
#define MPIX_Raccumulate_notify        osc_ucp_ext_raccumulate_notify
#define MPIX_Rget_accumulate_notify    osc_ucp_ext_rget_accumulate_notify
#define MPIX_Put_notify_c              osc_ucp_ext_put_notify_c
#define MPIX_Get_notify_c              osc_ucp_ext_get_notify_c
#define MPIX_Accumulate_notify_c       osc_ucp_ext_accumulate_notify_c
#define MPIX_Get_accumulate_notify_c   osc_ucp_ext_get_accumulate_notify_c
#define MPIX_Rput_notify_c             osc_ucp_ext_rput_notify_c
#define MPIX_Rget_notify_c             osc_ucp_ext_rget_notify_c
#define MPIX_Raccumulate_notify_c      osc_ucp_ext_raccumulate_notify_c
#define MPIX_Rget_accumulate_notify_c  osc_ucp_ext_rget_accumulate_notify_c
#define MPIX_Win_set_num_notify        osc_ucp_ext_win_set_num_notify
#define MPIX_Win_get_num_notify        osc_ucp_ext_win_get_num_notify
#define MPIX_Win_get_notify_value      osc_ucp_ext_win_get_notify_value
#define MPIX_Win_reset_notify_value    osc_ucp_ext_win_reset_notify_value
#define MPIX_Win_notify_threshold      osc_ucp_ext_win_notify_threshold
#define MPIX_Win_notify_wait           osc_ucp_ext_win_notify_wait
#define MPIX_Win_notify_supported      osc_ucp_ext_win_notify_supported
#define MPIX_Win_notify_limits         osc_ucp_ext_win_notify_limits
#define MPIX_Win_get_attr              osc_ucp_ext_win_get_attr
#define MPIX_ERR_RMA_NOTIFICATION      osc_ucp_ext_err_rma_notification()
#define MPIX_WIN_NOTIFICATION_NUM_SB   osc_ucp_ext_keyval_num_sb()
#define MPIX_WIN_NOTIFICATION_NUM_UB   osc_ucp_ext_keyval_num_ub()
#define MPIX_WIN_NOTIFICATION_VALUE_UB osc_ucp_ext_keyval_value_ub()

#ifdef __cplusplus
}
#endif

#endif /* OSC_UCP_EXT_H */
