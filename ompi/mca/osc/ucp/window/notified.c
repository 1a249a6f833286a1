/* The table of functions for notified access that the library libosc_ucp_ext finds (docs/notified.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "call/notified.h"
#include "check/order.h"
#include "epoch/notified.h"
#include "window/stages.h"

static int serves(MPI_Win win)
{
    return NULL != win->w_osc_module && ompi_osc_ucp_free == win->w_osc_module->osc_free;
}

static int room(MPI_Win win)
{
    return (int) ompi_osc_ucp_window(win)->counters_max;
}

static int check(MPI_Win win, int target, int index, const char *call, mca_osc_ucp_notice_t *notice_p)
{
    ompi_osc_ucp_window_t *window;

    if (OPAL_UNLIKELY(!serves(win))) {
        return MCA_OSC_UCP_NOTIFIED_OTHER;
    }
    window = ompi_osc_ucp_window(win);
    if (OPAL_UNLIKELY(NULL != window->check && MPI_PROC_NULL != target)) {
        ompi_osc_ucp_check_notifies(window);
    }
    return ompi_osc_ucp_notified_check(window, target, index, call, notice_p);
}

OMPI_DECLSPEC extern const mca_osc_ucp_notified_t mca_osc_ucp_notified;

const mca_osc_ucp_notified_t mca_osc_ucp_notified = {
    .version   = MCA_OSC_UCP_NOTIFIED_VERSION,
    .serves    = serves,
    .room      = room,
    .check     = check,
    .raise     = ompi_osc_ucp_notified_raise,
    .set_num   = ompi_osc_ucp_notified_set_num,
    .get_num   = ompi_osc_ucp_notified_get_num,
    .value     = ompi_osc_ucp_notified_value,
    .wait      = ompi_osc_ucp_notified_wait,
    .threshold = ompi_osc_ucp_notified_threshold
};
