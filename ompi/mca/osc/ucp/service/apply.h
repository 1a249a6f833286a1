/* The execution of commands at the service side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_APPLY_H
#define OSC_UCP_APPLY_H

#include "service/target.h"
#include "wire/wire.h"

/** Where a command comes from, and what it acts on. */
typedef struct ompi_osc_ucp_context_t {
    ompi_osc_ucp_target_t    *target;
    ompi_osc_ucp_source_t    *source;
    opal_common_ucp_ep_t     *reply_ep;
    opal_common_ucp_remote_t *remote; /**< payload that the sender still holds, or NULL; cleared when it is received */
    int64_t                   place;  /**< of the command (wire/wire.h); of one that is not ordered, 0 */
    void (*run)(ompi_osc_ucp_target_t *target); /**< ompi_osc_ucp_target_run */
} ompi_osc_ucp_context_t;

/** Execute a decoded command. Checks everything in it first: its sender is not trusted. */
void ompi_osc_ucp_apply(ompi_osc_ucp_context_t *context, ompi_osc_ucp_command_t *command);

#endif /* OSC_UCP_APPLY_H */
