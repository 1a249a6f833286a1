/* Events of MPI_T.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/events.h"

#include <stddef.h>

#include "base/record.h"

/** By what calls wait for. */
static ompi_osc_ucp_event_t events[OMPI_OSC_UCP_AWAITS_OTHER + 1] = {
    [OMPI_OSC_UCP_AWAITS_LOCK]     = { "waited_lock", "a call has waited for the lock of a process", NULL },
    [OMPI_OSC_UCP_AWAITS_ANSWER]   = { "waited_answer", "a call has waited for the first answer of a process", NULL },
    [OMPI_OSC_UCP_AWAITS_FLUSH]    = { "waited_flush", "a call has waited until a process carried out operations",
                                       NULL },
    [OMPI_OSC_UCP_AWAITS_ARRIVE]   = { "waited_fence", "a call has waited until a process came to the same call",
                                       NULL },
    [OMPI_OSC_UCP_AWAITS_POST]     = { "waited_post", "MPI_Win_start has waited for MPI_Win_post of a process", NULL },
    [OMPI_OSC_UCP_AWAITS_COMPLETE] = { "waited_complete", "MPI_Win_wait has waited for MPI_Win_complete of a process",
                                       NULL }
};

void ompi_osc_ucp_events_register(const mca_base_component_t *component)
{
    static const mca_base_var_type_t types[]   = { MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG,
                                                   MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, MCA_BASE_VAR_TYPE_INT };
    static const ptrdiff_t           offsets[] = { offsetof(ompi_osc_ucp_waited_t, window),
                                                   offsetof(ompi_osc_ucp_waited_t, ns),
                                                   offsetof(ompi_osc_ucp_waited_t, rank) };

    const ompi_osc_ucp_events_t      all       = {
        .help    = "calls on windows that osc/ucp serves",
        .events  = events,
        .n       = sizeof(events) / sizeof(events[0]),
        .types   = types,
        .offsets = offsets,
        .fields  = sizeof(types) / sizeof(types[0])
    };

    ompi_osc_ucp_events_take(component, &all);
}

void ompi_osc_ucp_event_waited(unsigned awaits, const ompi_osc_ucp_waited_t *waited)
{
    if (awaits <= OMPI_OSC_UCP_AWAITS_OTHER && NULL != events[awaits].type) {
        ompi_osc_ucp_event_raise(events[awaits].type, waited);
    }
}
