/* Updates by a processor in the NIC domain, which tests show not to happen.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_WITNESS_H
#define OSC_UCP_WITNESS_H

#include "op/op.h"

/**
 * The processor is about to update elements of a window in the NIC domain. Whether that ever happens to the native
 * class is counted, so that tests can show it does not. Any thread.
 */
void     ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address);
uint64_t ompi_osc_ucp_domain_trespasses(void);

#endif /* OSC_UCP_WITNESS_H */
