/* Copies between processes of one node by the kernel, for processes that prove to be who they are meant to be.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A number may be that of another process: in a name space of its own, or one that came later. A process shows that it
 * is meant by a random number that its memory holds.
 */

#ifndef OSC_UCP_AM_KERNEL_H
#define OSC_UCP_AM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/arena.h"

/** A process of the target's node, as it tells its number. */
typedef struct ompi_osc_ucp_cma_process_t {
    uint64_t head;  /**< address, in it */
    uint64_t nonce; /**< what is found there */
    int32_t  pid;
    int32_t  unused;
} ompi_osc_ucp_cma_process_t;

/** Copy `bytes` between memory of this process and of one that is reached. False: not all were, if any. */
bool ompi_osc_ucp_cma_copy(int32_t pid, bool write, void *here, uint64_t there, uint64_t bytes);

/** Is that the process, and does the kernel let us read its memory? */
bool ompi_osc_ucp_cma_reaches(const ompi_osc_ucp_cma_process_t *process);

/** What this process is to its peers; `block` is its window's. */
void ompi_osc_ucp_cma_self(const ompi_osc_ucp_block_t *block, ompi_osc_ucp_cma_process_t *process_p);

#endif /* OSC_UCP_AM_KERNEL_H */
