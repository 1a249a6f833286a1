/* The segment of MPI_Win_allocate_shared: memory that all members of the window have mapped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SEGMENT_H
#define OSC_UCP_SEGMENT_H

#include "base/host.h"
#include "memory/control.h"
#include "op/op.h"

typedef struct ompi_osc_ucp_segment_t ompi_osc_ucp_segment_t;

/** A member's part of the segment, at this process's addresses. */
typedef struct ompi_osc_ucp_member_t {
    ompi_osc_ucp_control_t *control;
    char                   *memory;
    ompi_osc_ucp_stripe_t  *stripes;
    uintptr_t               key_base;  /**< subtracted from an address it gives the stripes' key */
    int64_t                 size;      /**< bytes */
    int64_t                 disp_unit; /**< bytes */
} ompi_osc_ucp_member_t;

/**
 * Create the segment, with `size` bytes for this process, and map it. Collective over comm; all processes return the
 * same code.
 * @param noncontig  members' parts begin at page boundaries (info key alloc_shared_noncontig).
 * @param bytes_p    of the whole segment, also if it cannot be made; 0: too many; untouched if that is not known.
 */
int ompi_osc_ucp_segment_share(ompi_communicator_t *comm, int64_t size, int64_t disp_unit, bool noncontig,
                               ompi_osc_ucp_segment_t **segment_p, uint64_t *bytes_p);

/** Unmap the segment, which may be NULL. Local. */
void ompi_osc_ucp_segment_free(ompi_osc_ucp_segment_t *segment);

/** The part of a member. */
ompi_osc_ucp_member_t ompi_osc_ucp_segment_member(const ompi_osc_ucp_segment_t *segment, int rank);

#endif /* OSC_UCP_SEGMENT_H */
