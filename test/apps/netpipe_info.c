/*
 * Preloaded into NetPIPE (LD_PRELOAD), which creates its window with NULL where MPI wants MPI_INFO_NULL. Open MPI
 * refuses NULL before it calls any component.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <mpi.h>
#include <stddef.h>

int MPI_Win_create(void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    return PMPI_Win_create(base, size, disp_unit, NULL == info ? MPI_INFO_NULL : info, comm, win);
}
