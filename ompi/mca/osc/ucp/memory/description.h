/* What a process tells of its window memory, for others to reach it. It travels as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_DESCRIPTION_H
#define OSC_UCP_DESCRIPTION_H

#include <stdint.h>

/** A member's window memory, how a process of the same node may map it (osc_ucp_arena.h), and how others reach it
 *  natively. */
typedef struct ompi_osc_ucp_description_t {
    int64_t  size;
    int64_t  disp_unit;
    uint64_t base;     /**< the owner's address of the window's memory */
    uint64_t chunk;    /**< id of the process's chunk that holds the control block; 0: nothing can be mapped */
    uint64_t head;     /**< the owner's address of that chunk */
    uint64_t nonce;    /**< found there, if the right memory was mapped */
    uint64_t offset;   /**< of the control block in the chunk */
    int32_t  pid;      /**< of the owner, as it sees itself */
    uint8_t  lasting;  /**< the chunk outlives the window */
    uint8_t  memory;   /**< the window's memory follows the control block */
    uint8_t  cma;      /**< the service side can have the kernel copy from and to the asking process's memory */
    char     key[449]; /**< of the chunk; UCX's, as long as it needs */
    uint32_t key_len;
    uint32_t user_key_len;  /**< 0: see `memory` */
    char     user_key[480]; /**< of the caller's memory (MPI_Win_create), if that is registered */
} ompi_osc_ucp_description_t;

_Static_assert(0 == sizeof(ompi_osc_ucp_description_t) % 8, "without holes");

#endif /* OSC_UCP_DESCRIPTION_H */
