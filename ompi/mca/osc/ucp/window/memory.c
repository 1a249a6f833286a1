/* The memory of a window at this process: its control block, and the memory of MPI_Win_allocate or MPI_Win_create.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The control block and memory of MPI_Win_allocate are one block of the arena, and so are the control block and the
 * table of attached regions that peers see. Memory of MPI_Win_create is registered
 * if peers may reach it natively.
 */

#include "window/stages.h"

#include "base/params.h"
#include "memory/attached.h"

typedef struct attached_t {
    ompi_osc_ucp_attached_t       head;
    ompi_osc_ucp_attached_table_t table;
} attached_t;

int ompi_osc_ucp_memory_allocate(ompi_osc_ucp_window_t *window)
{
    bool   allocates = MPI_WIN_FLAVOR_ALLOCATE == window->flavor;
    bool   dynamic   = MPI_WIN_FLAVOR_DYNAMIC == window->flavor;
    size_t before    = ompi_osc_ucp_counters_bytes(window->counters_max);
    size_t bytes     = before + sizeof(ompi_osc_ucp_control_t) +
                       (allocates ? (size_t) window->bytes : dynamic ? sizeof(attached_t) : 0);
    attached_t *attached;
    int         rc;

    rc = ompi_osc_ucp_arena_take(bytes, window->alignment, before + sizeof(ompi_osc_ucp_control_t), window->size > 1,
                                 &window->block);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    window->control = (ompi_osc_ucp_control_t *) ((char *) ompi_osc_ucp_block_address(&window->block) + before);
    memset(window->control, 0, sizeof(*window->control));
    if (dynamic) {
        attached = (attached_t *) (window->control + 1);
        memset(attached->table.insiders, 0, sizeof(attached->table.insiders));
        ompi_osc_ucp_attached_init(&attached->head, &attached->table);
        window->attached = &attached->head;
    }
    window->stripes = ompi_osc_ucp_block_head(&window->block)->stripes;
    if (allocates) {
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

/** Is the window's memory to be registered, so that peers may reach it natively? */
static bool is_registered(const ompi_osc_ucp_window_t *window)
{
    return MPI_WIN_FLAVOR_CREATE == window->flavor && !window->device && opal_common_ucp_is_open() &&
           (OMPI_OSC_UCP_RDMA_ALWAYS == ompi_osc_ucp_params.rdma ||
            (OMPI_OSC_UCP_RDMA_AUTO == ompi_osc_ucp_params.rdma && opal_common_ucp_registers()));
}

void ompi_osc_ucp_memory_register(ompi_osc_ucp_window_t *window, char **reason_p)
{
    if (window->bytes > 0 && is_registered(window)) {
        (void) opal_common_ucp_memory_register(window->base, (size_t) window->bytes, &window->registered, reason_p);
    }
}
