/* The component: opening, offering itself for windows, closing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing is started before the first window that needs it: a program without one-sided communication pays nothing. But
 * where UCX's memory hooks are of use to a job of several nodes, UCX is loaded in MPI_Init.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "opal/mca/base/base.h"
#include "opal/util/proc.h"

#include "base/params.h"
#include "base/stores.h"
#include "base/wait.h"
#include "check/library.h"
#include "check/order.h"
#include "check/report.h"
#include "check/requests.h"
#include "layer/layer.h"
#include "memory/pool.h"
#include "message/message.h"
#include "op/layout_type.h"
#include "peer/pending.h"
#include "report/report.h"
#include "window/stages.h"

OMPI_DECLSPEC extern ompi_osc_base_component_t mca_osc_ucp_component;

/** Open MPI takes the first osc/ucp in the folders of mca_base_component_path: tell, if verbose, that the user's own is
 *  not that. */
static void tell_shadowed(void)
{
    Dl_info     mine;
    struct stat loaded, own;
    char       *path;

    if (0 == dladdr(&mca_osc_ucp_component, &mine) || 0 != stat(mine.dli_fname, &loaded) ||
        asprintf(&path, "%s/mca_osc_ucp.so", mca_base_user_default_path) < 0) {
        return;
    }
    if (0 == stat(path, &own) && (own.st_dev != loaded.st_dev || own.st_ino != loaded.st_ino)) {
        opal_output_verbose(10, ompi_osc_base_framework.framework_output,
                            "osc/ucp: %s is loaded, and %s is not: mca_base_component_path decides which comes first",
                            mine.dli_fname, path);
    }
    free(path);
}

/** Decline in a process whose Open MPI would call us with other structures than we were built with. */
static int component_open(void)
{
    char *running = NULL;

    if (ompi_osc_ucp_version_matches(&running)) {
        tell_shadowed();
        return OMPI_SUCCESS;
    }
    opal_output(0, "osc/ucp is not used: it was built for Open MPI %s and this is %s; build and install it again "
                   "with this Open MPI's mpicc",
                ompi_osc_ucp_version_built(), NULL == running ? "unknown" : running);
    free(running);
    return OMPI_ERR_NOT_AVAILABLE;
}

static int component_init(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    ompi_osc_ucp_threads.multiple = enable_mpi_threads;
    opal_common_ucp_load_early(ompi_proc_world_size() > (int) opal_process_info.num_local_peers + 1);
    ompi_osc_ucp_stores_init();
    ompi_osc_ucp_survive_init();
    ompi_osc_ucp_procs_init();
    ompi_osc_ucp_op_init();
    (void) ompi_osc_ucp_devices_possible(); /* here, for the first window not to go through all libraries */
    return OMPI_SUCCESS;
}

/* Must allocate nothing: there is no call that would free it. */
static int component_query(ompi_win_t *win, void **base, size_t size, ompi_osc_ucp_unit_t disp_unit,
                           ompi_communicator_t *comm, opal_info_t *info, int flavor)
{
    (void) win;
    (void) base;
    (void) size;
    (void) disp_unit;
    (void) info;
    (void) comm;
    (void) flavor;
    return ompi_osc_ucp_params.priority;
}

static int component_finalize(void)
{
    ompi_osc_ucp_progress_stop();
    ompi_osc_ucp_samples_end();
    ompi_osc_ucp_watchdog_end();
    ompi_osc_ucp_trace_end();
    ompi_osc_ucp_library_end();
    ompi_osc_ucp_check_order_end();
    ompi_osc_ucp_check_requests_fini();
    ompi_osc_ucp_check_sum();
    ompi_osc_ucp_report_print();
    opal_common_ucp_service_stop(); /* what it may be at must not be unmapped */
    ompi_osc_ucp_procs_fini();
    ompi_osc_ucp_arena_fini();
    ompi_osc_ucp_pools_fini();
    ompi_osc_ucp_sysv_fini();
    ompi_osc_ucp_messages_close();
    ompi_osc_ucp_survive_fini();
    ompi_osc_ucp_pendings_fini();
    ompi_osc_ucp_requests_fini();
    ompi_osc_ucp_layouts_fini();
    ompi_osc_ucp_info_fini();
    return OMPI_SUCCESS;
}

static int component_register(void)
{
    const mca_base_component_t *component = &mca_osc_ucp_component.osc_version;
    int                         rc        = ompi_osc_ucp_params_register(component);

    return OMPI_SUCCESS == rc ? ompi_osc_ucp_pvars_register(component, ompi_osc_ucp_free) : rc;
}

ompi_osc_base_component_t mca_osc_ucp_component = {
    .osc_version = {
        OMPI_OSC_UCP_BASE_VERSION,
        .mca_component_name = "ucp",
        MCA_BASE_MAKE_VERSION(component, OMPI_OSC_UCP_MAJOR_VERSION, OMPI_OSC_UCP_MINOR_VERSION,
                              OMPI_OSC_UCP_RELEASE_VERSION),
        .mca_open_component            = component_open,
        .mca_register_component_params = component_register
    },
    .osc_data = {
        MCA_BASE_METADATA_PARAM_NONE
    },
    .osc_init     = component_init,
    .osc_query    = component_query,
    .osc_select   = ompi_osc_ucp_select,
    .osc_finalize = component_finalize
};
