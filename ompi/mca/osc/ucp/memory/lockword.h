/* The lock word: a window's lock at one member, a fair reader-writer lock in shared memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process that locks draws a ticket, and enters when it has the turn: a writer when nobody is inside, a reader
 * when no writer is. It passes the turn on as soon as it has entered. So no process starves.
 *
 * Where processes share processors, the one that has the turn may not be running, and the others can only wait until it
 * is. So a process that has entered by its ticket may for a short time enter again past the queue, as long as it finds
 * the lock free. The process with the turn waits at most that time longer: nobody behind it enters.
 *
 * A process that already holds another lock must not wait in the queue for ever: it could wait for a writer that waits
 * for readers that wait for this process's other lock. With MPI_Win_lock_all the program cannot order these waits. So
 * such a reader joins. It draws no ticket. It waits until all that queued before it have had a turn, but only so long:
 * then it goes past the queue, and waits only for a writer that is inside.
 *
 * Readers pass at common moments, the ends of slots of time. In between the readers inside get fewer, and when the last
 * one has left, a writer gets in. If readers have passed during a turn, the next slot of that turn is twice as long, up
 * to OMPI_OSC_UCP_LOCKWORD_LONGER times. So a reader waits at most twice as long as the writer has waited already, and
 * 10 ms more, and a writer gets in as soon as a slot is longer than readers keep the lock. No bound of the reader's
 * wait gives the writer one: readers that keep the lock for longer may overlap for ever.
 *
 * An origin that has mapped the word locks and unlocks itself. For other origins the member's service side does
 * (service/locks.c). The service side cannot see its turn come: a process that passes the turn on or leaves while
 * `remote` is not 0 must send it a doorbell.
 *
 * test/models/lock.pml is a model of this lock.
 */

#ifndef OSC_UCP_LOCKWORD_H
#define OSC_UCP_LOCKWORD_H

#include <stdbool.h>
#include <stdint.h>

/** Initially zero: free. All members are atomic. */
typedef struct ompi_osc_ucp_lockword_t {
    union {
        struct {
            uint32_t next;   /**< next ticket */
            uint32_t inside; /**< 2 for each reader plus 1 for a writer; with both, the readers wait for the writer */
        };
        uint64_t both;       /**< the two, to enter in one step if there is no queue */
    };
    uint32_t turn;   /**< ticket whose turn it is */
    uint32_t remote; /**< requests that wait at the service side, or are about to */
    uint64_t passed; /**< a turn that readers have passed, plus 2^32 for each slot in which they did */
} ompi_osc_ucp_lockword_t;

/** A reader that is about to join. */
typedef struct ompi_osc_ucp_joiner_t {
    uint32_t place;  /**< the tickets before this one go first */
    uint64_t until;  /**< when it goes past them, as opal_common_ucp_now_ns counts */
    uint64_t passed; /**< the lock word's, once it has done so during the turn that it found */
} ompi_osc_ucp_joiner_t;

/** How long a reader that joins waits: more than WAIT, then to the end of the slot. Nanoseconds. A slot doubles up to
 *  LONGER times, to 8 s. */
#define OMPI_OSC_UCP_LOCKWORD_WAIT_NS 1000000
#define OMPI_OSC_UCP_LOCKWORD_SLOT_NS 8000000
#define OMPI_OSC_UCP_LOCKWORD_LONGER  10

/** For how long a process may enter again past the queue, where processes share processors. */
#define OMPI_OSC_UCP_LOCKWORD_AGAIN_NS 1000000

enum { OMPI_OSC_UCP_LOCKWORD_WRITER = 1, OMPI_OSC_UCP_LOCKWORD_READER = 2 };

/** Bit offsets of the two in `both`. */
enum {
    OMPI_OSC_UCP_LOCKWORD_NEXT   = __ORDER_BIG_ENDIAN__ == __BYTE_ORDER__ ? 32 : 0,
    OMPI_OSC_UCP_LOCKWORD_INSIDE = 32 - OMPI_OSC_UCP_LOCKWORD_NEXT
};

/* ThreadSanitizer does not know that `both` is the same memory as `inside`: to it whoever enters by `both` is not
 * behind those who have left. So it is told. */
#if defined(__SANITIZE_THREAD__)
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#define OMPI_OSC_UCP_LOCKWORD_ENTERED(word) __tsan_acquire(word)
#define OMPI_OSC_UCP_LOCKWORD_LEAVES(word)  __tsan_release(word)
#else
#define OMPI_OSC_UCP_LOCKWORD_ENTERED(word)
#define OMPI_OSC_UCP_LOCKWORD_LEAVES(word)
#endif

/* Steps that race with a change of `remote` are sequentially consistent: one of the two sides sees the other. */

/** Draw a ticket. */
static inline uint32_t ompi_osc_ucp_lockword_draw(ompi_osc_ucp_lockword_t *word)
{
    return __atomic_fetch_add(&word->next, 1, __ATOMIC_SEQ_CST);
}

/** Enter past the queue, if the lock is free for this process. False: the word is unchanged. Only for
 *  OMPI_OSC_UCP_LOCKWORD_AGAIN_NS after an entry by ticket. */
