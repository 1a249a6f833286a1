/* Making layouts from MPI datatypes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYOUT_TYPE_H
#define OSC_UCP_LAYOUT_TYPE_H

#include "layout/layout.h"
#include "op/op.h"

/**
 * The bytes of `count` elements of `datatype`, relative to the buffer's address, in the order of its type map.
 * MPI-3.1 section 4.1. count 0 and empty types give the empty layout. Not with the component's lock held.
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

/* osc_ucp_layout_cache.c: layouts that are kept with their datatype, for the two functions above. `pair` is the pair type
 * whose cells they are of, NULL for bytes. Not with the component's lock held. Any thread. */

/** The layout that was kept, to be freed by the caller; false if there is none. */
bool ompi_osc_ucp_layout_recall(const struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                                ompi_osc_ucp_layout_t *layout);

/** The layout in pieces that was kept, and asked for last: valid until anything else happens; NULL: ask for it above. Not
 *  for programs with threads. */
const ompi_osc_ucp_layout_t *ompi_osc_ucp_layout_peek(const struct ompi_datatype_t *datatype, size_t count);

/** Keep a layout with its datatype, if that can be done. */
void ompi_osc_ucp_layout_keep(struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                              const ompi_osc_ucp_layout_t *layout);

/** Forget how to keep layouts: the component ends. What is kept stays with its datatype. */
void ompi_osc_ucp_layouts_fini(void);

#endif /* OSC_UCP_LAYOUT_TYPE_H */
