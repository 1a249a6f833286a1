/* Files in memory, or on a disk, that hold the segment of a window where System V's cannot.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SHARED_FILE_H
#define OSC_UCP_SHARED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "opal/mca/shmem/base/base.h"

#include "memory/sysv.h"

/** Make a file of `size` bytes by Open MPI's shmem framework, and map it: in memory, or on a disk if that is too small
 *  and there must be one. Returns its head, or NULL. Any thread. */
ompi_osc_ucp_sysv_head_t *ompi_osc_ucp_file_create(opal_shmem_ds_t *ds, uint64_t size, bool must);

/** Map a file that another process has made. Returns its head, which begins at a cache line; NULL if that fails. */
ompi_osc_ucp_sysv_head_t *ompi_osc_ucp_file_attach(opal_shmem_ds_t *ds);

/** Is it a file that this process does not see, in a container with the same host name? Open MPI would complain. */
bool ompi_osc_ucp_file_is_elsewhere(const opal_shmem_ds_t *ds);

#endif /* OSC_UCP_SHARED_FILE_H */
