/* Operations with notification: MPI's own, between a check and the notification.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI checks the arguments that it knows, and raises their errors itself.
 */

#include <stddef.h>

#include "ext/find.h"
#include "ext/osc_ucp_ext.h"

/** An operation that begins. */
typedef struct operation_t {
    const mca_osc_ucp_notified_t *table;
    const char                   *call;
    MPI_Win                       win;
    int                           target, index;
} operation_t;

/** Check what MPI does not: the window, the epoch and the index. Raises the error. */
static inline int begin(operation_t *operation, MPI_Win win, int target, int index, const char *call)
{
    int rc;

    *operation = (operation_t) { .call = call, .win = win, .target = target, .index = index };
    operation->table = osc_ucp_ext_find(win, call, &rc);
    if (NULL != operation->table) {
        rc = MPI_PROC_NULL != target ? operation->table->check(win, target, index, call)
                                     : index < 0 ? MCA_OSC_UCP_NOTIFIED_INDEX : MPI_SUCCESS;
    }
    return MPI_SUCCESS == rc ? rc : osc_ucp_ext_outcome(win, rc);
}

/** MPI's function has returned `rc`. If that is no error, notify. */
static inline int end(const operation_t *operation, int rc)
{
    if (MPI_SUCCESS != rc || MPI_PROC_NULL == operation->target) {
        return rc;
    }
    rc = operation->table->raise(operation->win, operation->target, operation->index, operation->call);
    return MPI_SUCCESS == rc ? rc : osc_ucp_ext_outcome(operation->win, rc);
}

/** The same, with a request: a call that fails leaves none. */
static int end_request(const operation_t *operation, int rc, MPI_Request *request)
{
    if (MPI_SUCCESS != rc) {
        return rc;
    }
    rc = end(operation, rc);
    if (MPI_SUCCESS != rc && MPI_REQUEST_NULL != *request) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        *request = MPI_REQUEST_NULL;
    }
    return rc;
}

int osc_ucp_ext_put_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                           MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Put_notify");

    return MPI_SUCCESS != rc ? rc : end(&operation, MPI_Put(origin_addr, origin_count, origin_datatype, target_rank,
                                                            target_disp, target_count, target_datatype, win));
}

int osc_ucp_ext_get_notify(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                           MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                           MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Get_notify");

    return MPI_SUCCESS != rc ? rc : end(&operation, MPI_Get(origin_addr, origin_count, origin_datatype, target_rank,
                                                            target_disp, target_count, target_datatype, win));
}

int osc_ucp_ext_accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, int target_count,
                                  MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Accumulate_notify");

    return MPI_SUCCESS != rc ? rc : end(&operation, MPI_Accumulate(origin_addr, origin_count, origin_datatype,
                                                                   target_rank, target_disp, target_count,
                                                                   target_datatype, op, win));
}

int osc_ucp_ext_get_accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                      void *result_addr, int result_count, MPI_Datatype result_datatype,
                                      int target_rank, MPI_Aint target_disp, int target_count,
                                      MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Get_accumulate_notify");

    return MPI_SUCCESS != rc ? rc : end(&operation, MPI_Get_accumulate(origin_addr, origin_count, origin_datatype,
                                                                       result_addr, result_count, result_datatype,
                                                                       target_rank, target_disp, target_count,
                                                                       target_datatype, op, win));
}

int osc_ucp_ext_rput_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                            MPI_Win win, MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Rput_notify");

    if (MPI_SUCCESS == rc) {
        rc = MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                      target_datatype, win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}

int osc_ucp_ext_rget_notify(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
                            MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, int notification_idx,
                            MPI_Win win, MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Rget_notify");

    if (MPI_SUCCESS == rc) {
        rc = MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                      target_datatype, win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}

int osc_ucp_ext_raccumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                   int target_rank, MPI_Aint target_disp, int target_count,
                                   MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                                   MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Raccumulate_notify");

    if (MPI_SUCCESS == rc) {
        rc = MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                             target_datatype, op, win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}

int osc_ucp_ext_rget_accumulate_notify(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
                                       void *result_addr, int result_count, MPI_Datatype result_datatype,
                                       int target_rank, MPI_Aint target_disp, int target_count,
                                       MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                                       MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, "MPIX_Rget_accumulate_notify");

    if (MPI_SUCCESS == rc) {
        rc = MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                                 result_datatype, target_rank, target_disp, target_count, target_datatype, op, win,
                                 request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}
