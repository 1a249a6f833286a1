/* Copies between processes of one node by the kernel, for processes that prove to be who they are meant to be.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A number may be that of another process: in a name space of its own, or one that came later. A process shows that it
 * is meant by a random number that its memory holds.
 */

#ifndef OSC_UCP_AM_KERNEL_H
#define OSC_UCP_AM_KERNEL_H

#include "../osc_ucp.h"
#include "am_wire.h"

/** Copy `bytes` between memory of this process and of one that is reached. False: not all were, if any. */
bool ompi_osc_ucp_kernel_copy(int32_t pid, bool write, void *here, uint64_t there, uint64_t bytes);

/** Is that the process, and does the kernel let us read its memory? */
bool ompi_osc_ucp_kernel_reaches(const ompi_osc_ucp_wire_process_t *process);

/** What this process is to its peers. */
void ompi_osc_ucp_kernel_self(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_wire_process_t *process_p);

#endif /* OSC_UCP_AM_KERNEL_H */
