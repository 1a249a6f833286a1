/* The module: the functions that Open MPI calls for a window, in a table.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "window/stages.h"

#include "call/calls.h"
#include "epoch/epoch.h"

const ompi_osc_base_module_t ompi_osc_ucp_module_template = {
    .osc_win_shared_query = ompi_osc_ucp_shared_query,
    .osc_win_attach       = ompi_osc_ucp_attach,
    .osc_win_detach       = ompi_osc_ucp_detach,
    .osc_free             = ompi_osc_ucp_free,

    .osc_put              = ompi_osc_ucp_put,
    .osc_get              = ompi_osc_ucp_get,
    .osc_accumulate       = ompi_osc_ucp_accumulate,
    .osc_compare_and_swap = ompi_osc_ucp_compare_and_swap,
    .osc_fetch_and_op     = ompi_osc_ucp_fetch_and_op,
    .osc_get_accumulate   = ompi_osc_ucp_get_accumulate,

    .osc_rput             = ompi_osc_ucp_rput,
    .osc_rget             = ompi_osc_ucp_rget,
    .osc_raccumulate      = ompi_osc_ucp_raccumulate,
    .osc_rget_accumulate  = ompi_osc_ucp_rget_accumulate,

    .osc_fence            = ompi_osc_ucp_fence,
    .osc_start            = ompi_osc_ucp_start,
    .osc_complete         = ompi_osc_ucp_complete,
    .osc_post             = ompi_osc_ucp_post,
    .osc_wait             = ompi_osc_ucp_wait,
    .osc_test             = ompi_osc_ucp_test,

    .osc_lock             = ompi_osc_ucp_lock,
    .osc_unlock           = ompi_osc_ucp_unlock,
    .osc_lock_all         = ompi_osc_ucp_lock_all,
    .osc_unlock_all       = ompi_osc_ucp_unlock_all,

    .osc_sync             = ompi_osc_ucp_sync,
    .osc_flush            = ompi_osc_ucp_flush,
    .osc_flush_all        = ompi_osc_ucp_flush_all,
    .osc_flush_local      = ompi_osc_ucp_flush_local,
    .osc_flush_local_all  = ompi_osc_ucp_flush_local_all
};
