/* Locks in the NIC domain, by native atomics on the lock words of the target.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * There are two kinds of words. The window's word, at rank 0, has three counts: holders of lock_all, processes that
 * hold or wait for an exclusive lock of any member, and processes that wait for lock_all. The first two exclude each
 * other, so lock_all is one atomic for any number of processes. A member's word counts its readers, its waiting
 * writers, and the turns that writers have had; its highest bit is set while a writer holds it.
 *
 * A waiting process looks again after an interval, which doubles up to a bound and is partly random. Fairness:
 *  - A reader that finds waiting writers lets one of them go first. It sees by the count of turns that one did. If it
 *    holds another lock, for which the present readers may wait, it does not wait for longer than PATIENCE_NS.
 *  - A reader therefore waits for one writer. A writer waits for the present readers and, each time another writer is
 *    faster, for that one and the readers behind it.
 *  - lock_all waits for the writers that hold a lock or wait. Writers that come later let it go first, unless they hold
 *    another lock already, of any window: a process that lock_all waits for may wait for that one. For the same reason
 *    lock_all itself, if another lock is held, waits for PATIENCE_NS at most. Then it locks members by themselves, as
 *    a reader, when they are used.
 */

#include <stddef.h>

#include "base/wait.h"
#include "path/am.h"
#include "path/rdma.h"

/** The member's word: readers, waiting writers, turns of writers, a writer inside. */
#define SHARED_ONE    UINT64_C(1)
#define SHARED_MASK   UINT64_C(0xffffff)
#define WAITING_ONE   (UINT64_C(1) << 24)
#define WAITING_MASK  (UINT64_C(0xffffff) << 24)
#define TURN_ONE      (UINT64_C(1) << 48)
#define TURN_MASK     (UINT64_C(0x7fff) << 48)
#define EXCLUSIVE     (UINT64_C(1) << 63)

/** The window's word: holders of lock_all, exclusive locks, waiters for lock_all. */
#define FIELD_MASK       UINT64_C(0x1fffff)
#define LOCK_ALL_ONE     UINT64_C(1)
#define LOCK_ALL_MASK    FIELD_MASK
#define EXCLUSIVE_ONE    (UINT64_C(1) << 21)
#define EXCLUSIVE_MASK   (FIELD_MASK << 21)
#define ALL_WAITING_ONE  (UINT64_C(1) << 42)
#define ALL_WAITING_MASK (FIELD_MASK << 42)

#define WINDOW_WORD offsetof(ompi_osc_ucp_nic_words_t, window)
#define MEMBER_WORD offsetof(ompi_osc_ucp_nic_words_t, member)

/** First and longest interval between two looks, nanoseconds. */
#define BACKOFF_MIN_NS 500
#define BACKOFF_MAX_NS 64000

/** How long a reader, or lock_all, that holds another lock waits for a writer, nanoseconds. */
#define PATIENCE_NS 8000000

static int word_atomic(ompi_osc_ucp_peer_t *peer, size_t word, opal_common_ucp_atomic_t op, uint64_t operand,
                       uint64_t *result)
{
    return ompi_osc_ucp_rdma_atomic(peer, peer->words_rkey, peer->words + word, op, &operand, sizeof(operand), result);
}

static int word_fetch_add(ompi_osc_ucp_peer_t *peer, size_t word, uint64_t change, uint64_t *old_p)
{
    return word_atomic(peer, word, OPAL_COMMON_UCP_ADD, change, old_p);
}

static int word_add(ompi_osc_ucp_peer_t *peer, size_t word, uint64_t change)
{
    peer->unflushed = true; /* freeing the window has to complete this: the word's memory is reused then */
    return word_atomic(peer, word, OPAL_COMMON_UCP_ADD, change, NULL);
}

/** Double the interval, and wait for a random time between half and all of it. Makes progress meanwhile. */
static void back_off(uint64_t *interval_ns)
{
    static uint64_t chance;
    uint64_t        begin = opal_common_ucp_now_ns();
    uint64_t        length;

    chance       = (chance ^ begin) * UINT64_C(0x9e3779b97f4a7c15);
    *interval_ns = 0 == *interval_ns ? BACKOFF_MIN_NS
                                     : *interval_ns < BACKOFF_MAX_NS / 2 ? 2 * *interval_ns : BACKOFF_MAX_NS;
    length       = *interval_ns / 2 + (chance >> 33) % (*interval_ns / 2);
    do {
        ompi_osc_ucp_wait_step();
    } while (opal_common_ucp_now_ns() - begin < length);
}

