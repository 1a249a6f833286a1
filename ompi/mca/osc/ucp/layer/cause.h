/* Accounts of osc_ucp_report 2: what the layer of instrumented windows (layer/count.c) tells of each call.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_CAUSE_H
#define OSC_UCP_LAYER_CAUSE_H

#include "base/causes.h"
#include "peer/window.h"

/** Begin the accounts of a window. False if memory is short. */
bool ompi_osc_ucp_causes_begin(ompi_osc_ucp_window_t *window);

/** Free them. Inside the origin side. */
void ompi_osc_ucp_causes_free(ompi_osc_ucp_window_t *window);

/** Time was lost for a cause, with the process of rank `culprit`; negative: not known. Inside the origin side. */
static inline void ompi_osc_ucp_cause_add(ompi_osc_ucp_causes_t *causes, int call, int cause, int culprit, uint64_t ns)
{
    causes->sums.times[call][cause] += (int64_t) ns;
    if (culprit >= 0) {
        causes->whom[cause * causes->size + culprit] += (int64_t) ns;
    }
}

/** An operation begins. Returns the time if it is one that is timed, else 0. */
static inline uint64_t ompi_osc_ucp_cause_begins(ompi_osc_ucp_window_t *window, int call, int target)
{
    if (OPAL_LIKELY(window->causes->tells)) {
        ompi_osc_ucp_calling.window = window;
        ompi_osc_ucp_calling.target = target;
        ompi_osc_ucp_calling.since  = 0;
        ompi_osc_ucp_calling.told   = false;
        ompi_osc_ucp_calling.call   = call;
    }
    return 0 == ++window->causes->operations % OMPI_OSC_UCP_TIMED ? opal_common_ucp_now_ns() : 0;
}

/** An operation ends. `begin` is what ompi_osc_ucp_cause_begins returned. */
void ompi_osc_ucp_cause_operated(ompi_osc_ucp_window_t *window, int call, uint64_t begin, int target, ptrdiff_t disp,
                                 ompi_osc_ucp_count_t count, ompi_datatype_t *type);

/** A synchronizing call ends, which took `ns`. */
void ompi_osc_ucp_cause_waited(ompi_osc_ucp_window_t *window, int call, uint64_t ns);

#endif /* OSC_UCP_LAYER_CAUSE_H */
