/* Copies of blocks of bytes from and to window memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A block may be one element of a basic type. It is loaded once and stored once. If it were loaded twice, an origin
 * might see halves of it. If it were stored twice, as the C library's copies of 2 to 31 bytes do, the second could
 * undo what the target's program stores as soon as it sees the first.
 */

#ifndef OSC_UCP_LAYOUT_BLOCK_H
#define OSC_UCP_LAYOUT_BLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Copy a block of a basic type's size. The compiler knows the size: up to 16 bytes are one load and one store. False:
 *  it has another size, and nothing was done. */
static inline bool ompi_osc_ucp_block_copy_basic(void *to, const void *from, uint64_t bytes)
{
    switch (bytes) {
    case 4:
        memmove(to, from, 4);
        return true;
    case 8:
        memmove(to, from, 8);
        return true;
    case 16:
        memmove(to, from, 16);
        return true;
    default:
        return false;
    }
}

/** Copy a block of any other size. */
static inline void ompi_osc_ucp_block_copy_other(void *to, const void *from, uint64_t bytes)
{
    if (2 == bytes) {
        memmove(to, from, 2);
    } else {
        memmove(to, from, bytes);
    }
}

static inline void ompi_osc_ucp_block_copy(void *to, const void *from, uint64_t bytes)
{
    if (!ompi_osc_ucp_block_copy_basic(to, from, bytes)) {
        ompi_osc_ucp_block_copy_other(to, from, bytes);
    }
}

#endif /* OSC_UCP_LAYOUT_BLOCK_H */
