/* Memory that a processor must not load or store, such as a GPU's.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_MEMORY_DEVICE_H
#define OSC_UCP_MEMORY_DEVICE_H

#include "opal/mca/common/ucp/common_ucp.h"

/** Is that such memory? */
static inline bool ompi_osc_ucp_on_device(const void *address)
{
    return opal_common_ucp_devices->exist() && opal_common_ucp_devices->hold(address);
}

#endif /* OSC_UCP_MEMORY_DEVICE_H */
