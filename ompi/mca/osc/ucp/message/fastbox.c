/* Fastboxes at the origin: packets, and the replies to them, in shared memory of a target on the same node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A fastbox belongs to one origin until that releases it. Origin and target write separate cache lines. The origin
 * counts packets in `posted`; when the target has stored the same number in `taken`, the next packet may overwrite this
 * one.
 */

#include "message/fastbox.h"

#include <stdlib.h>

#include "base/wait.h"
#include "message/message.h"
#include "service/fastbox.h"
#include "service/refused.h"

/** Looks at `taken` after which the target gets a doorbell: some 5 us of a tight loop. */
#define LOOKS_MAX 8192

/** A look between other progress counts as so many, because it comes later. */
#define LOOKS_OF_PROGRESS 256

/** In the tight loop the origin looks at its own fastboxes once in so many looks. */
#define LOOKS_BETWEEN 32

/** After so many waits for fastboxes the origin makes one step of all other progress. */
#define WAITS_PER_STEP 16

/** If n packets in a row, up to this, needed a doorbell, the next 2^n - 1 go by message. */
#define MISSES_MAX 8

/** A target that took no packet since it was seen polling is looked at again after so many calls. */
#define TRUSTED_MAX 64

/** An origin's state of its fastbox at a target. */
struct ompi_osc_ucp_fastbox_end_t {
    ompi_osc_ucp_mapped_extra_t extra;  /**< first: the mapping frees it */
    ompi_osc_ucp_fastbox_t     *shared; /**< the fastbox, in the target's memory */
    char                       *more;   /**< there, room for the rest of long packets and replies */
    const uint32_t             *polls;  /**< of the target's program: they rise while it polls */
    uint32_t                    polled; /**< value of that when it was read last */
    bool                        answers; /**< the target is thought to poll */
    unsigned                    trusted; /**< calls since it took a packet, or was looked at */
    uint32_t                    number; /**< of the last packet posted */
    bool                        open;   /**< that has not been seen to be taken */
    bool                        rung;   /**< the doorbell was rung for it */
    uint32_t                    looks;  /**< at `taken`, for it */
    uint8_t                     misses; /**< packets in a row that needed a doorbell, up to MISSES_MAX */
    uint32_t                    skip;   /**< packets that still have to go by message */
    ompi_osc_ucp_peer_t        *peer;   /**< the last packet's; NULL: it is freed */
    ompi_osc_ucp_fastbox_end_t *next;   /**< in the list of open ones */
};

ompi_osc_ucp_fastbox_end_t *ompi_osc_ucp_fastboxes_open;

/** Acquire a free fastbox of a chunk. Returns its index, or OMPI_OSC_UCP_FASTBOXES if there is none. */
static uint32_t fastbox_acquire(ompi_osc_ucp_chunk_head_t *head)
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

    if (!box->open || is_taken(box)) { /* else the target may still write to it: nobody gets it again */
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

/** ompi_osc_ucp_wait_first: most waits for a fastbox are over before any other progress is needed. The extra steps are
 *  for programs that call nothing but this component until Open MPI has received something. */
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
        i = fastbox_acquire(head);
        if (OMPI_OSC_UCP_FASTBOXES == i) {
            free(box);
            return NULL;
        }
        box->extra.free = fastbox_free;
        box->shared     = &head->fastboxes[i];
        box->more       = ompi_osc_ucp_fastbox_more(head, i);
        box->polls      = &head->polls;
        box->polled     = __atomic_load_n(box->polls, __ATOMIC_RELAXED);
        box->number     = __atomic_load_n(&box->shared->posted, __ATOMIC_RELAXED);
        *extra          = &box->extra;
        ompi_osc_ucp_wait_first = wait_first;
    }
    return (ompi_osc_ucp_fastbox_end_t *) *extra;
}

/* While the target polls and takes its packets, nobody reads the cache line that it writes at each poll. But packets
 * may go another way, as long ones do, and then do not show that it has stopped. What goes another way after misses is
 * no message here. */
bool ompi_osc_ucp_fastbox_answers(ompi_osc_ucp_fastbox_end_t *box)
{
    uint32_t polled;

    if (NULL != box && box->skip > 0) {
        box->skip--;
    } else if (NULL != box && (!box->answers || ++box->trusted > TRUSTED_MAX)) {
        polled       = __atomic_load_n(box->polls, __ATOMIC_RELAXED);
        box->answers = polled != box->polled;
        box->polled  = polled;
        box->trusted = 0;
    }
    return NULL != box && box->answers;
}

bool ompi_osc_ucp_fastbox_post(ompi_osc_ucp_peer_t *peer, const void *packet, size_t len)
{
    ompi_osc_ucp_fastbox_end_t *box  = peer->fastbox;
    const size_t                here = sizeof(box->shared->packet);

    if (NULL == box || len > here + OMPI_OSC_UCP_FASTBOX_MORE || box->open) {
        return false;
    }
    if (box->skip > 0) {
        box->skip--;
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

/** The packet is taken, and the fastbox is out of the list: pass on the replies. */
static void pass_on(ompi_osc_ucp_fastbox_end_t *box)
{
    char     replies[OMPI_OSC_UCP_FASTBOX_REPLIES + OMPI_OSC_UCP_FASTBOX_MORE];
    uint32_t len = __atomic_load_n(&box->shared->replied, __ATOMIC_RELAXED);

    box->misses  = box->rung ? box->misses + (box->misses < MISSES_MAX) : 0;
    box->skip    = (1u << box->misses) - 1;
    box->open    = false;
    box->trusted = 0;
    if (box->rung) { /* its polls until now tell nothing */
        box->answers = false;
        box->polled  = __atomic_load_n(box->polls, __ATOMIC_RELAXED);
    }
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
            pass_on(box); /* posts no packet, so the list stays as it is */
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
            (void) ompi_osc_ucp_fastboxes_take(); /* its sender may be the process that this one waits for */
        }
    }
    for (; NULL != box; box = box->next) {
        box->looks += looks;
    }
}
