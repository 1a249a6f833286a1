/* Operations by load and store that are counted in sums, until somebody reads the counters.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "layer/tally.h"

#include <stdlib.h>

#include "base/causes.h"

_Static_assert(OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE + 1 == OMPI_OSC_UCP_TALLY_CALLS, "all operations have sums");
_Static_assert(OMPI_OSC_UCP_LOOKED_SELDOM <= OMPI_OSC_UCP_TALLY_MAX, "one is looked at, and settles, in time");
_Static_assert(OMPI_OSC_UCP_TALLY_BYTES < OMPI_OSC_UCP_TALLY_ONE / OMPI_OSC_UCP_TALLY_MAX, "sums do not overflow");

bool ompi_osc_ucp_tally_begin(ompi_osc_ucp_window_t *window)
{
    if (NULL == window->tally) {
        window->tally = calloc(1, sizeof(*window->tally));
    }
    return NULL != window->tally;
}

void ompi_osc_ucp_tally_settle(ompi_osc_ucp_window_t *window)
{
    uint64_t *sum, operations;
    int       call, via;

    if (NULL == window->tally) {
        return;
    }
    for (call = 0; call < OMPI_OSC_UCP_TALLY_CALLS; call++) {
        for (via = OMPI_OSC_UCP_VIA_SELF; via <= OMPI_OSC_UCP_VIA_DIRECT; via++) {
            sum = &window->tally->sums[call][via];
            if (0 == *sum) {
                continue;
            }
            operations                       = *sum / OMPI_OSC_UCP_TALLY_ONE;
            window->counters.operations[via] += operations;
            window->counters.bytes[via]      += *sum % OMPI_OSC_UCP_TALLY_ONE;
            if (NULL != window->causes) {
                window->causes->sums.calls[call] += (int64_t) operations;
            }
            *sum = 0;
        }
    }
}
