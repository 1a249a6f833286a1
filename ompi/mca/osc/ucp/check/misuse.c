/* The checker's part for calls that the standard forbids where they stand, and that no error tells of.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Only what is certain at this process is told. Locks of others are seen in the lock word, at the moments when this
 * process looks.
 */

#include "check/parts.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"
#include "check/report.h"
#include "peer/peer.h"

/** Locks whose calls are remembered, by window. */
#define LOCKS_MAX 16

/** Ranks of a group that are looked at. */
#define RANKS_MAX 256

/** A call that began an epoch. */
typedef struct began_t {
    bool                  open;
    ompi_osc_ucp_called_t call;
    ompi_osc_ucp_site_t   site;
    int                   target; /**< of a lock */
    int                   assert;
    bool                  exclusive;
} began_t;

/** What is kept for a window. The mutex guards all windows. */
typedef struct ompi_osc_ucp_misuse_t {
    began_t lock[LOCKS_MAX], lock_all, start, post;
    began_t fence; /**< the first operation since the last fence */
} misuse_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static misuse_t *misuse_of(const ompi_osc_ucp_window_t *window)
{
    return window->check->misuse;
}

static bool misuse_begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    (void) comm;
    window->check->misuse = calloc(1, sizeof(misuse_t));
    return NULL != window->check->misuse;
}

/** Tell of a call, and of another one that it does not go with, which may be NULL. */
static void tell(ompi_osc_ucp_window_t *window, const began_t *one, const began_t *other, const char *const words[4])
{
    ompi_osc_ucp_finding_t finding = {
        .kind   = words[0], .text = words[1], .target = -1, .n = NULL == other ? 1 : 2,
        .access = { { .what = ompi_osc_ucp_called_name(one->call), .rank = window->rank, .site = one->site } },
        .why    = words[2], .cure = words[3]
    };

    if (NULL != other) {
        finding.access[1] = (ompi_osc_ucp_check_access_t) {
            .what = ompi_osc_ucp_called_name(other->call), .rank = window->rank, .site = other->site
        };
    }
    ompi_osc_ucp_check_tell(window, &finding);
}

/** A call that begins an epoch, or that something is told of. */
static began_t began_of(const ompi_osc_ucp_check_sync_t *sync)
{
    return (began_t) {
        .open = true, .call = sync->call, .site = sync->site, .target = sync->target, .assert = sync->assert,
        .exclusive = MPI_LOCK_EXCLUSIVE == sync->type
    };
}

/** A copy, as another thread may change it. */
static began_t began_copy(const began_t *began)
{
    began_t copy;

    ompi_osc_ucp_check_lock(&mutex);
    copy = *began;
    ompi_osc_ucp_check_unlock(&mutex);
    return copy;
}

/* Locks. */

/** Does a process hold, or ask for, a lock that does not go with one of this process? Nothing if the word cannot be
 *  seen. */
