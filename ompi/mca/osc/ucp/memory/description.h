/* A member's description of its window memory. It is sent to peers as it is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_DESCRIPTION_H
#define OSC_UCP_DESCRIPTION_H

#include <stdint.h>

/** A member's window memory: its size, how processes of the same node map it (memory/arena.h), and how others reach it
 *  natively. */
typedef struct ompi_osc_ucp_description_t {
    int64_t  size;      /**< bytes */
    int64_t  disp_unit; /**< bytes */
    uint64_t base;     /**< the owner's address of the window's memory */
    uint64_t chunk;    /**< id of the owner's chunk with the control block; 0: nothing can be mapped */
    uint64_t head;     /**< the owner's address of that chunk's head */
    uint64_t nonce;    /**< in the chunk's head */
    uint64_t offset;   /**< of the control block in the chunk */
    int32_t  pid;      /**< of the owner, as it sees itself */
    uint8_t  lasting;  /**< the chunk is the lasting one: its mapping is kept */
    uint8_t  memory;   /**< MPI_Win_allocate: the window's memory lies behind the control block */
    uint8_t  cma;      /**< the kernel can copy from and to the window's memory, where it permits that */
    char     key[449]; /**< UCX's, of the chunk */
    uint32_t key_len;
    uint32_t user_key_len;  /**< 0: there is no such key */
    char     user_key[480]; /**< UCX's, of registered memory of MPI_Win_create */
} ompi_osc_ucp_description_t;

_Static_assert(0 == sizeof(ompi_osc_ucp_description_t) % 8, "without holes");

#endif /* OSC_UCP_DESCRIPTION_H */
