/* The two halves of the layer that osc_ucp_trace records: operations (layer/trace_operations.c) and synchronization.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_LAYER_TRACING_H
#define OSC_UCP_LAYER_TRACING_H

#include "base/trace.h"
#include "layer/layer.h"

/** What the trace keeps for a window. */
struct ompi_osc_ucp_tracing_t {
    ompi_osc_ucp_traced_t *as;   /**< the window in records; outlives this */
    uint64_t               job;  /**< own job */
    bool                   same; /**< all ranks in the window are those in MPI_COMM_WORLD */
    struct epoch_t        *open; /**< layer/trace.c; malloc'd; inside the origin side */
    int                    opened, room;
};

/** Communication calls of the layer (layer/trace_operations.c); the others are NULL. */
extern const ompi_osc_base_module_t ompi_osc_ucp_trace_communicating;

/** A rank in the window as records have their targets. */
static inline int ompi_osc_ucp_traced_rank(const ompi_osc_ucp_window_t *window, int rank)
{
    uint64_t key;

    if (rank < 0 || rank >= window->size) {
        return OMPI_OSC_UCP_TRACE_NOBODY;
    }
    if (window->tracing->same) {
        return rank;
    }
    key = ompi_osc_ucp_proc_key(window->group, rank);
    return window->tracing->job == key >> 32 ? (int) (uint32_t) key : OMPI_OSC_UCP_TRACE_FOREIGN(rank);
}

#endif /* OSC_UCP_LAYER_TRACING_H */
