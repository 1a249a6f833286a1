/* The component: opening, offering itself for windows, closing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Nothing is started before the first window that needs it: a program without one-sided communication pays nothing.
 */

#include "osc_ucp_peer.h"
#include "osc_ucp_layout_type.h"
#include "osc_ucp_pending.h"

#include <stdlib.h>

#include "path/am.h"
#include "path/am_packet.h"
#include "path/near_mail.h"
#include "path/near_share.h"

static int component_register(void)
{
    int rc;

    rc = ompi_osc_ucp_params_register();
    return OMPI_SUCCESS == rc ? ompi_osc_ucp_pvars_register() : rc;
}

/** Decline in a process whose Open MPI would call us with other structures than we were built with. */
static int component_open(void)
{
    char *running = NULL;

    if (ompi_osc_ucp_version_matches(&running)) {
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
    ompi_osc_ucp_threads.multiple = mca_osc_ucp_component.stored = enable_mpi_threads;
    ompi_osc_ucp_survive_init();
    ompi_osc_ucp_procs_init();
    ompi_osc_ucp_op_init();
    mca_osc_ucp_component.next_id     = 1;
    mca_osc_ucp_component.progressing = false;
    return OMPI_SUCCESS;
}

/* Must allocate nothing: there is no call that would free it. */
static int component_query(ompi_win_t *win, void **base, size_t size, int disp_unit, ompi_communicator_t *comm,
                           opal_info_t *info, int flavor)
{
    (void) win;
    (void) base;
    (void) size;
    (void) disp_unit;
    (void) info;
    if (MPI_WIN_FLAVOR_SHARED == flavor && ompi_group_have_remote_peers(comm->c_local_group)) {
        return OMPI_ERR_RMA_SHARED;
    }
    return mca_osc_ucp_component.priority;
}

static int component_finalize(void)
{
    if (mca_osc_ucp_component.progressing) {
        opal_progress_unregister(ompi_osc_ucp_progress);
        mca_osc_ucp_component.progressing = false;
    }
    ompi_osc_ucp_report_print();
    opal_common_ucp_service_stop(); /* what it may be at must not be unmapped */
    ompi_osc_ucp_procs_fini();
    ompi_osc_ucp_arena_fini();
    ompi_osc_ucp_am_close();
    ompi_osc_ucp_survive_fini();
    ompi_osc_ucp_pendings_fini();
    ompi_osc_ucp_layouts_fini();
    ompi_osc_ucp_info_fini();
    return OMPI_SUCCESS;
}

/** One look in so many at an origin worker that nothing is known to wait for: should a socket hold less than it should,
 *  the end of a message is still here (see "Leaving" in docs/design.md). */
#define LOOKS 256

int ompi_osc_ucp_progress(void)
{
    static unsigned looks; /* guarded by the origin side's lock */
    unsigned        events = 0;

    if (0 == __atomic_load_n(&mca_osc_ucp_component.windows, __ATOMIC_RELAXED)) {
        return 0;
    }
    if (ompi_osc_ucp_try_enter()) {
        if (OPAL_UNLIKELY(mca_osc_ucp_component.deaths_seen !=
                          __atomic_load_n(&mca_osc_ucp_component.deaths, __ATOMIC_RELAXED))) {
            ompi_osc_ucp_deaths_look();
        }
        ompi_osc_ucp_packets_release_all();
        if (OPAL_UNLIKELY(NULL != ompi_osc_ucp_mails_open)) {
            events = ompi_osc_ucp_mails_collect();
        }
        if (ompi_osc_ucp_pendings_exist() || opal_common_ucp_origin_busy() || 0 == ++looks % LOOKS) {
            events += opal_common_ucp_progress_origin();
        }
        ompi_osc_ucp_leave();
    }
    if (OPAL_UNLIKELY(ompi_osc_ucp_mail_lies())) {
        events += ompi_osc_ucp_mails_take();
    }
    if (OPAL_UNLIKELY(ompi_osc_ucp_share_offered())) {
        events += ompi_osc_ucp_share_help();
    }
    return (int) (events + opal_common_ucp_progress_service());
}

int ompi_osc_ucp_start_transport(char **reason_p)
{
    int rc = ompi_osc_ucp_am_open(reason_p);

    if (OMPI_SUCCESS == rc && !mca_osc_ucp_component.progressing) {
        ompi_osc_ucp_procs_publish();
        rc = opal_progress_register(ompi_osc_ucp_progress);
        mca_osc_ucp_component.progressing = OMPI_SUCCESS == rc;
    }
    return rc;
}

ompi_osc_ucp_component_t mca_osc_ucp_component = {
    .super = {
        .osc_version = {
            OMPI_OSC_BASE_VERSION_3_0_0,
            .mca_component_name = "ucp",
            MCA_BASE_MAKE_VERSION(component, OMPI_OSC_UCP_MAJOR_VERSION, OMPI_OSC_UCP_MINOR_VERSION,
                                  OMPI_OSC_UCP_RELEASE_VERSION),
            .mca_open_component               = component_open,
            .mca_register_component_params    = component_register,
        },
        .osc_data = {
            MCA_BASE_METADATA_PARAM_NONE
        },
        .osc_init     = component_init,
        .osc_query    = component_query,
        .osc_select   = ompi_osc_ucp_select,
        .osc_finalize = component_finalize
    },
    .priority       = 120,
    .async_progress = OMPI_OSC_UCP_ASYNC_AUTO,
    .direct         = 1,
    .kernel_copy    = 8192,
    .rdma           = OMPI_OSC_UCP_RDMA_AUTO,
    .rdma_segment   = 1024,
    .atomic_domain  = OMPI_OSC_UCP_DOMAIN_AUTO
};
