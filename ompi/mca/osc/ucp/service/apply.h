/* What the files of the service side share: packets, their origins, and what each kind of command does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_AM_APPLY_H
#define OSC_UCP_AM_APPLY_H

#include "service/target.h"
#include "wire/wire.h"

/** What a command is applied with. */
typedef struct ompi_osc_ucp_context_t {
    ompi_osc_ucp_target_t    *target;
    ompi_osc_ucp_source_t    *source;
    opal_common_ucp_ep_t     *reply_ep;
    opal_common_ucp_remote_t *remote;     /**< the payload, if the sender still has it; whoever receives it clears this */
    void (*run)(ompi_osc_ucp_target_t *target); /**< lets go on what has been resumed */
} ompi_osc_ucp_context_t;

/** Do what a decoded command asks for. Nothing in it is trusted. */
void ompi_osc_ucp_apply(ompi_osc_ucp_context_t *context, ompi_osc_ucp_command_t *command);

/** Grant the lock to those whose turn has come. */
void ompi_osc_ucp_locks_look(ompi_osc_ucp_target_t *target);

#endif /* OSC_UCP_AM_APPLY_H */