static bool is_locked_by_others(ompi_osc_ucp_window_t *window, int target, bool exclusive)
{
    const ompi_osc_ucp_peer_t *peer;
    uint32_t                   inside = 0;

    if (window->nic) {
        return false;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer_find(window, target);
    if (NULL != peer && NULL != peer->control) {
        inside = __atomic_load_n(&peer->control->lock.inside, __ATOMIC_SEQ_CST);
    }
    ompi_osc_ucp_leave();
    return 0 != (exclusive ? inside : inside & OMPI_OSC_UCP_LOCKWORD_WRITER);
}

/** The lock that this process has on the target; NULL: none, or it was not remembered. */
static began_t *lock_find(misuse_t *misuse, int target)
{
    int i;

    for (i = 0; i < LOCKS_MAX; i++) {
        if (misuse->lock[i].open && target == misuse->lock[i].target) {
            return &misuse->lock[i];
        }
    }
    return NULL;
}

static void lock_add(misuse_t *misuse, const began_t *began)
{
    int i;

    for (i = 0; i < LOCKS_MAX; i++) {
        if (!misuse->lock[i].open) {
            misuse->lock[i] = *began;
            return;
        }
    }
}

/** With MPI_MODE_NOCHECK no other process may have a lock that does not go with this one. */
static void nocheck_look(ompi_osc_ucp_window_t *window, const began_t *lock)
{
    static const char *const words[] = {
        "assert-lies", "MPI_MODE_NOCHECK is given although another process has the lock",
        "with this assertion no other process may hold, or ask for, a lock that does not go with this one",
        "leave out the assertion, or order the two locks"
    };

    if (0 != (lock->assert & MPI_MODE_NOCHECK) && is_locked_by_others(window, lock->target, lock->exclusive)) {
        tell(window, lock, NULL, words);
    }
}

static const char *const own_words[] = {
    "locked-and-exposed", "a process has locked its own memory and exposes it at the same time",
    "neither the unlock nor the end of the exposure epoch stands between", "unlock before MPI_Win_post, or lock later"
};

static void locked(const ompi_osc_ucp_check_sync_t *sync)
{
    misuse_t *misuse = misuse_of(sync->window);
    began_t   lock   = began_of(sync), post;

    if (sync->target < 0) {
        return;
    }
    ompi_osc_ucp_check_lock(&mutex);
    lock_add(misuse, &lock);
    post = misuse->post;
    ompi_osc_ucp_check_unlock(&mutex);
    nocheck_look(sync->window, &lock);
    if (post.open && sync->target == sync->window->rank) {
        tell(sync->window, &post, &lock, own_words);
    }
}

/** Before an unlock. */
static void unlocks(const ompi_osc_ucp_check_sync_t *sync)
{
    began_t *found, lock = { .open = false };

    ompi_osc_ucp_check_lock(&mutex);
    found = lock_find(misuse_of(sync->window), sync->target);
    if (NULL != found) {
        lock        = *found;
        found->open = false;
    }
    ompi_osc_ucp_check_unlock(&mutex);
    if (lock.open) {
        nocheck_look(sync->window, &lock);
    }
}

/* Exposure. */

/** Is the own memory locked at this moment, in which MPI_Win_post has exposed it? */
static void exposed_look(ompi_osc_ucp_window_t *window, const began_t *post)
{
    static const char *const words[] = {
        "locked-and-exposed", "another process has locked memory that is exposed",
        "the lock is held between MPI_Win_post and the end of the exposure epoch",
        "have the process that locks wait until the exposure epoch has ended, or the other way round"
    };
    misuse_t *misuse = misuse_of(window);
    began_t  *lock, own;

    ompi_osc_ucp_check_lock(&mutex);
    lock = lock_find(misuse, window->rank);
    own  = NULL == lock ? misuse->lock_all : *lock;
    ompi_osc_ucp_check_unlock(&mutex);
    if (own.open) {
        tell(window, post, &own, own_words);
    } else if (NULL != window->control && !window->nic &&
               0 != __atomic_load_n(&window->control->lock.inside, __ATOMIC_SEQ_CST)) {
        tell(window, post, NULL, words);
    }
}

/** MPI_Win_start with MPI_MODE_NOCHECK: no matching MPI_Win_post may be without it. */
static void start_look(const ompi_osc_ucp_check_sync_t *sync)
{
    static const char *const words[] = {
        "assert-lies", "MPI_MODE_NOCHECK is given here, and not by the MPI_Win_post that it belongs to",
        "both calls must give this assertion, or neither", "give it in both, or in neither"
    };
    ompi_osc_ucp_window_t *window = sync->window;
    const began_t          start  = began_of(sync);
    int                    n      = ompi_group_size(sync->group), i, own[RANKS_MAX], ranks[RANKS_MAX];

    n = n < RANKS_MAX ? n : RANKS_MAX;
    for (i = 0; i < n; i++) {
        own[i] = i;
    }
    if (n <= 0 || OMPI_SUCCESS != ompi_group_translate_ranks(sync->group, n, own, window->group, ranks)) {
        return;
    }
    for (i = 0; i < n; i++) {
        if (ranks[i] >= 0 && ranks[i] < OMPI_OSC_UCP_POST_RANKS &&
            0 != (__atomic_load_n(&window->control->posts[ranks[i] / 64], __ATOMIC_ACQUIRE) >> ranks[i] % 64 & 1)) {
            tell(window, &start, NULL, words);
            return;
        }
    }
}

/* Fences. */

/** Before a fence. */
static void fences(const ompi_osc_ucp_check_sync_t *sync)
{
    static const char *const words[] = {
        "assert-lies", "MPI_MODE_NOPRECEDE is given although operations precede the fence",
        "with this assertion the fence completes no operation of this process", "leave out the assertion"
    };
    misuse_t     *misuse = misuse_of(sync->window);
    const began_t first  = began_copy(&misuse->fence), fence = began_of(sync);

    ompi_osc_ucp_check_lock(&mutex);
    misuse->fence.open = false;
    ompi_osc_ucp_check_unlock(&mutex);
    if (first.open && 0 != (sync->assert & MPI_MODE_NOPRECEDE)) {
        tell(sync->window, &first, &fence, words);
    }
}

/** The first operation behind a fence. */
static void misuse_called(const ompi_osc_ucp_check_op_t *op, int rc)
{
    misuse_t *misuse = misuse_of(op->window);

    if (NULL == misuse || OMPI_SUCCESS != rc || op->target < 0 || 0 == op->count ||
        OMPI_OSC_UCP_EPOCH_FENCE != op->window->epoch) {
        return;
    }
    ompi_osc_ucp_check_lock(&mutex);
    if (!misuse->fence.open) {
        misuse->fence = (began_t) { .open = true, .call = op->call, .site = op->site };
    }
    ompi_osc_ucp_check_unlock(&mutex);
}

/* What the layer calls. */

static void misuse_synchronizes(const ompi_osc_ucp_check_sync_t *sync)
{
    misuse_t *misuse = misuse_of(sync->window);
    began_t   post;

    if (NULL == misuse) {
        return;
    }
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_FENCE:
        fences(sync);
        break;
    case OMPI_OSC_UCP_CALLED_UNLOCK:
        unlocks(sync);
        break;
    case OMPI_OSC_UCP_CALLED_START:
        if (0 != (sync->assert & MPI_MODE_NOCHECK)) {
            start_look(sync);
        }
        break;
    case OMPI_OSC_UCP_CALLED_WAIT:
    case OMPI_OSC_UCP_CALLED_TEST:
        post = began_copy(&misuse->post);
        if (post.open) {
            exposed_look(sync->window, &post);
        }
        break;
    default:
        break;
    }
}

