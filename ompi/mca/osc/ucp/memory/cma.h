/* cma: copies between processes of one node by the kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pid may name another process: in another pid name space, or after the process has ended. So a random number in the
 * process's memory, which whoever names the pid cannot choose, proves that it is the right one.
 */

#ifndef OSC_UCP_CMA_H
#define OSC_UCP_CMA_H

#include <stdbool.h>
#include <stdint.h>

/** Copy `bytes` from memory of another process, or to it (`write`). False: the kernel has not copied all of them. */
bool ompi_osc_ucp_cma_copy(int32_t pid, bool write, void *here, uint64_t there, uint64_t bytes);

/** Does the kernel let this process read that one's memory, and is `number` at `address` there? */
bool ompi_osc_ucp_cma_reaches(int32_t pid, uint64_t address, uint64_t number);

#endif /* OSC_UCP_CMA_H */
