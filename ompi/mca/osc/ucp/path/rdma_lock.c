/* Locks in the NIC domain: made of native atomics, without the target's help.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Two levels of words. The window's word, at rank 0, counts the processes that hold the window by lock_all (lower half)
 * and those that hold, or try for, an exclusive lock of any member (upper half): either kind excludes the other. A
 * member's word counts its shared locks, and its upmost bit is the exclusive one. So lock_all is one atomic, whatever
 * the number of processes. Who cannot have a lock takes back what he has changed, and tries again after a while: chance
 * makes the intervals differ, and an upper bound keeps a free lock from staying unused.
 */

#include "rdma.h"

#include <stddef.h>
#include <time.h>

#include "../osc_ucp_check.h"

#define SHARED_ONE    UINT64_C(1)
#define EXCLUSIVE     (UINT64_C(1) << 63)
#define LOCK_ALL_ONE  UINT64_C(1)
#define LOCK_ALL_MASK UINT64_C(0xffffffff)
#define EXCLUSIVE_ONE (UINT64_C(1) << 32)

#define WINDOW_WORD offsetof(ompi_osc_ucp_nic_words_t, window)
#define MEMBER_WORD offsetof(ompi_osc_ucp_nic_words_t, member)

/** First and longest interval between two tries, nanoseconds. */
#define BACKOFF_MIN_NS 500
#define BACKOFF_MAX_NS 64000

static int word_do(ompi_osc_ucp_peer_t *peer, size_t word, opal_common_ucp_atomic_t op, uint64_t operand,
                   uint64_t *result)
{
    return ompi_osc_ucp_rdma_atomic(peer, peer->words_rkey, peer->words + word, op, &operand, sizeof(operand), result);
}

static int word_fetch_add(ompi_osc_ucp_peer_t *peer, size_t word, uint64_t change, uint64_t *old_p)
{
    return word_do(peer, word, OPAL_COMMON_UCP_ADD, change, old_p);
}

static int word_add(ompi_osc_ucp_peer_t *peer, size_t word, uint64_t change)
{
    peer->unflushed = true; /* it must be there before the window is freed: then the word is somebody else's memory */
    return word_do(peer, word, OPAL_COMMON_UCP_ADD, change, NULL);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

/** Wait for between half and all of the interval, which doubles; the process makes progress meanwhile. */
static void back_off(uint64_t *interval_ns)
{
    static uint64_t chance;
    uint64_t        begin = now_ns();
    uint64_t        length;

    chance       = (chance ^ begin) * UINT64_C(0x9e3779b97f4a7c15);
    *interval_ns = 0 == *interval_ns ? BACKOFF_MIN_NS
                                     : *interval_ns < BACKOFF_MAX_NS / 2 ? 2 * *interval_ns : BACKOFF_MAX_NS;
    length       = *interval_ns / 2 + (chance >> 33) % (*interval_ns / 2);
    do {
        ompi_osc_ucp_wait_step();
    } while (now_ns() - begin < length);
}

/** The member that has the window's word, described. */
static int keeper(ompi_osc_ucp_window_t *window, ompi_osc_ucp_peer_t **peer_p)
{
    ompi_osc_ucp_peer_t *peer = ompi_osc_ucp_peer(window, 0);

    *peer_p = peer;
    return NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : ompi_osc_ucp_peer_describe(peer);
}

/** One try at both words; *held_p tells whether it was enough. */
static int exclusive_try(ompi_osc_ucp_peer_t *root, ompi_osc_ucp_peer_t *peer, bool *held_p)
{
    uint64_t old;
    int      rc = word_fetch_add(root, WINDOW_WORD, EXCLUSIVE_ONE, &old), error;

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == (old & LOCK_ALL_MASK)) {
        old = EXCLUSIVE; /* the new value */
        rc  = word_do(peer, MEMBER_WORD, OPAL_COMMON_UCP_COMPARE_SWAP, 0, &old);
        if (OMPI_SUCCESS == rc && 0 == old) {
            *held_p = true;
            return rc;
        }
    }
    error = word_add(root, WINDOW_WORD, -EXCLUSIVE_ONE);
    return OMPI_SUCCESS == rc ? error : rc;
}

static int exclusive_lock(ompi_osc_ucp_peer_t *peer)
{
    ompi_osc_ucp_peer_t *root;
    uint64_t             interval = 0;
    bool                 held     = false;
    int                  rc       = keeper(peer->window, &root);

    while (OMPI_SUCCESS == rc) {
        rc = exclusive_try(root, peer, &held);
        if (held || OMPI_SUCCESS != rc) {
            break;
        }
        back_off(&interval);
    }
    return rc;
}

/** A reader's count stays while it waits: the writer that is in goes, and no other comes. */
static int shared_lock(ompi_osc_ucp_peer_t *peer)
{
    uint64_t interval = 0, old;
    int      rc       = word_fetch_add(peer, MEMBER_WORD, SHARED_ONE, &old);

    while (OMPI_SUCCESS == rc && 0 != (old & EXCLUSIVE)) {
        back_off(&interval);
        rc = word_fetch_add(peer, MEMBER_WORD, 0, &old);
    }
    return rc;
}

int ompi_osc_ucp_nic_lock(ompi_osc_ucp_peer_t *peer, bool exclusive)
{
    return exclusive ? exclusive_lock(peer) : shared_lock(peer);
}

/** What went by messages must be over before others can have the lock; what went natively is (settle). */
static int messages_complete(ompi_osc_ucp_peer_t *peer)
{
    uint32_t awaited = 0;
    int      rc      = ompi_osc_ucp_path_am.flush(peer, &awaited);

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
    if (exclusive && OMPI_SUCCESS == rc) {
        rc = keeper(peer->window, &root);
        rc = OMPI_SUCCESS == rc ? word_add(root, WINDOW_WORD, -EXCLUSIVE_ONE) : rc;
    }
    return OMPI_SUCCESS == rc ? error : rc;
}

int ompi_osc_ucp_nic_lock_all(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *root;
    uint64_t             interval = 0, old;
    int                  rc       = keeper(window, &root);

    while (OMPI_SUCCESS == rc) {
        rc = word_fetch_add(root, WINDOW_WORD, LOCK_ALL_ONE, &old);
        if (OMPI_SUCCESS != rc || 0 == old >> 32) {
            break;
        }
        rc = word_add(root, WINDOW_WORD, -LOCK_ALL_ONE);
        back_off(&interval);
    }
    return rc;
}

int ompi_osc_ucp_nic_unlock_all(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *root;
    int                  rc = keeper(window, &root);

    return OMPI_SUCCESS == rc ? word_add(root, WINDOW_WORD, -LOCK_ALL_ONE) : rc;
}
