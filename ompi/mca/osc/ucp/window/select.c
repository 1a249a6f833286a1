/* Making a window.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <stdlib.h>

#include "base/params.h"
#include "check/check.h"
#include "check/schedule.h"
#include "peer/explain.h"
#include "report/report.h"
#include "report/trace.h"
#include "window/stages.h"

static ompi_osc_ucp_window_t *window_new(ompi_win_t *win, ompi_communicator_t *comm, int flavor)
{
    ompi_osc_ucp_window_t *window = calloc(1, sizeof(*window));

    if (NULL == window) {
        return NULL;
    }
    window->super  = ompi_osc_ucp_module_template;
    window->win    = win;
    window->group  = win->w_group;
    window->rank   = ompi_comm_rank(comm);
    window->size   = ompi_comm_size(comm);
    window->flavor = flavor;
    return window;
}

/** Let all that watch a window know that it has been made. */
static void window_watch(const ompi_osc_ucp_creation_t *creation, uint64_t begin)
{
    ompi_osc_ucp_schedule_begin(creation->window);
    if (creation->report > 0) {
        (void) ompi_osc_ucp_report_begin(creation->window, creation->comm, creation->report);
    }
    ompi_osc_ucp_watchdog_begin(creation->window);
    if (creation->clocks) {
        ompi_osc_ucp_trace_clock_first(creation->window, creation->comm);
    }
    ompi_osc_ucp_trace_window(creation->window, begin);
    if (creation->check) {
        ompi_osc_ucp_check_begin(creation->window, creation->comm);
    }
}

int ompi_osc_ucp_select(ompi_win_t *win, void **base, size_t size, ompi_osc_ucp_unit_t disp_unit,
                        ompi_communicator_t *comm, opal_info_t *info, int flavor, int *model)
{
    ompi_osc_ucp_creation_t creation = { .comm = comm, .info = info };
    uint64_t                begin    = ompi_osc_ucp_trace_begin(comm);
    int                     rc;

    if (MPI_WIN_FLAVOR_SHARED == flavor && ompi_group_have_remote_peers(comm->c_local_group)) {
        ompi_osc_ucp_explain(comm->error_handler, "%s cannot create a window of %d processes: they are on several "
                             "hosts, which share no memory", ompi_osc_ucp_flavor_call(flavor), ompi_comm_size(comm));
        return OMPI_ERR_RMA_SHARED; /* Open MPI 5.0 and newer take no errors from osc_query */
    }
    creation.window = window_new(win, comm, flavor);
    if (NULL == creation.window) {
        return ompi_osc_ucp_stages_absent(comm, flavor);
    }
    creation.window->base      = MPI_WIN_FLAVOR_CREATE == flavor ? *base : NULL;
    creation.window->bytes     = (int64_t) size;
    creation.window->disp_unit = disp_unit;
    win->w_osc_module          = &creation.window->super;
    rc = ompi_osc_ucp_stages_up(&creation);
    free(creation.reason);
    free(creation.unregistered);
    if (OMPI_SUCCESS != rc) {
        win->w_osc_module = NULL;
        ompi_osc_ucp_enter();
        ompi_osc_ucp_window_delete(creation.window);
        ompi_osc_ucp_leave();
        return rc;
    }
    ompi_osc_ucp_window_opened(creation.window);
    if (MPI_WIN_FLAVOR_ALLOCATE == flavor || MPI_WIN_FLAVOR_SHARED == flavor) {
        *base = creation.window->base;
    }
    window_watch(&creation, begin);
    *model = MPI_WIN_UNIFIED;
    ompi_osc_ucp_announce(creation.window);
    return OMPI_SUCCESS;
}
