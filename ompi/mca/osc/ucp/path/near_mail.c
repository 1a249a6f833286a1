/* Mail: packets that an origin hands to a target of its node in shared memory, and the replies to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A place for mails belongs to one origin until it gives it back. Each of the two sides writes lines of its own, and
 * numbers what it writes: a packet is there when its number is, and may be overwritten when the target has written the
 * same one. What lies there is copied before it is looked at: others may write there.
 */

#include "near_mail.h"

#include <stdlib.h>

#include "../osc_ucp_peer.h"
#include "am.h"
#include "am_apply.h"
#include "am_packet.h"
#include "am_refused.h"

/** Looks of an origin that does nothing else meanwhile, some 5 us; of one that does, a look is worth so many. After some
 *  of them it looks for mail of its own. */
#define LOOKS_MAX 8192
#define LOOKS_OF_PROGRESS 256
#define LOOKS_BETWEEN 32

/** A target that n mails in a row, n up to this, had to be told of, gets the next 2^n - 1 packets by message. */
#define VAIN_MAX 8

/** What an origin knows of its place at a target. */
struct ompi_osc_ucp_mailbox_t {
    ompi_osc_ucp_mail_t    *mail;
    char                   *more;   /**< the room for what is longer */
    uint32_t                number; /**< of the last one posted */
    bool                    open;   /**< it has not been seen to be taken */
    bool                    told;   /**< the target was told of it */
    uint32_t                looks;  /**< whether it is taken */
    uint8_t                 vain;   /**< of which it had to be told, in a row, up to a bound */
    uint32_t                apart;  /**< packets that still go by message */
    ompi_osc_ucp_peer_t    *peer;   /**< whose the last one is; NULL: of a window that is gone */
    ompi_osc_ucp_mailbox_t *next;   /**< open, too */
};

ompi_osc_ucp_mailbox_t *ompi_osc_ucp_mails_open;

static uint64_t taken; /* by polls of this process's program */

/* The origin. */

