/* Mail: packets that an origin hands to a target of its node in shared memory, and the replies to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A packet whose sender waits for the answer needs no transport if the target polls inside MPI: it lies in the
 * target's memory, and so do the replies then, in 0.6 of the time of a message. What a mail says, in which turn
 * it is applied, and what is replied are those of any packet. A target that does not come is told by a message that
 * there is a mail; from the next ones it is spared, fewer or more of them, according to how often it has come.
 */

#ifndef OSC_UCP_NEAR_MAIL_H
#define OSC_UCP_NEAR_MAIL_H

#include "../osc_ucp.h"

/* The origin. Inside the origin side. */

/** This process's mailbox in a mapped chunk, which is kept in *mailbox_p, made if need be; NULL if there is none to be
 *  had. */
ompi_osc_ucp_mailbox_t *ompi_osc_ucp_mailbox(ompi_osc_ucp_mailbox_t **mailbox_p, ompi_osc_ucp_chunk_head_t *head);
void ompi_osc_ucp_mailbox_free(ompi_osc_ucp_mailbox_t *mailbox);

/** Hand over a packet, which is copied; its sender waits for a reply. False: not that way. */
bool ompi_osc_ucp_mail_post(ompi_osc_ucp_peer_t *peer, const void *packet, size_t len);

/** Mails that have not been seen to be taken. */
extern ompi_osc_ucp_mailbox_t *ompi_osc_ucp_mails_open;

/** The window is freed: all replies are here, and perhaps nobody has looked at the mail that brought, or announced, them. */
void ompi_osc_ucp_mails_forget(const ompi_osc_ucp_window_t *window);

/** Look whether they are, and pass on their replies. Returns the number of those that are. */
unsigned ompi_osc_ucp_mails_collect(void);

/** Wait for all of them, for the time that a target needs which polls. */
void ompi_osc_ucp_mails_await(void);

/* The target. */

/** Is there a mail for this process? Any thread. */
static inline bool ompi_osc_ucp_mail_lies(void)
{
    const ompi_osc_ucp_chunk_head_t *head = __atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE);
    const ompi_osc_ucp_mail_t       *mail;
    uint32_t                         i, used;

    if (NULL == head) {
        return false;
    }
    used = __atomic_load_n(&head->mails_used, __ATOMIC_RELAXED);
    for (i = 0; i < used && i < OMPI_OSC_UCP_MAILS; i++) {
        mail = &head->mails[i];
        if (__atomic_load_n(&mail->taken, __ATOMIC_RELAXED) != __atomic_load_n(&mail->posted, __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

/** Take what lies here, if no other thread is at it. Returns the number of mails. Any thread, outside the service lock. */
unsigned ompi_osc_ucp_mails_take(void);

/** The same inside the service lock. */
unsigned ompi_osc_ucp_mails_take_locked(void);

/** Mails that this process has taken as it polled, for the user. */
uint64_t ompi_osc_ucp_mails_taken(void);

#endif /* OSC_UCP_NEAR_MAIL_H */
