/* What becomes of windows when a process of theirs dies and the others go on: parameter osc_ucp_survive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Everything goes by messages then, as nobody could give back what a dead process holds in shared memory, and each
 * process is connected to all members of its windows, so that it learns of a death by itself, also of one that it waits
 * for only indirectly. The windows that a dead process is a member of are lost: whoever waits in one for a message is
 * told that none will come, and all synchronizing calls return MPI_ERR_WIN, those under way and all later ones. Other
 * windows have no part in that.
 */

#include "osc_ucp_check.h"

#include <time.h>

#include "path/am_packet.h"
#include "path/am_refused.h"

#include "osc_ucp_pending.h"

/** What a process has sent before it ended may still have to be read when its end is seen, and it may have ended in an
 *  orderly way: so long its windows are left alone. Nanoseconds. */
#define GRACE_NS 100000000

/** A message finds out that a process is gone, maybe before the connection that watches it: so long that is waited for.
 *  Nanoseconds. */
#define PATIENCE_NS 1000000000

static uint64_t last_death; /**< when; atomic */

void ompi_osc_ucp_survive_init(void)
{
    if (0 != mca_osc_ucp_component.survive) {
        mca_osc_ucp_component.direct        = 0;
        mca_osc_ucp_component.kernel_copy   = 0;
        mca_osc_ucp_component.rdma          = OMPI_OSC_UCP_RDMA_NEVER;
        mca_osc_ucp_component.atomic_domain = OMPI_OSC_UCP_DOMAIN_CPU;
        opal_common_ucp_survive(OMPI_ERR_WIN);
    }
}

/* How a window is lost. */

/** Error codes do not tell who has died. */
static void tell(const ompi_osc_ucp_window_t *window, int rank)
{
    opal_output(0, "osc/ucp: the process with rank %d in MPI_COMM_WORLD has died or cannot be reached: window %llu of "
                   "%d processes is lost, and its calls return MPI_ERR_WIN",
                (int) ompi_group_get_proc_name(window->group, rank).vpid, (unsigned long long) window->id,
                window->size);
}

/** Nothing more is sent, and nobody waits for an answer. */
static void window_lose(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    if (window->lost) {
        return;
    }
    __atomic_store_n(&window->lost, true, __ATOMIC_RELAXED);
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        peer->broken = OMPI_ERR_WIN;
        ompi_osc_ucp_packet_release(peer);
    }
    ompi_osc_ucp_pendings_abandon(window, OMPI_ERR_WIN);
    ompi_osc_ucp_refusals_expect(); /* others may not know yet, and the window may soon be freed */
}

/** Has a member of the window died? The first one that lives says so. */
static void window_look(ompi_osc_ucp_window_t *window)
{
    int rank, dead = -1, living = -1;

    for (rank = 0; !window->told && rank < window->size; rank++) {
        if (!ompi_osc_ucp_proc_lost(window->group, rank)) {
            living = living < 0 ? rank : living;
        } else if (dead < 0) {
            dead = rank;
        }
    }
    if (dead >= 0) {
        window->told = true;
        if (living == window->rank) {
            tell(window, dead);
        }
        window_lose(window);
    }
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

void ompi_osc_ucp_death(void)
{
    __atomic_store_n(&last_death, now_ns(), __ATOMIC_RELAXED);
    __atomic_fetch_add(&mca_osc_ucp_component.deaths, 1, __ATOMIC_RELEASE);
}

void ompi_osc_ucp_deaths_look(void)
{
    uint32_t               deaths = __atomic_load_n(&mca_osc_ucp_component.deaths, __ATOMIC_ACQUIRE);
    ompi_osc_ucp_window_t *window;

    if (now_ns() - __atomic_load_n(&last_death, __ATOMIC_RELAXED) < GRACE_NS) {
        return;
    }
    mca_osc_ucp_component.deaths_seen = deaths;
    for (window = mca_osc_ucp_component.watched; NULL != window; window = window->next) {
        window_look(window);
    }
}

/* Synchronizing calls, with that outcome. */

/** Something could not be sent: whose death that tells of will be known in a moment. */
static void window_fail(ompi_osc_ucp_window_t *window)
{
    uint64_t begin = now_ns();

    window_look(window);
    while (!window->lost && now_ns() - begin < PATIENCE_NS) {
        ompi_osc_ucp_wait_step();
        window_look(window);
    }
    window_lose(window);
}

bool ompi_osc_ucp_survive_lost(ompi_osc_ucp_window_t *window)
{
    if (0 != mca_osc_ucp_component.survive && window->failing && !window->lost) {
        window_fail(window);
    }
    return window->lost;
}

static bool lost(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);

    if (__atomic_load_n(&window->failing, __ATOMIC_RELAXED)) {
        ompi_osc_ucp_enter();
        (void) ompi_osc_ucp_survive_lost(window);
        ompi_osc_ucp_leave();
    }
    return __atomic_load_n(&window->lost, __ATOMIC_RELAXED);
}