/** Make a place this process's: its number, or OMPI_OSC_UCP_MAILS if all are taken. */
static uint32_t place_take(ompi_osc_ucp_chunk_head_t *head)
{
    uint64_t none;
    uint32_t i, used;

    for (i = 0; i < OMPI_OSC_UCP_MAILS; i++) {
        none = 0;
        if (__atomic_compare_exchange_n(&head->mails[i].used, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            used = __atomic_load_n(&head->mails_used, __ATOMIC_RELAXED);
            while (used <= i && !__atomic_compare_exchange_n(&head->mails_used, &used, i + 1, false, __ATOMIC_RELAXED,
                                                             __ATOMIC_RELAXED)) {
                continue;
            }
            break;
        }
    }
    return i;
}

ompi_osc_ucp_mailbox_t *ompi_osc_ucp_mailbox(ompi_osc_ucp_mailbox_t **mailbox_p, ompi_osc_ucp_chunk_head_t *head)
{
    ompi_osc_ucp_mailbox_t *mailbox;
    uint32_t                place;

    if (NULL == *mailbox_p && NULL != (mailbox = calloc(1, sizeof(*mailbox)))) {
        place = place_take(head);
        if (OMPI_OSC_UCP_MAILS == place) {
            free(mailbox);
            return NULL;
        }
        mailbox->mail   = &head->mails[place];
        mailbox->more   = ompi_osc_ucp_mail_more(head, place);
        mailbox->number = __atomic_load_n(&mailbox->mail->posted, __ATOMIC_RELAXED);
        *mailbox_p      = mailbox;
    }
    return *mailbox_p;
}

/** Has the target taken the mail? */
static bool is_taken(const ompi_osc_ucp_mailbox_t *mailbox)
{
    return mailbox->number == __atomic_load_n(&mailbox->mail->taken, __ATOMIC_ACQUIRE);
}

void ompi_osc_ucp_mailbox_free(ompi_osc_ucp_mailbox_t *mailbox)
{
    ompi_osc_ucp_mailbox_t **at = &ompi_osc_ucp_mails_open;

    if (NULL == mailbox) {
        return;
    }
    if (!mailbox->open || is_taken(mailbox)) { /* else the place is lost */
        __atomic_store_n(&mailbox->mail->used, 0, __ATOMIC_RELEASE);
    }
    while (NULL != *at && mailbox != *at) {
        at = &(*at)->next;
    }
    if (NULL != *at) {
        *at = mailbox->next;
    }
    free(mailbox);
}

bool ompi_osc_ucp_mail_post(ompi_osc_ucp_peer_t *peer, const void *packet, size_t len)
{
    ompi_osc_ucp_mailbox_t *mailbox = peer->mailbox;
    const size_t            here    = sizeof(mailbox->mail->packet);

    if (NULL == mailbox || len > here + OMPI_OSC_UCP_MAIL_MORE || mailbox->open) {
        return false;
    }
    if (mailbox->apart > 0) {
        mailbox->apart--;
        return false;
    }
    ompi_osc_ucp_mail_spread(mailbox->mail->packet, here, mailbox->more, packet, len);
    mailbox->mail->len = (uint32_t) len;
    __atomic_store_n(&mailbox->mail->posted, ++mailbox->number, __ATOMIC_RELEASE);
    mailbox->open  = true;
    mailbox->told  = false;
    mailbox->looks = 0;
    mailbox->peer  = peer;
    mailbox->next  = ompi_osc_ucp_mails_open;
    ompi_osc_ucp_mails_open = mailbox;
    return true;
}

/** The mail, which is no longer listed, is taken: pass on the replies to it. */
static void pass_on(ompi_osc_ucp_mailbox_t *mailbox)
{
    char     replies[OMPI_OSC_UCP_MAIL_REPLIES + OMPI_OSC_UCP_MAIL_MORE];
    uint32_t len = __atomic_load_n(&mailbox->mail->replied, __ATOMIC_RELAXED);

    mailbox->vain  = mailbox->told ? mailbox->vain + (mailbox->vain < VAIN_MAX) : 0;
    mailbox->apart = (1u << mailbox->vain) - 1;
    mailbox->open  = false;
    if (len <= sizeof(replies)) {
        const opal_common_ucp_message_t message = { .data = replies, .len = len };

        ompi_osc_ucp_mail_gather(replies, mailbox->mail->replies, sizeof(mailbox->mail->replies), mailbox->more, len);
        ompi_osc_ucp_am_replied(&message);
    } else {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
    }
}

void ompi_osc_ucp_mails_forget(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_mailbox_t *mailbox;

    for (mailbox = ompi_osc_ucp_mails_open; NULL != mailbox; mailbox = mailbox->next) {
        if (NULL != mailbox->peer && window == mailbox->peer->window) {
            mailbox->peer = NULL;
        }
    }
}

unsigned ompi_osc_ucp_mails_collect(void)
{
    static const ompi_osc_ucp_command_t look = { .wire = { .kind = OMPI_OSC_UCP_KIND_LOOK } };
    ompi_osc_ucp_mailbox_t            **at   = &ompi_osc_ucp_mails_open, *mailbox;
    unsigned                            over = 0;

    while (NULL != (mailbox = *at)) {
        if (is_taken(mailbox)) {
            *at = mailbox->next;
            pass_on(mailbox); /* begins nothing new */
            over++;
            continue;
        }
        mailbox->looks += LOOKS_OF_PROGRESS;
        if (!mailbox->told && NULL != mailbox->peer && mailbox->looks >= LOOKS_MAX) {
            mailbox->told = OMPI_SUCCESS == ompi_osc_ucp_packet_notify(mailbox->peer, &look, NULL, NULL);
        }
        at = &mailbox->next;
    }
    return over;
}

void ompi_osc_ucp_mails_await(void)
{
    ompi_osc_ucp_mailbox_t *mailbox;
    uint32_t                looks = 0;

    while (NULL != (mailbox = ompi_osc_ucp_mails_open)) {
        if (is_taken(mailbox)) {
            ompi_osc_ucp_mails_open = mailbox->next;
            pass_on(mailbox);
        } else if (mailbox->looks + looks >= LOOKS_MAX) {
            break;
        } else if (0 == ++looks % LOOKS_BETWEEN && ompi_osc_ucp_mail_lies()) {
            (void) ompi_osc_ucp_mails_take(); /* whose sender may be whom this one waits for */
        }
    }
    for (; NULL != mailbox; mailbox = mailbox->next) {
        mailbox->looks += looks;
    }
}

/* The target. */

/** Apply the packet of a place, or put it aside. What comes of that for others, and replies that have no room here, do
 *  not keep its sender waiting. */
static void mail_take(ompi_osc_ucp_mail_t *mail, char *more, uint32_t posted)
{
    char                   packet[OMPI_OSC_UCP_MAIL_PACKET + OMPI_OSC_UCP_MAIL_MORE];
    uint32_t               len = __atomic_load_n(&mail->len, __ATOMIC_RELAXED);
    ompi_osc_ucp_target_t *target;

    len = len <= sizeof(packet) ? len : 0;
    ompi_osc_ucp_mail_gather(packet, mail->packet, sizeof(mail->packet), more, len);
    target = ompi_osc_ucp_am_mailed(packet, len, mail, more);
    __atomic_store_n(&mail->taken, posted, __ATOMIC_RELEASE);
    if (NULL != target) {
        ompi_osc_ucp_target_run(target);
    }
}

unsigned ompi_osc_ucp_mails_take_locked(void)
{
    ompi_osc_ucp_chunk_head_t *head = __atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE);
    unsigned                   mine = 0;
    uint32_t                   i, used, posted;

    if (NULL == head) {
        return 0;
    }
    used = __atomic_load_n(&head->mails_used, __ATOMIC_RELAXED);
    for (i = 0; i < used && i < OMPI_OSC_UCP_MAILS; i++) {
        posted = __atomic_load_n(&head->mails[i].posted, __ATOMIC_ACQUIRE);
        if (posted != __atomic_load_n(&head->mails[i].taken, __ATOMIC_RELAXED)) {
            mail_take(&head->mails[i], ompi_osc_ucp_mail_more(head, i), posted);
            mine++;
        }
    }
    return mine;
}

unsigned ompi_osc_ucp_mails_take(void)
{
    unsigned mine = 0;

    if (opal_common_ucp_service_trylock()) {
        mine = ompi_osc_ucp_mails_take_locked();
        __atomic_store_n(&taken, taken + mine, __ATOMIC_RELAXED);
        opal_common_ucp_service_unlock();
    }
    return mine;
}

uint64_t ompi_osc_ucp_mails_taken(void)
{
    return __atomic_load_n(&taken, __ATOMIC_RELAXED);
}
