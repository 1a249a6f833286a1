/* The bytes of a buffer: a fingerprint of what they hold, whether they are there, and whether two buffers share some.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_BYTES_H
#define OSC_UCP_CHECK_BYTES_H

#include "layout/layout.h"

/** Of larger buffers the fingerprint takes samples. Bytes. */
#define OMPI_OSC_UCP_FINGERPRINT_ALL (256 * 1024)

/** Memory as a layout from an address. Owned by whoever made the layout. */
typedef struct ompi_osc_ucp_check_bytes_t {
    uintptr_t             base;
    ompi_osc_ucp_layout_t layout;
} ompi_osc_ucp_check_bytes_t;

/** The first byte, and one past the last. */
static inline uintptr_t ompi_osc_ucp_bytes_first(const ompi_osc_ucp_check_bytes_t *bytes)
{
    return bytes->base + (uintptr_t) bytes->layout.lb;
}

static inline uintptr_t ompi_osc_ucp_bytes_end(const ompi_osc_ucp_check_bytes_t *bytes)
{
    return bytes->base + (uintptr_t) bytes->layout.ub;
}

/** A number that depends on what the bytes hold: on all, or on samples from beginning to end. Gaps do not count. */
uint64_t ompi_osc_ucp_bytes_fingerprint(const ompi_osc_ucp_check_bytes_t *bytes);

/** Is all memory there? What was given back to the system must not be touched. True for short buffers. */
bool ompi_osc_ucp_bytes_mapped(const ompi_osc_ucp_check_bytes_t *bytes);

/** Is a byte in both? *at_p is the address of the first one. False if that takes too long to find out. */
bool ompi_osc_ucp_bytes_meet(const ompi_osc_ucp_check_bytes_t *one, const ompi_osc_ucp_check_bytes_t *other,
                             uintptr_t *at_p);

#endif /* OSC_UCP_CHECK_BYTES_H */
