/* Accesses of a process to its own memory, compared with operations of others, and told.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * In an epoch of fences, or of MPI_Win_post, an operation of another process is complete only when the epoch ends. So
 * an access in the same epoch is right only if it came first, and the other process has heard of that. In passive
 * target epochs clocks say what orders the two.
 */

#include "check/local.h"

#include "check/order.h"

/** May a load wait for the update by an operation, or an operation for a store? MPI permits that in passive target
 *  epochs (rules U2 and U3). A program waits for one number, or says that the load is volatile or atomic. */
static bool may_wait(const ompi_osc_ucp_access_t *local, const ompi_osc_ucp_access_t *op)
{
    bool one = 1 == op->runs.count && op->runs.len <= sizeof(uint64_t);

    return OMPI_OSC_UCP_LOCAL_PROGRAM == local->local &&
           (OMPI_OSC_UCP_DOES_READ == local->does ? one || 0 != local->waits : one && ompi_osc_ucp_access_reads(op));
}

bool ompi_osc_ucp_local_unordered(const ompi_osc_ucp_access_t *local, const ompi_osc_ucp_access_t *op)
{
    const ompi_osc_ucp_clock_t *clock = &ompi_osc_ucp_check_clock;

    if (OMPI_OSC_UCP_LOCAL_NOT != op->local || local->origin == op->origin) {
        return false;
    }
    if (OMPI_OSC_UCP_WITHIN_EXCLUSIVE == op->within) { /* the owner's own lock keeps it away */
        return OMPI_OSC_UCP_WITHIN_SHARED == local->within && 0 != local->free && !may_wait(local, op) &&
               ompi_osc_ucp_clock_unordered(clock, &local->stamp, &op->stamp);
    }
    if (local->within != op->within) {
        return false;
    }
    if (OMPI_OSC_UCP_WITHIN_SHARED == op->within) {
        return !may_wait(local, op) && ompi_osc_ucp_clock_unordered(clock, &local->stamp, &op->stamp);
    }
    return local->number == op->number && ((local->host == op->host && op->begin < local->begin) ||
                                           ompi_osc_ucp_clock_unheard(clock, &op->stamp, &local->stamp));
}

/** What orders neither, and what would. */
static void reason_set(ompi_osc_ucp_finding_t *finding, const ompi_osc_ucp_access_t *local)
{
    switch (local->within) {
    case OMPI_OSC_UCP_WITHIN_FENCES:
        finding->why  = "both are between the same two calls of MPI_Win_fence";
        finding->cure = "MPI_Win_fence between them";
        break;
    case OMPI_OSC_UCP_WITHIN_START:
        finding->why  = "both are in the same epoch of MPI_Win_start and MPI_Win_post";
        finding->cure = "loads and stores behind MPI_Win_wait, or before MPI_Win_post";
        break;
    default:
        finding->why  = "neither process has heard of the end of the other one's, by a call of MPI";
        finding->cure = "MPI_LOCK_EXCLUSIVE by both, or MPI_Win_flush by the one and then a message or MPI_Barrier to "
                        "the other";
    }
}

void ompi_osc_ucp_local_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *local,
                             const ompi_osc_ucp_access_t *op, int64_t first, int64_t end)
{
    static const char *const kinds[3][2] = {
        [OMPI_OSC_UCP_DOES_READ]       = { "get-load", "get-store" },
        [OMPI_OSC_UCP_DOES_WRITE]      = { "put-load", "put-store" },
        [OMPI_OSC_UCP_DOES_ACCUMULATE] = { "accumulate-load", "accumulate-store" }
    };
    bool                   writes  = OMPI_OSC_UCP_DOES_WRITE == local->does;
    ompi_osc_ucp_finding_t finding = {
        .kind   = kinds[op->does][writes],
        .text   = "nothing orders an operation and the target's own access of the same bytes",
        .target = op->target, .bytes = true, .first = first, .end = end, .n = 2,
        .access = { ompi_osc_ucp_access_told(op), ompi_osc_ucp_access_told(local) }
    };

    if (OMPI_OSC_UCP_LOCAL_PROGRAM == local->local) {
        finding.access[1].what = writes ? "a store of the program" : "a load of the program";
    } else {
        finding.access[1].what = writes ? "the result buffer of its operation" : "a buffer of its operation";
    }
    reason_set(&finding, local);
    ompi_osc_ucp_check_tell(window, &finding);
}
