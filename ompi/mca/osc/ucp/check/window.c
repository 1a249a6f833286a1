/* Windows of the checker's own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/check.h"

#include <string.h>

/** This thread makes one. */
static _Thread_local bool makes;

bool ompi_osc_ucp_check_makes_own(void)
{
    return makes;
}

ompi_win_t *ompi_osc_ucp_check_window(ompi_communicator_t *comm, size_t bytes, size_t zeros, void **base_p)
{
    ompi_win_t *win = NULL;
    int         rc;

    makes = true;
    rc    = ompi_win_allocate(bytes, 1, &MPI_INFO_NULL->super, comm, base_p, &win);
    makes = false;
    if (OMPI_SUCCESS != rc) {
        return NULL;
    }
    memset(*base_p, 0, zeros);
    (void) comm->c_coll->coll_barrier(comm, comm->c_coll->coll_barrier_module);
    return win;
}
