/* The lock table of the service side: requests for the window's lock that came by message.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Those with a ticket wait in order. A reader that joins (memory/lockword.h) waits beside them, for a bounded time: an
 * alarm of the transport ends it.
 */

#include "service/locks.h"

#include <stddef.h>

#include "service/reply.h"

/* Short names, for this file. */
typedef ompi_osc_ucp_target_t      target_t;
typedef ompi_osc_ucp_source_t      source_t;
typedef ompi_osc_ucp_context_t     context_t;
typedef ompi_osc_ucp_command_t     command_t;
typedef ompi_osc_ucp_lock_waiter_t waiter_t;

static void (*target_run)(target_t *target); /* ompi_osc_ucp_target_run, once there is a waiter */

/** The waiter, which is no longer in a list, has the lock. */
static void grant(target_t *target, waiter_t *waiter)
{
    source_t *source = (source_t *) (void *) ((char *) waiter - offsetof(source_t, waiter));

    __atomic_fetch_sub(&target->control->lock.remote, 1, __ATOMIC_RELAXED);
    ompi_osc_ucp_reply_status(waiter->reply_ep, waiter->cookie, OMPI_SUCCESS);
    source->waiting = false;
    if (NULL != ompi_osc_ucp_watched) {
        source->holds      = waiter->exclusive ? OMPI_OSC_UCP_HELD_EXCLUSIVE : OMPI_OSC_UCP_HELD_SHARED;
        source->held_since = ompi_osc_ucp_watched_now();
    }
    ompi_osc_ucp_source_resume(target, source);
}

static void late_look(target_t *target)
{
    if (NULL != target->joining) {
        ompi_osc_ucp_locks_look(target);
        target_run(target);
    }
}

/** Some readers have waited long enough. If others go on, the alarm is set again. */
static void rang(void)
{
    ompi_osc_ucp_targets_visit(late_look);
}

/** Let in those that join, if they need not wait any longer. */
static void joining_look(target_t *target)
{
    ompi_osc_ucp_lockword_t *word = &target->control->lock;
    waiter_t               **at   = &target->joining, *waiter;
    uint64_t                 now  = opal_common_ucp_now_ns();

    while (NULL != (waiter = *at)) {
        waiter->inside = waiter->inside || ompi_osc_ucp_lockword_join(word, &waiter->joiner, now);
        if (waiter->inside && ompi_osc_ucp_lockword_joined(word)) {
            *at = waiter->next;
            grant(target, waiter);
            continue;
        }
        if (!waiter->inside) {
            opal_common_ucp_service_alarm(waiter->joiner.until, rang);
        }
        at = &waiter->next;
    }
}

void ompi_osc_ucp_locks_look(target_t *target)
{
    waiter_t *waiter;

    while (NULL != (waiter = target->waiting) &&
           ompi_osc_ucp_lockword_enter(&target->control->lock, waiter->ticket, waiter->exclusive)) {
        target->waiting = waiter->next;
        grant(target, waiter);
    }
    if (NULL != target->joining) {
        joining_look(target);
    }
}

/** Join, or draw a ticket; then wait, unless the lock can be granted at once. */
void ompi_osc_ucp_locks_lock(context_t *context, command_t *command)
{
    target_t                *target = context->target;
    ompi_osc_ucp_lockword_t *word   = &target->control->lock;
    waiter_t                *waiter = &context->source->waiter;
    uint8_t                  flags  = command->wire.flags;

    target_run = context->run;
    /* Before the ticket is drawn: whoever passes the turn to this ticket must see that a doorbell is needed. */
    __atomic_fetch_add(&word->remote, 1, __ATOMIC_SEQ_CST);
    *waiter = (waiter_t) {
        .exclusive = 0 != (flags & OMPI_OSC_UCP_FLAG_EXCLUSIVE),
        .reply_ep  = context->reply_ep,
        .cookie    = command->reply_to.cookie
    };
    context->source->waiting = true;
    if (0 != (flags & OMPI_OSC_UCP_FLAG_JOIN) && !waiter->exclusive) {
        waiter->joiner  = ompi_osc_ucp_lockword_stand(word, opal_common_ucp_now_ns());
        waiter->next    = target->joining;
        target->joining = waiter;
    } else {
        waiter->ticket = ompi_osc_ucp_lockword_draw(word);
        if (NULL == target->waiting) {
            target->waiting = waiter;
        } else {
            target->last_waiting->next = waiter;
        }
        target->last_waiting = waiter;
    }
    ompi_osc_ucp_locks_look(target);
}

void ompi_osc_ucp_locks_unlock(context_t *context, command_t *command)
{
    context->source->holds = OMPI_OSC_UCP_HELD_NOTHING;
    ompi_osc_ucp_lockword_leave(&context->target->control->lock,
                                0 != (command->wire.flags & OMPI_OSC_UCP_FLAG_EXCLUSIVE));
    ompi_osc_ucp_locks_look(context->target);
}

void ompi_osc_ucp_locks_doorbell(context_t *context, command_t *command)
{
    (void) command;
    ompi_osc_ucp_locks_look(context->target);
}
