/* Ranges of bytes, in a window's memory: the one rule that all ways of an operation check.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_RANGE_H
#define OSC_UCP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/** Do the bytes [disp + lb, disp + ub) lie within a window of `size` bytes? */
static inline bool ompi_osc_ucp_in_range(int64_t size, int64_t disp, int64_t lb, int64_t ub)
{
    int64_t first, end;

    return !__builtin_add_overflow(disp, lb, &first) && !__builtin_add_overflow(disp, ub, &end) && first >= 0 &&
           end <= size;
}

/** The same for one block of `bytes` > 0 at a displacement in units: where it begins, in bytes; negative if not. */
static inline int64_t ompi_osc_ucp_block_at(int64_t disp, int64_t disp_unit, int64_t size, uint64_t bytes)
{
    int64_t at;

    if (__builtin_mul_overflow(disp, disp_unit, &at)) {
        return -1;
    }
    /* As unsigned numbers, negative displacements are larger than any window. */
    return (uint64_t) at <= (uint64_t) size && bytes <= (uint64_t) (size - at) ? at : -1;
}

#endif /* OSC_UCP_RANGE_H */
