/* A window's lock at one member: a fair reader-writer lock in memory that the member and its peers share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A ticket is the place in a queue, which lets in one after the other. A writer whose turn it is waits until nobody is
 * inside, and keeps the turn until it leaves; a reader goes inside and passes the turn on at once. So nobody starves.
 *
 * A queue must not hold up a process that has another lock already: the writer in front of it may wait for readers who
 * wait, elsewhere, for that process; and with MPI_Win_lock_all nobody orders these waits. Such a reader joins: it goes
 * past the queue, and waits for nobody but a writer that is inside.
 *
 * It does not matter who releases: an origin that reaches the word does so itself, for others the member's service side
 * queues and releases on their behalf (path/am_apply.c). Those who wait there cannot see their turn come: whoever
 * passes a turn on or leaves while `remote` is not 0 must make the service side look.
 *
 * test/models/lock.pml is a model of it.
 */

#ifndef OSC_UCP_LOCKWORD_H
#define OSC_UCP_LOCKWORD_H

#include <stdbool.h>
#include <stdint.h>

/** All zero: free. */
typedef struct ompi_osc_ucp_lockword_t {
    union {
        struct {
            uint32_t next;   /**< next ticket */
            uint32_t inside; /**< 2 for each reader, 1 for the writer; both: those readers wait for the writer */
        };
        uint64_t both;       /**< the two: who finds no queue goes inside in one step */
    };
    uint32_t turn;   /**< ticket whose turn it is */
    uint32_t remote; /**< who waits at the service side, or is about to */
} ompi_osc_ucp_lockword_t;

enum { OMPI_OSC_UCP_LOCKWORD_WRITER = 1, OMPI_OSC_UCP_LOCKWORD_READER = 2 };

/** Where the two are in `both`, in bits. */
enum {
    OMPI_OSC_UCP_LOCKWORD_NEXT   = __ORDER_BIG_ENDIAN__ == __BYTE_ORDER__ ? 32 : 0,
    OMPI_OSC_UCP_LOCKWORD_INSIDE = 32 - OMPI_OSC_UCP_LOCKWORD_NEXT
};

/* Sequentially consistent where a step of one side meets the other's `remote`: one of the two sees the other. Those who
 * come load `inside` before `turn`, which leaves them change in the other order. */

static inline uint32_t ompi_osc_ucp_lockword_draw(ompi_osc_ucp_lockword_t *word)
{
    return __atomic_fetch_add(&word->next, 1, __ATOMIC_SEQ_CST);
}

/** Take the lock, if it is this ticket's turn. A reader passes the turn on. */
static inline bool ompi_osc_ucp_lockword_enter(ompi_osc_ucp_lockword_t *word, uint32_t ticket, bool exclusive)
{
    uint32_t inside = __atomic_load_n(&word->inside, __ATOMIC_SEQ_CST);

    if (ticket != __atomic_load_n(&word->turn, __ATOMIC_SEQ_CST)) {
        return false;
    }
    if (exclusive) {
        return 0 == inside && __atomic_compare_exchange_n(&word->inside, &inside, OMPI_OSC_UCP_LOCKWORD_WRITER, false,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
    if (0 != (inside & OMPI_OSC_UCP_LOCKWORD_WRITER)) {
        return false; /* it is about to leave; no other can have come, since it is not its turn */
    }
    __atomic_fetch_add(&word->inside, OMPI_OSC_UCP_LOCKWORD_READER, __ATOMIC_SEQ_CST);
    (void) __atomic_exchange_n(&word->turn, ticket + 1, __ATOMIC_SEQ_CST);
    return true;
}

/** Join as a reader. False: a writer is inside; ompi_osc_ucp_lockword_joined tells when it has left. */
static inline bool ompi_osc_ucp_lockword_join(ompi_osc_ucp_lockword_t *word)
{
    return 0 == (__atomic_fetch_add(&word->inside, OMPI_OSC_UCP_LOCKWORD_READER, __ATOMIC_SEQ_CST) &
                 OMPI_OSC_UCP_LOCKWORD_WRITER);
}

static inline bool ompi_osc_ucp_lockword_joined(const ompi_osc_ucp_lockword_t *word)
{
    return 0 == (__atomic_load_n(&word->inside, __ATOMIC_SEQ_CST) & OMPI_OSC_UCP_LOCKWORD_WRITER);
}

/** Take the lock if it can be had at once; else leave no trace. */
static inline bool ompi_osc_ucp_lockword_try(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    uint64_t seen   = __atomic_load_n(&word->both, __ATOMIC_ACQUIRE);
    uint32_t next   = (uint32_t) (seen >> OMPI_OSC_UCP_LOCKWORD_NEXT);
    uint32_t inside = (uint32_t) (seen >> OMPI_OSC_UCP_LOCKWORD_INSIDE);

    if (next != __atomic_load_n(&word->turn, __ATOMIC_ACQUIRE) ||
        0 != (inside & (exclusive ? UINT32_MAX : OMPI_OSC_UCP_LOCKWORD_WRITER))) {
        return false;
    }
    next   += exclusive;
    inside += exclusive ? OMPI_OSC_UCP_LOCKWORD_WRITER : OMPI_OSC_UCP_LOCKWORD_READER;
    return __atomic_compare_exchange_n(&word->both, &seen,
                                       (uint64_t) next << OMPI_OSC_UCP_LOCKWORD_NEXT |
                                           (uint64_t) inside << OMPI_OSC_UCP_LOCKWORD_INSIDE,
                                       false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline void ompi_osc_ucp_lockword_leave(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    if (exclusive) {
        /* Nobody else moves the turn now, and nobody can use it before the next step. */
        __atomic_store_n(&word->turn, __atomic_load_n(&word->turn, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
    }
    __atomic_fetch_sub(&word->inside, exclusive ? OMPI_OSC_UCP_LOCKWORD_WRITER : OMPI_OSC_UCP_LOCKWORD_READER,
                       __ATOMIC_SEQ_CST);
}

/** Does anybody wait who cannot see the word? */
static inline bool ompi_osc_ucp_lockword_remote(const ompi_osc_ucp_lockword_t *word)
{
    return 0 != __atomic_load_n(&word->remote, __ATOMIC_SEQ_CST);
}

#endif /* OSC_UCP_LOCKWORD_H */
