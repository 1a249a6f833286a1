/* Accesses of a process to its own memory, by loads and stores, against operations of others.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_LOCAL_H
#define OSC_UCP_CHECK_LOCAL_H

#include "check/access.h"

/** Is it certain that nothing in the program orders an access of the owner and an operation of another process, and
 *  that they may not meet (MPI-3.1 section 11.7, the unified memory model)? */
bool ompi_osc_ucp_local_unordered(const ompi_osc_ucp_access_t *local, const ompi_osc_ucp_access_t *op);

/** Tell that they have bytes in common. */
void ompi_osc_ucp_local_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *local,
                             const ompi_osc_ucp_access_t *op, int64_t first, int64_t end);

#endif /* OSC_UCP_CHECK_LOCAL_H */
