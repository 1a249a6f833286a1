/* Own notification counters, and what a window supports.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <stddef.h>
#include <stdint.h>

#include "ext/find.h"
#include "ext/osc_ucp_ext.h"

int osc_ucp_ext_win_set_num_notify(MPI_Win win, MPI_Info info, int num_notifications)
{
    int                           rc;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_find(win, "MPIX_Win_set_num_notify", &rc);

    (void) info; /* its keys promise what nothing here relies on */
    return osc_ucp_ext_outcome(win, NULL == table ? rc : table->set_num(win, num_notifications));
}

int osc_ucp_ext_win_get_num_notify(MPI_Win win, int target_rank, int *num_notifications)
{
    int                           rc;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_find(win, "MPIX_Win_get_num_notify", &rc);

    return osc_ucp_ext_outcome(win, NULL == table ? rc : table->get_num(win, target_rank, num_notifications));
}

int osc_ucp_ext_win_get_notify_value(MPI_Win win, int notification_idx, MPI_Count *value)
{
    static const char             call[] = "MPIX_Win_get_notify_value";
    int                           rc;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_find(win, call, &rc);

    return osc_ucp_ext_outcome(win, NULL == table ? rc : table->value(win, notification_idx, 0, value, call));
}

int osc_ucp_ext_win_reset_notify_value(MPI_Win win, int notification_idx, MPI_Count *value)
{
    static const char             call[] = "MPIX_Win_reset_notify_value";
    int                           rc;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_find(win, call, &rc);

    return osc_ucp_ext_outcome(win, NULL == table ? rc : table->value(win, notification_idx, 1, value, call));
}

int osc_ucp_ext_win_notify_threshold(MPI_Win win, int notification_idx, MPI_Count threshold, MPI_Request *request)
{
    int                           rc;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_find(win, "MPIX_Win_notify_threshold", &rc);

    return osc_ucp_ext_outcome(win,
                               NULL == table ? rc : table->threshold(win, notification_idx, threshold, request));
}

int osc_ucp_ext_win_notify_wait(MPI_Win win, int notification_idx, MPI_Count threshold, MPI_Count *value)
{
    int                           rc;
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_find(win, "MPIX_Win_notify_wait", &rc);

    return osc_ucp_ext_outcome(win, NULL == table ? rc : table->wait(win, notification_idx, threshold, value));
}

int osc_ucp_ext_win_notify_supported(MPI_Win win, int *flag)
{
    *flag = NULL != osc_ucp_ext_table(win);
    return MPI_SUCCESS;
}

int osc_ucp_ext_win_notify_limits(MPI_Win win, int *num_sb, int *num_ub, MPI_Count *value_ub)
{
    const mca_osc_ucp_notified_t *table = osc_ucp_ext_table(win);

    *num_sb   = NULL == table ? 0 : table->room(win);
    *num_ub   = *num_sb;
    *value_ub = NULL == table ? 0 : (MPI_Count) INT64_MAX;
    return MPI_SUCCESS;
}
