/* Layouts of MPI datatypes, and the cache of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYOUT_TYPE_H
#define OSC_UCP_LAYOUT_TYPE_H

#include "layout/layout.h"
#include "op/op.h"

/**
 * Make the layout of the bytes of `count` elements of `datatype`, relative to the buffer's address, in the order of its
 * type map (MPI-3.1 section 4.1). A count of 0 and empty types give the empty layout. The caller frees it. Outside the
 * origin side. Returns OMPI_SUCCESS, OMPI_ERR_OUT_OF_RESOURCE, or OMPI_ERR_NOT_SUPPORTED if Open MPI's description of
 * the type is missing or wrong.
 */
int ompi_osc_ucp_layout_of_bytes(struct ompi_datatype_t *datatype, size_t count, ompi_osc_ucp_layout_t *layout);

/**
 * The same for the cells, prim->extent bytes each, of `count` elements of `datatype`, whose element type is `prim`
 * (ompi_osc_ucp_prim_of). Without gaps cells are the bytes. The gap of the last cell may lie beyond the type's true
 * upper bound: to check a range, lower ub by ompi_osc_ucp_prim_gap.
 */
int ompi_osc_ucp_layout_of_elements(struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *prim,
                                    ompi_osc_ucp_layout_t *layout);

/* The cache (op/layout_cache.c), for the two functions above. `pair` is the pair type of the cells, NULL for bytes.
 * Outside the origin side; any thread. */

/** Get a layout from the cache, which the caller frees. False if it is not there. */
bool ompi_osc_ucp_layout_recall(const struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                                ompi_osc_ucp_layout_t *layout);

/** The layout of bytes that was asked for last, if it is that of `count` elements of `datatype` and not contiguous.
 *  Valid until the next call of a function here. NULL otherwise, and always with MPI_THREAD_MULTIPLE. */
const ompi_osc_ucp_layout_t *ompi_osc_ucp_layout_peek(const struct ompi_datatype_t *datatype, size_t count);

/** Put a layout into the cache, if possible. */
void ompi_osc_ucp_layout_keep(struct ompi_datatype_t *datatype, size_t count, const ompi_osc_ucp_prim_t *pair,
                              const ompi_osc_ucp_layout_t *layout);

/** Free the attribute's key when the component ends. Open MPI deletes the caches with their datatypes. */
void ompi_osc_ucp_layouts_fini(void);

#endif /* OSC_UCP_LAYOUT_TYPE_H */
