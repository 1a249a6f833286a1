/* The operations with notification. operations.c includes this for each type of counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

int FORM(osc_ucp_ext_put_notify)(const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
                                 int target_rank, MPI_Aint target_disp, COUNT target_count,
                                 MPI_Datatype target_datatype, int notification_idx, MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Put_notify"));

    return MPI_SUCCESS != rc ? rc : end(&operation, FORM(MPI_Put)(origin_addr, origin_count, origin_datatype,
                                                                  target_rank, target_disp, target_count,
                                                                  target_datatype, win));
}

int FORM(osc_ucp_ext_get_notify)(void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype, int target_rank,
                                 MPI_Aint target_disp, COUNT target_count, MPI_Datatype target_datatype,
                                 int notification_idx, MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Get_notify"));

    return MPI_SUCCESS != rc ? rc : end(&operation, FORM(MPI_Get)(origin_addr, origin_count, origin_datatype,
                                                                  target_rank, target_disp, target_count,
                                                                  target_datatype, win));
}

int FORM(osc_ucp_ext_accumulate_notify)(const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
                                        int target_rank, MPI_Aint target_disp, COUNT target_count,
                                        MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Accumulate_notify"));

    return MPI_SUCCESS != rc ? rc : end(&operation, FORM(MPI_Accumulate)(origin_addr, origin_count, origin_datatype,
                                                                         target_rank, target_disp, target_count,
                                                                         target_datatype, op, win));
}

int FORM(osc_ucp_ext_get_accumulate_notify)(const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
                                            void *result_addr, COUNT result_count, MPI_Datatype result_datatype,
                                            int target_rank, MPI_Aint target_disp, COUNT target_count,
                                            MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Get_accumulate_notify"));

    return MPI_SUCCESS != rc ? rc : end(&operation, FORM(MPI_Get_accumulate)(origin_addr, origin_count,
                                                                             origin_datatype, result_addr,
                                                                             result_count, result_datatype,
                                                                             target_rank, target_disp, target_count,
                                                                             target_datatype, op, win));
}

int FORM(osc_ucp_ext_rput_notify)(const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, COUNT target_count,
                                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win, MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Rput_notify"));

    if (MPI_SUCCESS == rc) {
        rc = FORM(MPI_Rput)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                            target_datatype, win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}

int FORM(osc_ucp_ext_rget_notify)(void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
                                  int target_rank, MPI_Aint target_disp, COUNT target_count,
                                  MPI_Datatype target_datatype, int notification_idx, MPI_Win win, MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Rget_notify"));

    if (MPI_SUCCESS == rc) {
        rc = FORM(MPI_Rget)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                            target_datatype, win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}

int FORM(osc_ucp_ext_raccumulate_notify)(const void *origin_addr, COUNT origin_count, MPI_Datatype origin_datatype,
                                         int target_rank, MPI_Aint target_disp, COUNT target_count,
                                         MPI_Datatype target_datatype, MPI_Op op, int notification_idx, MPI_Win win,
                                         MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Raccumulate_notify"));

    if (MPI_SUCCESS == rc) {
        rc = FORM(MPI_Raccumulate)(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
                                   target_datatype, op, win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}

int FORM(osc_ucp_ext_rget_accumulate_notify)(const void *origin_addr, COUNT origin_count,
                                             MPI_Datatype origin_datatype, void *result_addr, COUNT result_count,
                                             MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
                                             COUNT target_count, MPI_Datatype target_datatype, MPI_Op op,
                                             int notification_idx, MPI_Win win, MPI_Request *request)
{
    operation_t operation;
    int         rc = begin(&operation, win, target_rank, notification_idx, CALL("MPIX_Rget_accumulate_notify"));

    if (MPI_SUCCESS == rc) {
        rc = FORM(MPI_Rget_accumulate)(origin_addr, origin_count, origin_datatype, result_addr, result_count,
                                       result_datatype, target_rank, target_disp, target_count, target_datatype, op,
                                       win, request);
        rc = end_request(&operation, rc, request);
    }
    return rc;
}
