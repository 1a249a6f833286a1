/* The lock table of the service side: requests for the window's lock that came by message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_LOCKS_H
#define OSC_UCP_LOCKS_H

#include "service/apply.h"

/** Execute LOCK, UNLOCK and DOORBELL. */
void ompi_osc_ucp_locks_lock(ompi_osc_ucp_context_t *context, ompi_osc_ucp_command_t *command);
void ompi_osc_ucp_locks_unlock(ompi_osc_ucp_context_t *context, ompi_osc_ucp_command_t *command);
void ompi_osc_ucp_locks_doorbell(ompi_osc_ucp_context_t *context, ompi_osc_ucp_command_t *command);

/** Grant the lock to all waiters whose turn has come, or whose wait is over. */
void ompi_osc_ucp_locks_look(ompi_osc_ucp_target_t *target);

#endif /* OSC_UCP_LOCKS_H */
