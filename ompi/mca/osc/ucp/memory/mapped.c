/* Chunks of other processes that this process has mapped.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "memory/mapped.h"

#include <stdlib.h>

#include "opal/constants.h"

struct ompi_osc_ucp_mapped_t {
    ompi_osc_ucp_mapped_t       *next;
    uint64_t                     id;
    uint64_t                     users;
    bool                         lasting;
    opal_common_ucp_mapping_t   *mapping;
    ompi_osc_ucp_chunk_head_t   *head;
    ompi_osc_ucp_mapped_extra_t *extra;
};

ompi_osc_ucp_mapped_t *ompi_osc_ucp_chunk_map(ompi_osc_ucp_mapped_t **mapped, opal_common_ucp_ep_t *ep,
                                              const ompi_osc_ucp_description_t *description,
                                              ompi_osc_ucp_chunk_head_t **head_p)
{
    ompi_osc_ucp_mapped_t     *chunk;
    opal_common_ucp_mapping_t *mapping;
    void                      *head;

    for (chunk = *mapped; NULL != chunk; chunk = chunk->next) {
        if (chunk->id == description->chunk) {
            chunk->users++;
            *head_p = chunk->head;
            return chunk;
        }
    }
    if (OPAL_SUCCESS != opal_common_ucp_map(ep, description->key, description->head, &mapping, &head)) {
        return NULL;
    }
    chunk = malloc(sizeof(*chunk));
    if (NULL == chunk || ((ompi_osc_ucp_chunk_head_t *) head)->nonce != description->nonce) {
        free(chunk);
        opal_common_ucp_unmap(mapping);
        return NULL;
    }
    *chunk = (ompi_osc_ucp_mapped_t) {
        .next = *mapped, .id = description->chunk, .users = 1, .lasting = description->lasting, .mapping = mapping,
        .head = head
    };
    *mapped = chunk;
    *head_p = chunk->head;
    return chunk;
}

ompi_osc_ucp_mapped_extra_t **ompi_osc_ucp_chunk_extra(ompi_osc_ucp_mapped_t *chunk)
{
    return &chunk->extra;
}

static void mapped_free(ompi_osc_ucp_mapped_t *chunk)
{
    if (NULL != chunk->extra) {
        chunk->extra->free(chunk->extra);
    }
    opal_common_ucp_unmap(chunk->mapping);
    free(chunk);
}

void ompi_osc_ucp_chunk_unmap(ompi_osc_ucp_mapped_t **mapped, ompi_osc_ucp_mapped_t *chunk)
{
    if (0 != --chunk->users || chunk->lasting) {
        return;
    }
    while (*mapped != chunk) {
        mapped = &(*mapped)->next;
    }
    *mapped = chunk->next;
    mapped_free(chunk);
}

void ompi_osc_ucp_chunks_unmap(ompi_osc_ucp_mapped_t **mapped)
{
    ompi_osc_ucp_mapped_t *chunk;

    while (NULL != (chunk = *mapped)) {
        *mapped = chunk->next;
        mapped_free(chunk);
    }
}