/** What a call returns that may have been waiting when the window was lost. */
static int outcome(ompi_win_t *win, int rc)
{
    return lost(win) ? OMPI_ERR_WIN : rc;
}

static int fence(int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_fence(assert, win));
}

static int start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_start(group, assert, win));
}

static int complete(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_complete(win));
}

static int post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_post(group, assert, win));
}

static int wait(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_wait(win));
}

static int test(ompi_win_t *win, int *flag)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_test(win, flag));
}

static int lock(int lock_type, int target, int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_lock(lock_type, target, assert, win));
}

static int unlock(int target, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_unlock(target, win));
}

static int lock_all(int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_lock_all(assert, win));
}

static int unlock_all(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_unlock_all(win));
}

static int flush(int target, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_flush(target, win));
}

static int flush_all(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_flush_all(win));
}

static int flush_local(int target, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_flush_local(target, win));
}

static int flush_local_all(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, ompi_osc_ucp_flush_local_all(win));
}

/* The life of a window whose members are watched. */

int ompi_osc_ucp_survive_begin(ompi_osc_ucp_window_t *window)
{
    ompi_osc_base_module_t *module = &window->super;
    int                     rc;

    if (0 == mca_osc_ucp_component.survive || window->size < 2) {
        return OMPI_SUCCESS;
    }
    module->osc_fence           = fence;
    module->osc_start           = start;
    module->osc_complete        = complete;
    module->osc_post            = post;
    module->osc_wait            = wait;
    module->osc_test            = test;
    module->osc_lock            = lock;
    module->osc_unlock          = unlock;
    module->osc_lock_all        = lock_all;
    module->osc_unlock_all      = unlock_all;
    module->osc_flush           = flush;
    module->osc_flush_all       = flush_all;
    module->osc_flush_local     = flush_local;
    module->osc_flush_local_all = flush_local_all;
    ompi_osc_ucp_enter();
    rc = ompi_osc_ucp_procs_watch(window->group, window->rank);
    if (OMPI_SUCCESS == rc) {
        window->next = mca_osc_ucp_component.watched;
        mca_osc_ucp_component.watched = window;
    }
    ompi_osc_ucp_leave();
    return rc;
}

void ompi_osc_ucp_survive_end(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_window_t **at = &mca_osc_ucp_component.watched;

    while (NULL != *at && window != *at) {
        at = &(*at)->next;
    }
    if (NULL != *at) {
        *at = window->next;
    }
}

void ompi_osc_ucp_survive_bury(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        ompi_osc_ucp_peer_locked(peer, OMPI_OSC_UCP_UNLOCKED);
    }
    window->next = mca_osc_ucp_component.buried;
    mca_osc_ucp_component.buried = window;
}

void ompi_osc_ucp_survive_fini(void)
{
    ompi_osc_ucp_window_t *window;

    while (NULL != (window = mca_osc_ucp_component.buried)) {
        mca_osc_ucp_component.buried = window->next;
        ompi_osc_ucp_window_delete(window);
    }
}