/** The member that has the window's word. It is attached before any other (root_reach in reach/reach.c). */
static int root_find(ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t **peer_p)
{
    *peer_p = ompi_osc_ucp_peer_find(window, 0);
    return NULL == *peer_p || !(*peer_p)->known ? OMPI_ERR_UNREACH : OMPI_SUCCESS;
}

/** Wait until none of the bits of a word is set, or until a time. *old is the word as it was seen last, before and
 *  after. */
static int await_clear_until(ompi_osc_ucp_peer_t *peer, size_t word, uint64_t bits, uint64_t *old, uint64_t until_ns)
{
    uint64_t interval = 0;
    int      rc       = OMPI_SUCCESS;

    while (OMPI_SUCCESS == rc && 0 != (*old & bits) && opal_common_ucp_now_ns() < until_ns) {
        back_off(&interval);
        rc = word_fetch_add(peer, word, 0, old);
    }
    return rc;
}

static int await_clear(ompi_osc_ucp_peer_t *peer, size_t word, uint64_t bits, uint64_t *old)
{
    return await_clear_until(peer, word, bits, old, UINT64_MAX);
}

/** A member's word after one of its waiting writers has acquired the lock. */
static uint64_t writer_in(uint64_t word)
{
    return ((word - WAITING_ONE) & ~TURN_MASK) | ((word + TURN_ONE) & TURN_MASK) | EXCLUSIVE;
}

/** Exclude lock_all, and wait until no process holds it. */
static int exclude_all(ompi_osc_ucp_peer_t *root)
{
    uint64_t old;
    int      rc = word_fetch_add(root, WINDOW_WORD, EXCLUSIVE_ONE, &old);

    if (OMPI_SUCCESS == rc && 0 != (old & ALL_WAITING_MASK) && 0 == ompi_osc_ucp_locks_held()) {
        rc = word_add(root, WINDOW_WORD, -EXCLUSIVE_ONE);
        rc = OMPI_SUCCESS == rc ? await_clear(root, WINDOW_WORD, ALL_WAITING_MASK, &old) : rc;
        rc = OMPI_SUCCESS == rc ? word_fetch_add(root, WINDOW_WORD, EXCLUSIVE_ONE, &old) : rc;
    }
    return OMPI_SUCCESS == rc ? await_clear(root, WINDOW_WORD, LOCK_ALL_MASK, &old) : rc;
}

/** Acquire the member's word as a writer. */
static int writer_take(ompi_osc_ucp_peer_t *peer)
{
    uint64_t old, seen;
    int      rc = word_fetch_add(peer, MEMBER_WORD, WAITING_ONE, &old);

    old += WAITING_ONE;
    while (OMPI_SUCCESS == rc && OMPI_SUCCESS == (rc = await_clear(peer, MEMBER_WORD, SHARED_MASK | EXCLUSIVE, &old))) {
        seen = old;
        old  = writer_in(seen);
        rc   = word_atomic(peer, MEMBER_WORD, OPAL_COMMON_UCP_COMPARE_SWAP, seen, &old);
        if (OMPI_SUCCESS == rc && seen == old) {
            break;
        }
    }
    return rc;
}

static int exclusive_lock(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_peer_t *root;
    int                  rc = root_find(peer->window, &root);

    rc = OMPI_SUCCESS == rc ? exclude_all(root) : rc;
    if (OMPI_SUCCESS == rc && OMPI_SUCCESS != (rc = writer_take(peer))) {
        (void) word_add(root, WINDOW_WORD, -EXCLUSIVE_ONE); /* this peer cannot be reached, but others use the window */
    }
    return rc;
}

