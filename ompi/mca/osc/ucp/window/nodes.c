/* How the members of a window lie on nodes, where that is so regular that each knows it of all (epoch/barrier.c).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/params.h"
#include "window/stages.h"

static bool is_here(ompi_group_t *group, int rank)
{
    ompi_proc_t *proc = ompi_group_get_proc_ptr_raw(group, rank);

    return !ompi_proc_is_sentinel(proc) && OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags);
}

int64_t ompi_osc_ucp_nodes_seen(const ompi_osc_ucp_window_t *window)
{
    int64_t first = -1, apart = 1, n = 0, rank;

    if (0 != ompi_osc_ucp_params.survive) {
        return 0; /* a first member that sees a death would let the others of its node go on as if there was none */
    }
    for (rank = 0; rank < window->size; rank++) {
        if (!is_here(window->group, (int) rank)) {
            continue;
        }
        if (0 == n) {
            first = rank;
        } else if (1 == n) {
            apart = rank - first;
        } else if (rank != first + n * apart) {
            return 0;
        }
        n++;
    }
    if (n < 2 || 0 != window->size % n) {
        return 0;
    }
    if (1 == apart) {
        return 0 == first % n ? n : 0;
    }
    return apart == window->size / n && first < apart ? -n : 0;
}

void ompi_osc_ucp_nodes_set(ompi_osc_ucp_window_t *window, int64_t most, int64_t least)
{
    window->node_size   = most == least ? (int) (most < 0 ? -most : most) : 0;
    window->node_cyclic = most == least && most < 0;
}
