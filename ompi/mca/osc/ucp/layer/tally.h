/* The tally of an instrumented window: operations that are not in its counters yet (base/counters.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_TALLY_H
#define OSC_UCP_LAYER_TALLY_H

#include "base/record.h"
#include "peer/window.h"

/** Have a tally for a window, which its end frees. False if memory is short. */
bool ompi_osc_ucp_tally_begin(ompi_osc_ucp_window_t *window);

/** Add the tally, if there is one, to the counters, and to the accounts of osc_ucp_report 2, before somebody reads
 *  them. */
void ompi_osc_ucp_tally_settle(ompi_osc_ucp_window_t *window);

/** Operations of a call in the tally, and their bytes. */
static inline uint64_t ompi_osc_ucp_tally_sum(const ompi_osc_ucp_tally_t *tally, ompi_osc_ucp_called_t call)
{
    return tally->sums[call][OMPI_OSC_UCP_VIA_SELF] + tally->sums[call][OMPI_OSC_UCP_VIA_DIRECT];
}

/** How many puts and gets are in the tally. The sum of all does not overflow: together they hold at most as many
 *  operations as one sum does (layer/tally.c). */
static inline uint64_t ompi_osc_ucp_tally_puts_and_gets(const ompi_osc_ucp_tally_t *tally)
{
    return (ompi_osc_ucp_tally_sum(tally, OMPI_OSC_UCP_CALLED_PUT) +
            ompi_osc_ucp_tally_sum(tally, OMPI_OSC_UCP_CALLED_GET) +
            ompi_osc_ucp_tally_sum(tally, OMPI_OSC_UCP_CALLED_RPUT) +
            ompi_osc_ucp_tally_sum(tally, OMPI_OSC_UCP_CALLED_RGET)) /
           OMPI_OSC_UCP_TALLY_ONE;
}

#endif /* OSC_UCP_LAYER_TALLY_H */
