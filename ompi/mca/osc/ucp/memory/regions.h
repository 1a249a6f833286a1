/* The table of regions that are attached to a dynamic window (MPI-3.1 section 11.2.4).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Guarded by the service lock: the service side checks every access there.
 */

#ifndef OSC_UCP_REGIONS_H
#define OSC_UCP_REGIONS_H

#include "ompi_config.h"

#include "layout/layout.h"
#include "memory/attached.h"

typedef struct ompi_osc_ucp_regions_t ompi_osc_ucp_regions_t;

/** Make an empty table; NULL if memory is short. Its regions are shown in `attached`, unless that is NULL. */
ompi_osc_ucp_regions_t *ompi_osc_ucp_regions_new(ompi_osc_ucp_attached_t *attached);
void ompi_osc_ucp_regions_free(ompi_osc_ucp_regions_t *regions);

/** Attach `size` bytes at `start`. OMPI_ERR_RMA_ATTACH: they overlap an attached region or the end of the address
 *  space. */
int ompi_osc_ucp_regions_attach(ompi_osc_ucp_regions_t *regions, uint64_t start, uint64_t size);

/** Detach the region that begins at `start`. OMPI_ERR_RMA_ATTACH: there is none. */
int ompi_osc_ucp_regions_detach(ompi_osc_ucp_regions_t *regions, uint64_t start);

/** Are all packed bytes [pos, pos + len) of `layout` at `address` attached? The last `gap` bytes of each run need not
 *  be. Linear in the number of runs of that part. */
bool ompi_osc_ucp_regions_cover(const ompi_osc_ucp_regions_t *regions, uint64_t address,
                                const ompi_osc_ucp_layout_t *layout, uint64_t pos, uint64_t len, int64_t gap);

#endif /* OSC_UCP_REGIONS_H */
