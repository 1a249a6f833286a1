/* What a window's member owns that its peers may reach: its control block, and the memory of MPI_Win_allocate.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Both are one block of an arena, if other processes may map it. Whether a peer can map it shows when it tries: nothing
 * else is a reliable sign.
 */

#include "osc_ucp.h"

#include <stdlib.h>
#include <unistd.h>

#include "path/am_wire.h"
#include "path/path.h"

/** Stripes for memory that no other process reaches directly: one table serves all such windows. */
static ompi_osc_ucp_stripe_t own_stripes[OMPI_OSC_UCP_STRIPES] __attribute__((aligned(64)));

int ompi_osc_ucp_memory_allocate(ompi_osc_ucp_window_t *window)
{
    bool   allocates = MPI_WIN_FLAVOR_ALLOCATE == window->flavor;
    size_t bytes     = sizeof(ompi_osc_ucp_control_t) + (allocates ? (size_t) window->bytes : 0);
    int    rc;

    rc = ompi_osc_ucp_arena_take(bytes, window->alignment, sizeof(ompi_osc_ucp_control_t), window->size > 1,
                                 &window->block);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    window->control = ompi_osc_ucp_block_address(&window->block);
    memset(window->control, 0, sizeof(*window->control));
    window->stripes = own_stripes;
    if (allocates) {
        window->stripes  = ompi_osc_ucp_block_head(&window->block)->stripes;
        window->key_base = (uintptr_t) ompi_osc_ucp_block_head(&window->block);
        window->base     = window->control + 1;
    }
    return OMPI_SUCCESS;
}

void ompi_osc_ucp_memory_free(ompi_osc_ucp_window_t *window)
{
    if (NULL != window->registered) {
        opal_common_ucp_memory_free(window->registered);
        window->registered = NULL;
    }
    ompi_osc_ucp_arena_give(&window->block);
}

void ompi_osc_ucp_memory_describe(const ompi_osc_ucp_window_t *window, ompi_osc_ucp_description_t *description)
{
    void  *key;
    size_t len;

    *description = (ompi_osc_ucp_description_t) {
        .size      = window->bytes,
        .disp_unit = window->disp_unit,
        .base      = (uint64_t) (uintptr_t) window->base,
        .pid       = getpid(),
        .memory    = MPI_WIN_FLAVOR_ALLOCATE == window->flavor
    };
    ompi_osc_ucp_block_describe(&window->block, description);
    if (NULL != window->registered &&
        OPAL_SUCCESS == opal_common_ucp_memory_key(window->registered, &key, &len)) {
        if (len <= sizeof(description->user_key)) {
            description->user_key_len = (uint32_t) len;
            memcpy(description->user_key, key, len);
        }
        free(key);
    }
}

bool ompi_osc_ucp_memory_registers(const ompi_osc_ucp_window_t *window)
{
    return MPI_WIN_FLAVOR_CREATE == window->flavor && !window->device && opal_common_ucp_is_open() &&
           (OMPI_OSC_UCP_RDMA_ALWAYS == mca_osc_ucp_component.rdma ||
            (OMPI_OSC_UCP_RDMA_AUTO == mca_osc_ucp_component.rdma && opal_common_ucp_registers()));
}

void ompi_osc_ucp_memory_register(ompi_osc_ucp_window_t *window, char **reason_p)
{
    if (window->bytes > 0 && ompi_osc_ucp_memory_registers(window)) {
        (void) opal_common_ucp_memory_register(window->base, (size_t) window->bytes, &window->registered, reason_p);
    }
}

void ompi_osc_ucp_memory_map(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_description_t *description)
{
    ompi_osc_ucp_mapped_t    **chunks = ompi_osc_ucp_peer_chunks(peer);
    ompi_osc_ucp_chunk_head_t *head;

    if (0 == description->chunk || NULL == chunks) {
        return;
    }
    peer->chunk = ompi_osc_ucp_chunk_map(chunks, peer->ep, description, &head);
    if (NULL == peer->chunk) {
        return;
    }
    peer->control = (ompi_osc_ucp_control_t *) ((char *) head + description->offset);
    if (description->memory) {
        peer->memory   = (char *) (peer->control + 1);
        peer->stripes  = head->stripes;
        peer->key_base = (uintptr_t) head;
        peer->path     = &ompi_osc_ucp_path_direct;
    } else {
        peer->path = &ompi_osc_ucp_path_near;
        ompi_osc_ucp_near_attach(peer, description, head);
    }
}