/** Remember that an epoch has begun, or has ended. */
static void epoch_keep(began_t *began, const ompi_osc_ucp_check_sync_t *sync, bool open)
{
    ompi_osc_ucp_check_lock(&mutex);
    *began      = began_of(sync);
    began->open = open;
    ompi_osc_ucp_check_unlock(&mutex);
}

static void misuse_synchronized(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    misuse_t *misuse = misuse_of(sync->window);

    if (NULL == misuse || OMPI_SUCCESS != rc) {
        return;
    }
    switch (sync->call) {
    case OMPI_OSC_UCP_CALLED_LOCK:
        locked(sync);
        break;
    case OMPI_OSC_UCP_CALLED_LOCK_ALL:
    case OMPI_OSC_UCP_CALLED_UNLOCK_ALL:
        epoch_keep(&misuse->lock_all, sync, OMPI_OSC_UCP_CALLED_LOCK_ALL == sync->call);
        break;
    case OMPI_OSC_UCP_CALLED_START:
    case OMPI_OSC_UCP_CALLED_COMPLETE:
        epoch_keep(&misuse->start, sync, OMPI_OSC_UCP_CALLED_START == sync->call);
        break;
    case OMPI_OSC_UCP_CALLED_POST:
        epoch_keep(&misuse->post, sync, true);
        exposed_look(sync->window, &misuse->post);
        break;
    case OMPI_OSC_UCP_CALLED_WAIT:
        epoch_keep(&misuse->post, sync, false);
        break;
    case OMPI_OSC_UCP_CALLED_TEST:
        if (sync->flag) {
            epoch_keep(&misuse->post, sync, false);
        }
        break;
    default:
        break;
    }
}

/** MPI_Finalize has come to a window: tell of an epoch that is open. */
static void open_tell(ompi_osc_ucp_window_t *window, const began_t *began, const char *cure)
{
    const char *const words[] = {
        "epoch-open", "the program ends within an epoch", "MPI_Finalize comes before the call that ends the epoch", cure
    };

    if (began->open) {
        tell(window, began, NULL, words);
    }
}

static void misuse_end(ompi_osc_ucp_window_t *window, bool last)
{
    misuse_t *misuse = misuse_of(window);
    int       i;

    for (i = 0; i < LOCKS_MAX && last && NULL != misuse; i++) {
        open_tell(window, &misuse->lock[i], "call MPI_Win_unlock");
    }
    if (last && NULL != misuse) {
        open_tell(window, &misuse->lock_all, "call MPI_Win_unlock_all");
        open_tell(window, &misuse->start, "call MPI_Win_complete");
        open_tell(window, &misuse->post, "call MPI_Win_wait");
        open_tell(window, &misuse->fence, "call MPI_Win_fence");
    }
    free(misuse);
    window->check->misuse = NULL;
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_misuse = {
    .begin        = misuse_begin,
    .end          = misuse_end,
    .called       = misuse_called,
    .synchronizes = misuse_synchronizes,
    .synchronized = misuse_synchronized
};
