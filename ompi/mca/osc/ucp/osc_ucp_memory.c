/* Window memory that one process owns, and how its peers of the same node come to map it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The memory of MPI_Win_allocate comes from UCX, which puts it where the processes of the node can map it, if one of
 * its transports can. A head in front of it holds what they share with the owner: the stripes that make accumulates
 * atomic. Whether a peer can map the memory shows when it tries: nothing else is a reliable sign.
 */

#include "osc_ucp.h"

#include <stdlib.h>

#include "path/am_wire.h"
#include "path/path.h"

/** In front of the memory of MPI_Win_allocate. */
typedef struct head_t {
    uint64_t              nonce; /**< tells this memory from another that a process may map by mistake */
    uint64_t              start; /**< of the window's memory, bytes from here */
    char                  pad[48];
    ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES];
} head_t;

struct ompi_osc_ucp_allocation_t {
    opal_common_ucp_memory_t *memory; /**< NULL: from the C library */
    head_t                   *head;
};

/** Stripes for memory that no other process reaches directly: one table serves all such windows. */
static ompi_osc_ucp_stripe_t own_stripes[OMPI_OSC_UCP_STRIPES] __attribute__((aligned(64)));

/** Memory that peers may map; if UCX has none to give, any. */
static int allocation_make(ompi_osc_ucp_allocation_t *allocation, size_t bytes)
{
    void *memory = NULL;

    if (opal_common_ucp_is_open() &&
        OPAL_SUCCESS == opal_common_ucp_memory_allocate(bytes, &allocation->memory, &memory)) {
        allocation->head = memory;
        return OMPI_SUCCESS;
    }
    allocation->memory = NULL;
    if (0 != posix_memalign(&memory, sizeof(ompi_osc_ucp_stripe_t), bytes)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    allocation->head = memory;
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_memory_allocate(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_allocation_t *allocation;
    uintptr_t                  start;
    int                        rc;

    window->stripes = own_stripes;
    if (MPI_WIN_FLAVOR_ALLOCATE != window->flavor) {
        return OMPI_SUCCESS;
    }
    allocation = malloc(sizeof(*allocation));
    if (NULL == allocation) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = allocation_make(allocation, sizeof(head_t) + window->alignment + (size_t) window->bytes);
    if (OMPI_SUCCESS != rc) {
        free(allocation);
        return rc;
    }
    memset(allocation->head, 0, sizeof(head_t));
    start = ((uintptr_t) (allocation->head + 1) + window->alignment - 1) & ~(uintptr_t) (window->alignment - 1);
    allocation->head->start = start - (uintptr_t) allocation->head;
    allocation->head->nonce = ompi_osc_ucp_proc_key(window->group, window->rank) ^ window->id << 40;
    window->allocation      = allocation;
    window->stripes         = allocation->head->stripes;
    window->key_base        = (uintptr_t) allocation->head;
    window->base            = (void *) start;
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_memory_free(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_allocation_t *allocation = window->allocation;

    if (NULL == allocation) {
        return;
    }
    if (NULL != allocation->memory) {
        opal_common_ucp_memory_free(allocation->memory);
    } else {
        free(allocation->head);
    }
    free(allocation);
    window->allocation = NULL;
}

ompi_osc_ucp_description_t *ompi_osc_ucp_memory_describe(const ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_allocation_t *allocation = window->allocation;
    ompi_osc_ucp_description_t      *description = calloc(1, sizeof(*description));
    void                            *key;
    size_t                           len;

    if (NULL == description) {
        return NULL;
    }
    description->size      = window->bytes;
    description->disp_unit = window->disp_unit;
    if (NULL == allocation || NULL == allocation->memory ||
        OPAL_SUCCESS != opal_common_ucp_memory_key(allocation->memory, &key, &len)) {
        return description;
    }
    if (len <= sizeof(description->key)) {
        description->head  = (uint64_t) (uintptr_t) allocation->head;
        description->nonce = allocation->head->nonce;
        memcpy(description->key, key, len);
    }
    free(key);
    return description;
}

void ompi_osc_ucp_memory_map(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    opal_common_ucp_mapping_t *mapping;
    void                      *address;
    head_t                    *head;

    if (0 == description->head ||
        OPAL_SUCCESS != opal_common_ucp_map(peer->ep, description->key, description->head, &mapping, &address)) {
        return;
    }
    head = address;
    if (head->nonce != description->nonce) {
        opal_common_ucp_unmap(mapping);
        return;
    }
    peer->mapping  = mapping;
    peer->memory   = (char *) head + head->start;
    peer->stripes  = head->stripes;
    peer->key_base = (uintptr_t) head;
    peer->path     = &ompi_osc_ucp_path_mapped;
}
