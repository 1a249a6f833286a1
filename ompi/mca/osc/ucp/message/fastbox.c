/* Fastboxes: packets that an origin hands to a target of its node in shared memory, and the replies to them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A fastbox belongs to one origin until it gives it back. Each of the two sides writes cache lines of its own, and numbers
 * what it writes: a packet is there when its number is, and may be overwritten when the target has written the same one.
 */

#include "message/fastbox.h"

#include <stdlib.h>

#include "base/wait.h"
#include "message/message.h"
#include "service/fastbox.h"
#include "service/refused.h"

/** Looks of an origin that does nothing else meanwhile, some 5 us; of one that does, a look is worth so many. After some
 *  of them it looks at its own fastboxes. */
#define LOOKS_MAX 8192
#define LOOKS_OF_PROGRESS 256
#define LOOKS_BETWEEN 32

/** So many of an origin's waits for fastboxes go to one step of all other progress. */
#define WAITS_PER_STEP 16

/** A target for which n packets in a row, n up to this, needed a doorbell, gets the next 2^n - 1 by message. */
#define VAIN_MAX 8

/** What an origin knows of its fastbox at a target. */
struct ompi_osc_ucp_fastbox_end_t {
    ompi_osc_ucp_mapped_extra_t extra;  /**< first: it lives with the mapping */
    ompi_osc_ucp_fastbox_t     *shared; /**< in the target's memory */
    char                       *more;   /**< the room for what is longer */
    uint32_t                    number; /**< of the last one posted */
    bool                        open;   /**< it has not been seen to be taken */
    bool                        rung;   /**< its doorbell */
    uint32_t                    looks;  /**< whether it is taken */
    uint8_t                     vain;   /**< packets in a row that needed a doorbell, up to a bound */
    uint32_t                    apart;  /**< packets that still go by message */
    ompi_osc_ucp_peer_t        *peer;   /**< whose the last one is; NULL: it is gone */
    ompi_osc_ucp_fastbox_end_t *next;   /**< open, too */
};

ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastboxes_open;

