/* What the files of the service side share: packets, their origins, and what each kind of command does.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything here runs under the service lock.
 */

#ifndef OSC_UCP_AM_APPLY_H
#define OSC_UCP_AM_APPLY_H

#include "am_target.h"
#include "am_wire.h"

/** A request for the lock whose turn has not come. */
struct ompi_osc_ucp_waiter_t {
    ompi_osc_ucp_waiter_t *next; /**< who joins, then in order of ticket */
    uint32_t               ticket;
    bool                   exclusive, joins;
    opal_common_ucp_ep_t  *reply_ep;
    uint64_t               cookie; /**< replied to when it has; 0: nobody needs that */
};

/** One origin of a window. */
struct ompi_osc_ucp_source_t {
    uint32_t sequence;  /**< of the next ordered packet to apply */
    uint32_t posts;     /**< received and not yet used by MPI_Win_start */
    int      error;     /**< refused since the last acknowledgement */
    uint32_t receiving; /**< puts whose data are on their way to the window */
    bool     waiting;   /**< for the lock; its packets wait, too */
    bool     runnable;  /**< in the target's list of those that may go on */
    opal_common_ucp_ep_t       *reply_ep; /**< of the last message; NULL before the first one */
    ompi_osc_ucp_wire_process_t process; /**< that it was found to be when it asked for the description; else zeros */
    ompi_osc_ucp_waiter_t       waiter; /**< of meaning while waiting */
    ompi_osc_ucp_source_t      *next_runnable;
    struct ompi_osc_ucp_held_t *held; /**< packets whose turn has not come, in their order */
};

/** What a command is applied with. */
typedef struct ompi_osc_ucp_context_t {
    ompi_osc_ucp_target_t    *target;
    ompi_osc_ucp_source_t    *source;
    opal_common_ucp_ep_t     *reply_ep;
    opal_common_ucp_remote_t *remote;     /**< the payload, if the sender still has it; whoever receives it clears this */
    size_t                    remote_len;
} ompi_osc_ucp_context_t;

/** Do what a decoded command asks for. Nothing in it is trusted. */
void ompi_osc_ucp_apply(ompi_osc_ucp_context_t *context, ompi_osc_ucp_command_t *command);

/** Grant the lock to those whose turn has come. */
void ompi_osc_ucp_locks_look(ompi_osc_ucp_target_t *target);

/** A source may go on: ompi_osc_ucp_target_run lets it. */
void ompi_osc_ucp_source_resume(ompi_osc_ucp_target_t *target, ompi_osc_ucp_source_t *source);

/** Let all go on that may, and send the replies. */
void ompi_osc_ucp_target_run(ompi_osc_ucp_target_t *target);

#endif /* OSC_UCP_AM_APPLY_H */