static inline bool ompi_osc_ucp_lockword_again(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    uint32_t others = exclusive ? UINT32_MAX : OMPI_OSC_UCP_LOCKWORD_WRITER; /* who must not be inside */
    uint32_t mine   = exclusive ? OMPI_OSC_UCP_LOCKWORD_WRITER : OMPI_OSC_UCP_LOCKWORD_READER;
    uint32_t inside = __atomic_load_n(&word->inside, __ATOMIC_SEQ_CST);

    /* Again if readers come or go meanwhile: one at the service side may not look again before they have left. */
    while (0 == (inside & others)) {
        if (__atomic_compare_exchange_n(&word->inside, &inside, inside + mine, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) {
            return true;
        }
    }
    return false;
}

/** Enter if it is this ticket's turn, and the lock is free for it; passes the turn on. */
static inline bool ompi_osc_ucp_lockword_enter(ompi_osc_ucp_lockword_t *word, uint32_t ticket, bool exclusive)
{
    if (ticket != __atomic_load_n(&word->turn, __ATOMIC_SEQ_CST) || !ompi_osc_ucp_lockword_again(word, exclusive)) {
        return false;
    }
    (void) __atomic_exchange_n(&word->turn, ticket + 1, __ATOMIC_SEQ_CST);
    return true;
}

/** Begin to join, at the time `now_ns`. */
static inline ompi_osc_ucp_joiner_t ompi_osc_ucp_lockword_stand(const ompi_osc_ucp_lockword_t *word, uint64_t now_ns)
{
    uint64_t passed = __atomic_load_n(&word->passed, __ATOMIC_RELAXED);
    uint32_t turn   = __atomic_load_n(&word->turn, __ATOMIC_RELAXED);
    uint64_t slots  = turn == (uint32_t) passed ? passed >> 32 : 0;
    uint64_t slot   = OMPI_OSC_UCP_LOCKWORD_SLOT_NS;
    uint64_t until  = now_ns + OMPI_OSC_UCP_LOCKWORD_WAIT_NS;

    slot <<= slots < OMPI_OSC_UCP_LOCKWORD_LONGER ? slots : OMPI_OSC_UCP_LOCKWORD_LONGER;
    return (ompi_osc_ucp_joiner_t) {
        .place  = __atomic_load_n(&word->next, __ATOMIC_SEQ_CST),
        .until  = until - until % slot + slot,
        .passed = (slots + 1) << 32 | turn
    };
}

/** Join as a reader, if the place is reached or the wait is over. ompi_osc_ucp_lockword_joined tells when no writer is
 *  inside. False: the word is unchanged. */
static inline bool ompi_osc_ucp_lockword_join(ompi_osc_ucp_lockword_t *word, const ompi_osc_ucp_joiner_t *joiner,
                                              uint64_t now_ns)
{
    uint32_t turn = __atomic_load_n(&word->turn, __ATOMIC_SEQ_CST);

    if ((int32_t) (turn - joiner->place) < 0) {
        if (now_ns < joiner->until) {
            return false;
        }
        if (turn == (uint32_t) joiner->passed) {
            __atomic_store_n(&word->passed, joiner->passed, __ATOMIC_RELAXED);
        }
    }
    __atomic_fetch_add(&word->inside, OMPI_OSC_UCP_LOCKWORD_READER, __ATOMIC_SEQ_CST);
    return true;
}

/** May a reader that has joined go on: has the writer left? */
static inline bool ompi_osc_ucp_lockword_joined(const ompi_osc_ucp_lockword_t *word)
{
    return 0 == (__atomic_load_n(&word->inside, __ATOMIC_SEQ_CST) & OMPI_OSC_UCP_LOCKWORD_WRITER);
}

/** Enter if that is possible without waiting. False: the word is unchanged. */
static inline bool ompi_osc_ucp_lockword_try(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    uint64_t seen   = __atomic_load_n(&word->both, __ATOMIC_ACQUIRE);
    uint32_t next   = (uint32_t) (seen >> OMPI_OSC_UCP_LOCKWORD_NEXT);
    uint32_t inside = (uint32_t) (seen >> OMPI_OSC_UCP_LOCKWORD_INSIDE);

    if (next != __atomic_load_n(&word->turn, __ATOMIC_ACQUIRE) ||
        0 != (inside & (exclusive ? UINT32_MAX : OMPI_OSC_UCP_LOCKWORD_WRITER))) {
        return false;
    }
    inside += exclusive ? OMPI_OSC_UCP_LOCKWORD_WRITER : OMPI_OSC_UCP_LOCKWORD_READER;
    if (!__atomic_compare_exchange_n(&word->both, &seen,
                                     (uint64_t) next << OMPI_OSC_UCP_LOCKWORD_NEXT |
                                         (uint64_t) inside << OMPI_OSC_UCP_LOCKWORD_INSIDE,
                                     false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
        return false;
    }
    OMPI_OSC_UCP_LOCKWORD_ENTERED(word);
    return true;
}

/** Leave: unlock. */
static inline void ompi_osc_ucp_lockword_leave(ompi_osc_ucp_lockword_t *word, bool exclusive)
{
    OMPI_OSC_UCP_LOCKWORD_LEAVES(word);
    __atomic_fetch_sub(&word->inside, exclusive ? OMPI_OSC_UCP_LOCKWORD_WRITER : OMPI_OSC_UCP_LOCKWORD_READER,
                       __ATOMIC_SEQ_CST);
}

/** Does the service side need a doorbell: do requests wait there? */
static inline bool ompi_osc_ucp_lockword_remote(const ompi_osc_ucp_lockword_t *word)
{
    return 0 != __atomic_load_n(&word->remote, __ATOMIC_SEQ_CST);
}

#endif /* OSC_UCP_LOCKWORD_H */
