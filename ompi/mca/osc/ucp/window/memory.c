/* The memory of a window at this process: its control block, and the memory of MPI_Win_allocate or MPI_Win_create.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The control block and memory of MPI_Win_allocate are one block of the arena. The table of attached regions that peers
 * see lies apart in the control block's chunk, which they map. Memory of MPI_Win_create is registered if peers may
 * reach it natively.
 */

#include "window/stages.h"

#include "base/params.h"
#include "memory/attached.h"

/** Take a block for what lies before the control block, for that, and for `behind`. */
static int control_take(ompi_osc_ucp_window_t *window, size_t behind)
{
    const size_t before = ompi_osc_ucp_counters_bytes(window->counters_max) + sizeof(ompi_osc_ucp_control_t);

    return ompi_osc_ucp_arena_take(before + behind, window->alignment, before, window->size > 1, &window->block);
}

/** The same for a dynamic window, whose table lies apart, or behind all that if the chunk has no room. *table_p: the
 *  table, as bytes from the block's address. */
static int dynamic_take(ompi_osc_ucp_window_t *window, size_t *table_p)
{
    const size_t head = sizeof(ompi_osc_ucp_attached_t), table = sizeof(ompi_osc_ucp_attached_table_t);
    int          rc   = control_take(window, head);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (ompi_osc_ucp_arena_take_far(&window->block, table, &window->far_block)) {
        *table_p = (size_t) (window->far_block.offset - window->block.offset);
        return rc;
    }
    ompi_osc_ucp_arena_give(&window->block);
    rc       = control_take(window, head + table);
    *table_p = (size_t) window->block.bytes - table;
    return rc;
}

int ompi_osc_ucp_memory_allocate(ompi_osc_ucp_window_t *window)
{
    const bool allocates = MPI_WIN_FLAVOR_ALLOCATE == window->flavor;
    const bool dynamic   = MPI_WIN_FLAVOR_DYNAMIC == window->flavor;
    size_t     table     = 0;
    char      *block;
    int        rc;

    rc = dynamic ? dynamic_take(window, &table) : control_take(window, allocates ? (size_t) window->bytes : 0);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    block           = ompi_osc_ucp_block_address(&window->block);
    window->control = (ompi_osc_ucp_control_t *) (block + ompi_osc_ucp_counters_bytes(window->counters_max));
    memset(window->control, 0, sizeof(*window->control));
    if (dynamic) {
        window->attached = (ompi_osc_ucp_attached_t *) (window->control + 1);
        ompi_osc_ucp_attached_init(window->attached, (ompi_osc_ucp_attached_table_t *) (block + table));
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
    ompi_osc_ucp_arena_give(&window->far_block);
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