/** Take back the reader's count, wait for the turn of a waiting writer, and count again. *old as in await_clear. */
static int let_writer_in(ompi_osc_ucp_peer_t *peer, uint64_t *old)
{
    bool     joins    = ompi_osc_ucp_joins(false);
    uint64_t interval = 0, turn = *old & TURN_MASK, begin = opal_common_ucp_now_ns();
    int      rc       = word_add(peer, MEMBER_WORD, -SHARED_ONE);

    while (OMPI_SUCCESS == rc && 0 != (*old & WAITING_MASK) && turn == (*old & TURN_MASK) &&
           (!joins || opal_common_ucp_now_ns() - begin < PATIENCE_NS)) {
        back_off(&interval);
        rc = word_fetch_add(peer, MEMBER_WORD, 0, old);
    }
    return OMPI_SUCCESS == rc ? word_fetch_add(peer, MEMBER_WORD, SHARED_ONE, old) : rc;
}

/** Acquire the member's word as a reader. While a writer holds it, the count stays: no other writer can follow. */
static int shared_lock(ompi_osc_ucp_peer_t *peer)
{
    uint64_t old;
    int      rc = word_fetch_add(peer, MEMBER_WORD, SHARED_ONE, &old);

    if (OMPI_SUCCESS == rc && 0 == (old & EXCLUSIVE) && 0 != (old & WAITING_MASK)) {
        rc = let_writer_in(peer, &old);
    }
    return OMPI_SUCCESS == rc ? await_clear(peer, MEMBER_WORD, EXCLUSIVE, &old) : rc;
}

int ompi_osc_ucp_nic_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    return exclusive ? exclusive_lock(peer) : shared_lock(peer);
}

/** Complete the operations that are messages before the lock is released. Native ones are complete (settle). */
static int messages_complete(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;
    int      rc      = ompi_osc_ucp_am_flush(peer, &awaited);

    ompi_osc_ucp_await(&awaited);
    ompi_osc_ucp_peer_wait_local(peer);
    return rc;
}

int ompi_osc_ucp_nic_unlock(ompi_osc_ucp_peer_t *peer, bool exclusive, uint32_t *awaited)
{
    ompi_osc_ucp_peer_t *root;
    int                  error = messages_complete(peer), rc;

    (void) awaited;
    rc = word_add(peer, MEMBER_WORD, exclusive ? -EXCLUSIVE : -SHARED_ONE);
    if (exclusive) { /* also if the peer cannot be reached: others use the window */
        error = OMPI_SUCCESS == rc ? error : rc;
        rc    = root_find(peer->window, &root);
        rc    = OMPI_SUCCESS == rc ? word_add(root, WINDOW_WORD, -EXCLUSIVE_ONE) : rc;
    }
    return OMPI_SUCCESS == rc ? error : rc;
}

int ompi_osc_ucp_nic_lock_all(ompi_osc_ucp_window_t *window)
{
    uint64_t             until = ompi_osc_ucp_joins(false) ? opal_common_ucp_now_ns() + PATIENCE_NS : UINT64_MAX;
    uint64_t             old, enter = LOCK_ALL_ONE - ALL_WAITING_ONE;
    ompi_osc_ucp_peer_t *root;
    int                  rc = root_find(window, &root);

    if (OMPI_SUCCESS == rc) {
        rc = word_fetch_add(root, WINDOW_WORD, LOCK_ALL_ONE, &old);
    }
    while (OMPI_SUCCESS == rc && 0 != (old & EXCLUSIVE_MASK)) {
        rc = word_add(root, WINDOW_WORD, ALL_WAITING_ONE - LOCK_ALL_ONE);
        rc = OMPI_SUCCESS == rc ? await_clear_until(root, WINDOW_WORD, EXCLUSIVE_MASK, &old, until) : rc;
        if (OMPI_SUCCESS == rc && 0 != (old & EXCLUSIVE_MASK)) {
            rc = word_add(root, WINDOW_WORD, -ALL_WAITING_ONE);
            return OMPI_SUCCESS == rc ? OMPI_ERR_WOULD_BLOCK : rc;
        }
        rc = OMPI_SUCCESS == rc ? word_fetch_add(root, WINDOW_WORD, enter, &old) : rc;
    }
    ompi_osc_ucp_locks_hold(OMPI_SUCCESS == rc);
    return rc;
}

int ompi_osc_ucp_nic_unlock_all(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *root;
    int                  rc = root_find(window, &root);

    ompi_osc_ucp_locks_hold(-1);
    return OMPI_SUCCESS == rc ? word_add(root, WINDOW_WORD, -LOCK_ALL_ONE) : rc;
}
