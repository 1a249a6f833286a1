/* Pairs with gaps: elements of MPI_DOUBLE_INT and its like, whose cells have bytes that belong to neither member.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_OP_PAIRS_H
#define OSC_UCP_OP_PAIRS_H

#include "op/op.h"

/** target = source op target, for `n` pairs: `target` are cells, source_form tells what `source` are. Gaps are neither
 *  read nor written. No address need be aligned. False: nothing was stored, because nothing changed. */
typedef bool ompi_osc_ucp_pairs_kernel_t(const ompi_osc_ucp_prim_t *prim, char *target,
                                         ompi_osc_ucp_form_t source_form, const char *source, size_t n);

/** The kernel of MAXLOC or MINLOC for a type with gaps; NULL for other operations and types. */
ompi_osc_ucp_pairs_kernel_t *ompi_osc_ucp_pairs_kernel(uint8_t op, const ompi_osc_ucp_prim_t *prim);

/** Copy `n` pairs from one form to another or the same. Gaps of cells are neither read nor written. */
void ompi_osc_ucp_pairs_copy(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t to_form, char *to,
                             ompi_osc_ucp_form_t from_form, const char *from, size_t n);

/** Are two pairs the same, byte for byte? */
bool ompi_osc_ucp_pairs_same(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t form, const char *a, const char *b);

#endif /* OSC_UCP_OP_PAIRS_H */
