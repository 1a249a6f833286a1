/* Messages that are refused because they are wrong. They are counted, and the first one is reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/refused.h"

#include <stdbool.h>
#include <stdio.h>

static uint64_t refused;
static bool     reported, expected;

void ompi_osc_ucp_refusals_expect(void)
{
    __atomic_store_n(&expected, true, __ATOMIC_RELAXED);
}

void ompi_osc_ucp_refused(const char *reason)
{
    __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED);
    if (NULL != reason && !__atomic_load_n(&expected, __ATOMIC_RELAXED) &&
        !__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED)) {
        fprintf(stderr, "osc/ucp: a message from another process was not executed: %s. This is said once per process; "
                "the performance variable osc_ucp_messages_refused counts such messages.\n", reason);
    }
}

uint64_t ompi_osc_ucp_messages_refused(void)
{
    return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
