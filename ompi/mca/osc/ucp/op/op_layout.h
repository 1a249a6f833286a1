/* Applying an MPI_Op to elements that are not contiguous.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_OP_LAYOUT_H
#define OSC_UCP_OP_LAYOUT_H

#include "layout/layout.h"
#include "op/op.h"

/**
 * ompi_osc_ucp_op_apply for the next `n` elements of a layout of cells; advances `iter`. Runs are whole cells.
 *
 * @param base      memory at the layout's displacement 0.
 * @param key_base  subtracted from an address to get the key that chooses the stripes.
 */
void ompi_osc_ucp_op_apply_layout(ompi_osc_ucp_stripe_t *stripes, uintptr_t key_base, uint8_t op,
                                  const ompi_osc_ucp_prim_t *prim, char *base, ompi_osc_ucp_layout_iter_t *iter,
                                  const char *source, char *result, size_t n);

/** Do the packed bytes of a layout that is not empty lie in memory as cells in a row? The first one is at `lb`. */
bool ompi_osc_ucp_lies_in_cells(const ompi_osc_ucp_layout_t *layout, const ompi_osc_ucp_prim_t *prim);

#endif /* OSC_UCP_OP_LAYOUT_H */
