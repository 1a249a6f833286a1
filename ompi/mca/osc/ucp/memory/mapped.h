/* Chunks of other processes that this process has mapped: one list for each of them (peer/proc.h).
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

/** First member of a struct that lives with a mapping: `free` is called when the chunk is unmapped. */
typedef struct ompi_osc_ucp_mapped_extra_t ompi_osc_ucp_mapped_extra_t;
struct ompi_osc_ucp_mapped_extra_t {
    void (*free)(ompi_osc_ucp_mapped_extra_t *extra);
};

/** Map the chunk that a description names, or find its mapping, and count one more user. NULL if that is not possible.
 *  *head_p is the chunk's head. */
ompi_osc_ucp_mapped_t *ompi_osc_ucp_chunk_map(ompi_osc_ucp_mapped_t **mapped, opal_common_ucp_ep_t *ep,
                                              const ompi_osc_ucp_description_t *description,
                                              ompi_osc_ucp_chunk_head_t **head_p);

/** The pointer to what lives with the mapping; it points to NULL if nothing does. */
ompi_osc_ucp_mapped_extra_t **ompi_osc_ucp_chunk_extra(ompi_osc_ucp_mapped_t *chunk);

/** One user fewer. The last one unmaps the chunk, unless it is a lasting one. */
void ompi_osc_ucp_chunk_unmap(ompi_osc_ucp_mapped_t **mapped, ompi_osc_ucp_mapped_t *chunk);

/** Unmap all chunks of the list. */
void ompi_osc_ucp_chunks_unmap(ompi_osc_ucp_mapped_t **mapped);

#endif /* OSC_UCP_MAPPED_H */
