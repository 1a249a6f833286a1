/* Peers' chunks as they are mapped here: a list for each process, which owns it (peer/process.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it belongs to the origin side.
 */

#ifndef OSC_UCP_MAPPED_H
#define OSC_UCP_MAPPED_H

#include "memory/arena.h"
#include "opal/mca/common/ucp/common_ucp.h"

typedef struct ompi_osc_ucp_mapped_t ompi_osc_ucp_mapped_t;

/** What somebody keeps with a mapping, inside a struct of its own: freed when the chunk is unmapped. */
typedef struct ompi_osc_ucp_mapped_extra_t ompi_osc_ucp_mapped_extra_t;
struct ompi_osc_ucp_mapped_extra_t {
    void (*free)(ompi_osc_ucp_mapped_extra_t *extra);
};

/**
 * Map the chunk that a description names, or find it among those of the process that are mapped already. NULL if that
 * is not possible. The chunk's head is *head_p.
 */
ompi_osc_ucp_mapped_t *ompi_osc_ucp_chunk_map(ompi_osc_ucp_mapped_t **mapped, opal_common_ucp_ep_t *ep,
                                              const ompi_osc_ucp_description_t *description,
                                              ompi_osc_ucp_chunk_head_t **head_p);

/** Where what is kept with the mapping is kept; NULL there: nothing is. */
ompi_osc_ucp_mapped_extra_t **ompi_osc_ucp_chunk_extra(ompi_osc_ucp_mapped_t *chunk);

/** One user of the mapping less. */
void ompi_osc_ucp_chunk_unmap(ompi_osc_ucp_mapped_t **mapped, ompi_osc_ucp_mapped_t *chunk);

/** Unmap all. */
void ompi_osc_ucp_chunks_unmap(ompi_osc_ucp_mapped_t **mapped);

#endif /* OSC_UCP_MAPPED_H */
