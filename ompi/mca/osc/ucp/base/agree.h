/* Agreement of all processes of a communicator on an outcome.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_AGREE_H
#define OSC_UCP_AGREE_H

#include "base/host.h"

/** Did all processes succeed? Collective; the same on all: OMPI_SUCCESS, or the lowest error code of any. */
static inline int ompi_osc_ucp_agree(ompi_communicator_t *comm, int rc)
{
    int lowest = OMPI_ERROR;
    int failed = comm->c_coll->coll_allreduce(&rc, &lowest, 1, MPI_INT, MPI_MIN, comm,
                                              comm->c_coll->coll_allreduce_module);

    return OMPI_SUCCESS != failed ? failed : lowest;
}

#endif /* OSC_UCP_AGREE_H */
