/* Memory of this process that other processes may change: that of its windows.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_MEMORY_H
#define OSC_UCP_CHECK_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "peer/window.h"

/** May a byte of [first, end) belong to a checked window, or to one that another process has in shared memory? Any
 *  thread. */
bool ompi_osc_ucp_check_exposes(uintptr_t first, uintptr_t end);

/** Has another window some of this process's [first, end) as its memory here? Any thread. */
bool ompi_osc_ucp_check_overlaps(const ompi_osc_ucp_window_t *window, uintptr_t first, uintptr_t end);

/** The end of the region of a dynamic window that begins at `first`; 0: there is none. Any thread. */
uintptr_t ompi_osc_ucp_check_attached_end(const ompi_osc_ucp_window_t *window, uintptr_t first);

#endif /* OSC_UCP_CHECK_MEMORY_H */
