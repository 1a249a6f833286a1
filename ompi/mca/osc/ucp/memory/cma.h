/* cma: copies between processes of one node by the kernel.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A pid may name another process: in another pid name space, or after the process has ended. So a random number in the
 * process's memory, the nonce of a chunk's head, proves that it is the right one.
 */

#ifndef OSC_UCP_CMA_H
#define OSC_UCP_CMA_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/arena.h"

/** How a process names itself in messages. */
typedef struct ompi_osc_ucp_cma_process_t {
    uint64_t head;  /**< address of a chunk's head in that process; 0: the kernel must not copy */
    uint64_t nonce; /**< the number at that address */
    int32_t  pid;   /**< as the process sees it */
    int32_t  unused;
} ompi_osc_ucp_cma_process_t;

/** Copy `bytes` from memory of another process, or to it (`write`). False: the kernel has not copied all of them. */
bool ompi_osc_ucp_cma_copy(int32_t pid, bool write, void *here, uint64_t there, uint64_t bytes);

/** Does the kernel let this process read that one's memory, and is it the right one? */
bool ompi_osc_ucp_cma_reaches(const ompi_osc_ucp_cma_process_t *process);

/** Fill in this process; `block` is the window's. `head` stays 0 if osc_ucp_kernel_copy is 0 or there is no block. */
void ompi_osc_ucp_cma_self(const ompi_osc_ucp_block_t *block, ompi_osc_ucp_cma_process_t *process_p);

#endif /* OSC_UCP_CMA_H */
