/* Updates by a processor in the NIC domain: counted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/witness.h"

/** Must stay 0; see ompi_osc_ucp_domain_witness. */
static uint64_t trespasses;

void ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address)
{
    if (ompi_osc_ucp_op_is_native(op, prim) && 0 == (uintptr_t) address % prim->size) {
        __atomic_fetch_add(&trespasses, 1, __ATOMIC_RELAXED);
    }
}

uint64_t ompi_osc_ucp_domain_trespasses(void)
{
    return __atomic_load_n(&trespasses, __ATOMIC_RELAXED);
}
