/* A window's lock at one member: a fair reader-writer lock in memory that the member and its peers share.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A ticket is the place in the queue, and both kinds are let in by ticket; readers pass the turn on at once, to the
 * next reader. It does not matter who releases: an origin that reaches the word does so itself, for others the
 * member's service side draws a ticket and releases on their behalf (path/am_apply.c). Those who wait there cannot see
 * their turn come: whoever passes a turn on while `remote` is not 0 must make the service side look.
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
            uint32_t shared; /**< ticket that may join */
        };
        uint64_t both;       /**< the two: a reader whom nobody keeps out moves them together */
    };
    uint32_t exclusive; /**< ticket that may hold it alone: all before it are through */
    uint32_t remote;    /**< tickets that the service side has drawn, or is about to, and whose turn has not come */
} ompi_osc_ucp_lockword_t;

/* Sequentially consistent where one side's turn meets the other's `remote`: one of the two sees the other. */

static inline uint32_t ompi_osc_ucp_lockword_draw(ompi_osc_ucp_lockword_t *word)
{
    return __atomic_fetch_add(&word->next, 1, __ATOMIC_SEQ_CST);
}

/** Take the lock, if it is this ticket's turn. */
static inline bool ompi_osc_ucp_lockword_enter(ompi_osc_ucp_lockword_t *word, uint32_t ticket, bool exclusive)
{
    if (exclusive) {
        return ticket == __atomic_load_n(&word->exclusive, __ATOMIC_SEQ_CST);
    }
    if (ticket != __atomic_load_n(&word->shared, __ATOMIC_SEQ_CST)) {
        return false;
    }
    (void) __atomic_exchange_n(&word->shared, ticket + 1, __ATOMIC_SEQ_CST);
    return true;
}

/** Take the lock if it can be had at once; else leave no trace. */
static inline bool ompi_osc_ucp_lockword_try(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    uint32_t ticket = __atomic_load_n(&word->next, __ATOMIC_RELAXED);
    uint64_t both   = (uint64_t) ticket << 32 | ticket, after = (uint64_t) (ticket + 1) << 32 | (uint32_t) (ticket + 1);

    if (exclusive) {
        return ticket == __atomic_load_n(&word->exclusive, __ATOMIC_ACQUIRE) &&
               __atomic_compare_exchange_n(&word->next, &ticket, ticket + 1, false, __ATOMIC_SEQ_CST,
                                           __ATOMIC_RELAXED);
    }
    return __atomic_compare_exchange_n(&word->both, &both, after, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

static inline void ompi_osc_ucp_lockword_leave(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    if (exclusive) {
        /* Nobody else moves it now. The other turn comes second: the next writer moves both. */
        __atomic_store_n(&word->shared, __atomic_load_n(&word->shared, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
    }
    __atomic_fetch_add(&word->exclusive, 1, __ATOMIC_SEQ_CST);
}

/** Does anybody wait who cannot see the word? */
static inline bool ompi_osc_ucp_lockword_remote(const ompi_osc_ucp_lockword_t *word)
{
    return 0 != __atomic_load_n(&word->remote, __ATOMIC_SEQ_CST);
}

#endif /* OSC_UCP_LOCKWORD_H */