/** Make a fastbox this process's: its number, or OMPI_OSC_UCP_FASTBOXES if all are taken. */
static uint32_t fastbox_take(ompi_osc_ucp_chunk_head_t *head)
{
    uint64_t none;
    uint32_t i, used;

    for (i = 0; i < OMPI_OSC_UCP_FASTBOXES; i++) {
        none = 0;
        if (__atomic_compare_exchange_n(&head->fastboxes[i].used, &none, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED)) {
            used = __atomic_load_n(&head->fastboxes_used, __ATOMIC_RELAXED);
            while (used <= i && !__atomic_compare_exchange_n(&head->fastboxes_used, &used, i + 1, false,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                continue;
            }
            break;
        }
    }
    return i;
}

/** Has the target taken the packet? */
static bool is_taken(const ompi_osc_ucp_fastbox_end_t *box)
{
    return box->number == __atomic_load_n(&box->shared->taken, __ATOMIC_ACQUIRE);
}

static void fastbox_free(ompi_osc_ucp_mapped_extra_t *extra)
{
    ompi_osc_ucp_fastbox_end_t  *box = (ompi_osc_ucp_fastbox_end_t *) extra;
    ompi_osc_ucp_fastbox_end_t **at  = &ompi_osc_ucp_fastboxes_open;

    if (!box->open || is_taken(box)) { /* else the fastbox is lost */
        __atomic_store_n(&box->shared->used, 0, __ATOMIC_RELEASE);
    }
    while (NULL != *at && box != *at) {
        at = &(*at)->next;
    }
    if (NULL != *at) {
        *at = box->next;
    }
    free(box);
}

/* The waits that a fastbox may end most often are over before anything else needs a look. But a program may do nothing
 * but call us, again and again, until something comes that Open MPI has to progress. */
static void wait_first(void)
{
    static unsigned waits;

    if (NULL == ompi_osc_ucp_fastboxes_open || ompi_osc_ucp_threaded()) {
        return;
    }
    ompi_osc_ucp_fastboxes_await();
    if (0 == ++waits % WAITS_PER_STEP) {
        ompi_osc_ucp_wait_step();
    }
}

ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastbox_attach(ompi_osc_ucp_mapped_extra_t **extra,
                                                        ompi_osc_ucp_chunk_head_t *head)
{
    ompi_osc_ucp_fastbox_end_t *box;
    uint32_t                    i;

    if (NULL == *extra && NULL != (box = calloc(1, sizeof(*box)))) {
        i = fastbox_take(head);
        if (OMPI_OSC_UCP_FASTBOXES == i) {
            free(box);
            return NULL;
        }
        box->extra.free = fastbox_free;
        box->shared     = &head->fastboxes[i];
        box->more       = ompi_osc_ucp_fastbox_more(head, i);
        box->number     = __atomic_load_n(&box->shared->posted, __ATOMIC_RELAXED);
        *extra          = &box->extra;
        ompi_osc_ucp_wait_first = wait_first;
    }
    return (ompi_osc_ucp_fastbox_end_t *) *extra;
}

bool ompi_osc_ucp_fastbox_post(ompi_osc_ucp_peer_t *peer, const void *packet, size_t len)
{
    ompi_osc_ucp_fastbox_end_t *box  = peer->fastbox;
    const size_t                here = sizeof(box->shared->packet);

    if (NULL == box || len > here + OMPI_OSC_UCP_FASTBOX_MORE || box->open) {
        return false;
    }
    if (box->apart > 0) {
        box->apart--;
        return false;
    }
    ompi_osc_ucp_fastbox_spread(box->shared->packet, here, box->more, packet, len);
    box->shared->len = (uint32_t) len;
    __atomic_store_n(&box->shared->posted, ++box->number, __ATOMIC_RELEASE);
    box->open  = true;
    box->rung  = false;
    box->looks = 0;
    box->peer  = peer;
    box->next  = ompi_osc_ucp_fastboxes_open;
    ompi_osc_ucp_fastboxes_open = box;
    return true;
}

/** The packet, which is no longer listed, is taken: pass on the replies to it. */
static void pass_on(ompi_osc_ucp_fastbox_end_t *box)
{
    char     replies[OMPI_OSC_UCP_FASTBOX_REPLIES + OMPI_OSC_UCP_FASTBOX_MORE];
    uint32_t len = __atomic_load_n(&box->shared->replied, __ATOMIC_RELAXED);

    box->vain  = box->rung ? box->vain + (box->vain < VAIN_MAX) : 0;
    box->apart = (1u << box->vain) - 1;
    box->open  = false;
    if (len <= sizeof(replies)) {
        const opal_common_ucp_message_t message = { .data = replies, .len = len };

        ompi_osc_ucp_fastbox_gather(replies, box->shared->replies, sizeof(box->shared->replies), box->more, len);
        ompi_osc_ucp_replied(&message);
    } else {
        ompi_osc_ucp_refused(OMPI_OSC_UCP_REFUSED_DAMAGED);
    }
}

void ompi_osc_ucp_fastboxes_forget(const ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_fastbox_end_t *box;

    for (box = ompi_osc_ucp_fastboxes_open; NULL != box; box = box->next) {
        if (peer == box->peer) {
            box->peer = NULL;
        }
    }
}

unsigned ompi_osc_ucp_fastboxes_collect(bool (*ring)(ompi_osc_ucp_peer_t *peer))
{
    ompi_osc_ucp_fastbox_end_t **at   = &ompi_osc_ucp_fastboxes_open, *box;
    unsigned                     over = 0;

    while (NULL != (box = *at)) {
        if (is_taken(box)) {
            *at = box->next;
            pass_on(box); /* begins nothing new */
            over++;
            continue;
        }
        box->looks += LOOKS_OF_PROGRESS;
        if (!box->rung && NULL != box->peer && box->looks >= LOOKS_MAX) {
            box->rung = ring(box->peer);
        }
        at = &box->next;
    }
    return over;
}

void ompi_osc_ucp_fastboxes_await(void)
{
    ompi_osc_ucp_fastbox_end_t *box;
    uint32_t                    looks = 0;

    while (NULL != (box = ompi_osc_ucp_fastboxes_open)) {
        if (is_taken(box)) {
            ompi_osc_ucp_fastboxes_open = box->next;
            pass_on(box);
        } else if (box->looks + looks >= LOOKS_MAX) {
            break;
        } else if (0 == ++looks % LOOKS_BETWEEN && ompi_osc_ucp_fastbox_full()) {
            (void) ompi_osc_ucp_fastboxes_take(); /* whose sender may be whom this one waits for */
        }
    }
    for (; NULL != box; box = box->next) {
        box->looks += looks;
    }
}
