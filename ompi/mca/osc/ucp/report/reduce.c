/* Reductions over the members of a window, which may die meanwhile.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/report.h"

bool ompi_osc_ucp_reduce(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, const void *from, void *to, int n,
                         ompi_datatype_t *type, ompi_op_t *op, bool all)
{
    ompi_request_t *request = NULL;
    int             rc;

    if (all) {
        rc = comm->c_coll->coll_iallreduce(from, to, n, type, op, comm, &request,
                                           comm->c_coll->coll_iallreduce_module);
    } else {
        rc = comm->c_coll->coll_ireduce(from, to, n, type, op, 0, comm, &request, comm->c_coll->coll_ireduce_module);
    }
    if (OMPI_SUCCESS != rc) {
        return false;
    }
    while (!REQUEST_COMPLETE(request)) {
        if (__atomic_load_n(&window->lost, __ATOMIC_RELAXED)) {
            return false; /* a member that has died cannot take part (layer/survive.c) */
        }
        opal_progress();
    }
    return OMPI_SUCCESS == ompi_request_wait(&request, MPI_STATUS_IGNORE);
}
