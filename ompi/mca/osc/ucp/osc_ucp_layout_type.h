/* Making layouts from MPI datatypes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYOUT_TYPE_H
#define OSC_UCP_LAYOUT_TYPE_H

#include "osc_ucp_layout.h"
#include "osc_ucp_op.h"

/**
 * The bytes of `count` elements of `datatype`, relative to the buffer's address, in the order of its type map.
 * MPI-3.1 section 4.1. count 0 and empty types give the empty layout.
 * @return OMPI_SUCCESS, OMPI_ERR_OUT_OF_RESOURCE, or OMPI_ERR_NOT_SUPPORTED for a type whose description is gone.
 */
int ompi_osc_ucp_layout_of_bytes(struct ompi_datatype_t *datatype, size_t count, ompi_osc_ucp_layout_t *layout);

/**
 * The cells (prim->extent bytes each) of the elements of `count` elements of `datatype`, whose element type is `prim`
 * (ompi_osc_ucp_prim_of). For gap-free elements the same as the bytes. The last cell's gap may lie beyond the type's
 * true upper bound: check ranges against ompi_osc_ucp_layout_of_bytes' ub, or lower ub by the gap.
 */
int ompi_osc_ucp_layout_of_elements(struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *prim,
                                    ompi_osc_ucp_layout_t *layout);

#endif /* OSC_UCP_LAYOUT_TYPE_H */
