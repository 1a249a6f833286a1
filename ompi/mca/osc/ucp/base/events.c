/* Events of MPI_T.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/events.h"

#ifdef OMPI_OSC_UCP_HOST_EVENTS

#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "opal/mca/base/mca_base_event.h"
#include "opal/mca/base/mca_base_pvar.h"

/** By what calls wait for. */
static const struct {
    const char *name, *help;
} rows[OMPI_OSC_UCP_AWAITS_OTHER + 1] = {
    [OMPI_OSC_UCP_AWAITS_LOCK]     = { "waited_lock", "a call has waited for the lock of a process" },
    [OMPI_OSC_UCP_AWAITS_ANSWER]   = { "waited_answer", "a call has waited for the first answer of a process" },
    [OMPI_OSC_UCP_AWAITS_FLUSH]    = { "waited_flush", "a call has waited until a process carried out operations" },
    [OMPI_OSC_UCP_AWAITS_ARRIVE]   = { "waited_fence", "a call has waited until a process came to the same call" },
    [OMPI_OSC_UCP_AWAITS_POST]     = { "waited_post", "MPI_Win_start has waited for MPI_Win_post of a process" },
    [OMPI_OSC_UCP_AWAITS_COMPLETE] = { "waited_complete", "MPI_Win_wait has waited for MPI_Win_complete of a process" }
};

static mca_base_event_t *events[OMPI_OSC_UCP_AWAITS_OTHER + 1]; /* NULL: not registered */

/** The source of all; NULL if Open MPI takes none. */
static mca_base_event_source_t *source_register(void)
{
    mca_base_event_source_t *source = NULL;
    int index = mca_base_event_source_register("osc_ucp", "calls on windows that osc/ucp serves",
                                               MCA_BASE_EVENT_SOURCE_ORDERED, 1000000000, INT64_MAX, NULL, true, NULL);

    return index < 0 || OPAL_SUCCESS != mca_base_event_source_get_by_index(index, &source) ? NULL : source;
}

int ompi_osc_ucp_events_register(const mca_base_component_t *component)
{
    static const mca_base_var_type_t types[] = { MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG,
                                                 MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, MCA_BASE_VAR_TYPE_INT };
    static const ptrdiff_t           offsets[] = { offsetof(ompi_osc_ucp_waited_t, window),
                                                   offsetof(ompi_osc_ucp_waited_t, ns),
                                                   offsetof(ompi_osc_ucp_waited_t, rank) };
    mca_base_event_source_t         *source = source_register();
    int                              i, index;

    for (i = 0; NULL != source && i <= OMPI_OSC_UCP_AWAITS_OTHER; i++) {
        index = NULL == rows[i].name ? -1
                                     : mca_base_component_event_register(component, rows[i].name, rows[i].help,
                                                                         OPAL_INFO_LVL_5, 3, types, offsets, NULL,
                                                                         MCA_BASE_VAR_BIND_NO_OBJECT, 0, source, NULL);
        if (index < 0 || OPAL_SUCCESS != mca_base_event_get_by_index(index, &events[i])) {
            events[i] = NULL;
        }
    }
    return OMPI_SUCCESS; /* who switches Open MPI's events off has none */
}

void ompi_osc_ucp_event_waited(unsigned awaits, const ompi_osc_ucp_waited_t *waited)
{
    if (awaits <= OMPI_OSC_UCP_AWAITS_OTHER && NULL != events[awaits]) {
        mca_base_event_raise(events[awaits], NULL, waited);
    }
}

#else

int ompi_osc_ucp_events_register(const mca_base_component_t *component)
{
    (void) component;
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_event_waited(unsigned awaits, const ompi_osc_ucp_waited_t *waited)
{
    (void) awaits;
    (void) waited;
}

#endif
