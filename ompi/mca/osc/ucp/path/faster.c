/* Which of two ways is faster: see path/faster.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "path/faster.h"

#include "base/cpu.h"

/** Each way is tried so often first. The shortest of these times counts, as the first ones are longer. */
#define TRIES 4

/** After that, so many choices of 256 in a row are the slower way. The first of them is not timed: caches are cold. */
#define AGAIN 4

/** The share of a new time in the average. */
#define SHARE 8

bool ompi_osc_ucp_faster_first(ompi_osc_ucp_faster_t *faster)
{
    if (faster->tries[true] < TRIES || faster->tries[false] < TRIES) {
        return faster->tries[true] < TRIES;
    }
    if (++faster->turn >= AGAIN) {
        faster->usual = faster->took[true] <= faster->took[false];
    }
    return faster->turn < AGAIN ? !faster->usual : faster->usual;
}

void ompi_osc_ucp_faster_took(ompi_osc_ucp_faster_t *faster, bool first, uint64_t start)
{
    const uint64_t time = ompi_osc_ucp_cpu_clock() - start;
    uint32_t      *took = &faster->took[first], sample = time > UINT32_MAX ? UINT32_MAX : (uint32_t) time;

    if (faster->tries[first] < TRIES) {
        *took = 0 == faster->tries[first]++ || sample < *took ? sample : *took;
    } else if (0 != faster->turn) {
        if (sample / 2 > *took) {
            sample = 2 * *took; /* the process did not run for a while */
        }
        *took = *took - *took / SHARE + sample / SHARE;
    }
}
