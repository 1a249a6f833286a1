/* Memory of this process that other processes may change: that of its windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_MEMORY_H
#define OSC_UCP_CHECK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/** May a byte of [first, end) belong to a checked window, or to one that another process has in shared memory? Any
 *  thread. */
bool ompi_osc_ucp_check_exposes(uintptr_t first, uintptr_t end);

#endif /* OSC_UCP_CHECK_MEMORY_H */
