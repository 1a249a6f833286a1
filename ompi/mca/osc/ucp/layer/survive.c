/* The layer of windows that survive the death of a member: parameter osc_ucp_survive.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Between processes everything goes by message then, because nobody could release what a dead process holds in shared
 * memory. Each process is connected to all members of its windows, so that it learns of every death by itself. The
 * windows of a dead process are lost: pendings end with an error, and all synchronizing calls, also those under way,
 * return MPI_ERR_WIN. Other windows are not affected.
 */

#include <stdlib.h>

#include "base/params.h"
#include "base/wait.h"
#include "layer/layer.h"
#include "message/packet.h"
#include "peer/pending.h"
#include "service/refused.h"

/** Nanoseconds between the end of a process and the loss of its windows: its last messages may still have to be read,
 *  and it may have ended in an orderly way. */
#define GRACE_NS 100000000

/** Nanoseconds that a process waits for the news of a death after a message could not be sent. */
#define PATIENCE_NS 1000000000

/** A window whose members are watched, or a lost one that is kept after it was freed. */
typedef struct entry_t {
    struct entry_t        *next;
    ompi_osc_ucp_window_t *window;
    bool                   told;                                   /**< the death of a member is known */
    void                 (*delete)(ompi_osc_ucp_window_t *window); /**< frees a window that is kept */
} entry_t;

static entry_t *watched, *kept;

static uint64_t last_death; /* time of the last one; atomic */
static uint32_t deaths;     /* of watched processes; atomic */

static unsigned deaths_poll(void);

void ompi_osc_ucp_survive_init(void)
{
    if (0 != ompi_osc_ucp_params.survive) {
        ompi_osc_ucp_params.direct        = 0;
        ompi_osc_ucp_params.kernel_copy   = 0;
        ompi_osc_ucp_params.rdma          = OMPI_OSC_UCP_RDMA_NEVER;
        ompi_osc_ucp_params.atomic_domain = OMPI_OSC_UCP_DOMAIN_CPU;
        opal_common_ucp_survive(OMPI_ERR_WIN);
        ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, deaths_poll);
    }
}

/* The loss of a window. */

/** Print which process has died: error codes do not say that. */
static void tell(const ompi_osc_ucp_window_t *window, int rank)
{
    opal_output(0, "osc/ucp: the process with rank %d in MPI_COMM_WORLD has died or cannot be reached: window %llu of "
                   "%d processes is lost, and its calls return MPI_ERR_WIN",
                (int) ompi_group_get_proc_name(window->group, rank).vpid, (unsigned long long) window->id,
                window->size);
}

/** Mark the window as lost, send nothing more in it, and end its pendings. */
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
    ompi_osc_ucp_refusals_expect(); /* peers that do not know yet may send to the window when it is freed */
}

/** Lose the window if a member has died. The first member alive reports it. */
static void window_look(entry_t *entry)
{
    ompi_osc_ucp_window_t *window = entry->window;
    int                    rank, dead = -1, living = -1;

    for (rank = 0; !entry->told && rank < window->size; rank++) {
        if (!ompi_osc_ucp_proc_lost(window->group, rank)) {
            living = living < 0 ? rank : living;
        } else if (dead < 0) {
            dead = rank;
        }
    }
    if (dead >= 0) {
        entry->told = true;
        if (living == window->rank) {
            tell(window, dead);
        }
        window_lose(window);
    }
}

/** A watched process has died. Any thread. */
static void death(void)
{
    __atomic_store_n(&last_death, opal_common_ucp_now_ns(), __ATOMIC_RELAXED);
    __atomic_fetch_add(&deaths, 1, __ATOMIC_RELEASE);
}

/** Source of progress: when the grace time after the last death is over, look at all windows. */
static unsigned deaths_poll(void)
{
    static uint32_t seen;
    uint32_t        now = __atomic_load_n(&deaths, __ATOMIC_ACQUIRE);
    entry_t        *entry;

    if (seen == now || opal_common_ucp_now_ns() - __atomic_load_n(&last_death, __ATOMIC_RELAXED) < GRACE_NS) {
        return 0;
    }
    seen = now;
    for (entry = watched; NULL != entry; entry = entry->next) {
        window_look(entry);
    }
    return 1;
}

/* The functions of the layer. */

/** The entry of a window that is watched; NULL if it is not. */
static entry_t *entry_find(const ompi_osc_ucp_window_t *window)
{
    entry_t *entry = watched;

    while (NULL != entry && window != entry->window) {
        entry = entry->next;
    }
    return entry;
}

/** A message could not be sent: wait for the news of a death, and lose the window in any case. */
static void window_fail(ompi_osc_ucp_window_t *window)
{
    entry_t *entry = entry_find(window);
    uint64_t begin = opal_common_ucp_now_ns();

    while (NULL != entry && !window->lost && opal_common_ucp_now_ns() - begin < PATIENCE_NS) {
        ompi_osc_ucp_wait_step();
        window_look(entry);
    }
    window_lose(window);
}

bool ompi_osc_ucp_survive_lost(ompi_osc_ucp_window_t *window)
{
    if (0 != ompi_osc_ucp_params.survive && window->failing && !window->lost) {
        window_fail(window);
    }
    return window->lost;
}

/** The functions below this layer. */
static const ompi_osc_base_module_t *below(ompi_win_t *win)
{
    return ompi_osc_ucp_below(win, OMPI_OSC_UCP_LAYER_SURVIVE);
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

/** The outcome of a call during which the window may have been lost. */
static int outcome(ompi_win_t *win, int rc)
{
    return lost(win) ? OMPI_ERR_WIN : rc;
}

static int fence(int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_fence(assert, win));
}

static int start(ompi_group_t *group, int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_start(group, assert, win));
}

static int complete(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_complete(win));
}

static int post(ompi_group_t *group, int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_post(group, assert, win));
}

static int wait(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_wait(win));
}

static int test(ompi_win_t *win, int *flag)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_test(win, flag));
}

static int lock(int lock_type, int target, int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_lock(lock_type, target, assert, win));
}

static int unlock(int target, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_unlock(target, win));
}

static int lock_all(int assert, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_lock_all(assert, win));
}

static int unlock_all(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_unlock_all(win));
}

static int flush(int target, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_flush(target, win));
}

static int flush_all(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_flush_all(win));
}

static int flush_local(int target, ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_flush_local(target, win));
}

static int flush_local_all(ompi_win_t *win)
{
    return lost(win) ? OMPI_ERR_WIN : outcome(win, below(win)->osc_flush_local_all(win));
}

/* Beginning and end. */

int ompi_osc_ucp_survive_begin(ompi_osc_ucp_window_t *window)
{
    static const ompi_osc_base_module_t functions = {
        .osc_fence           = fence,
        .osc_start           = start,
        .osc_complete        = complete,
        .osc_post            = post,
        .osc_wait            = wait,
        .osc_test            = test,
        .osc_lock            = lock,
        .osc_unlock          = unlock,
        .osc_lock_all        = lock_all,
        .osc_unlock_all      = unlock_all,
        .osc_flush           = flush,
        .osc_flush_all       = flush_all,
        .osc_flush_local     = flush_local,
        .osc_flush_local_all = flush_local_all
    };
    entry_t *entry;
    int      rc;

    if (0 == ompi_osc_ucp_params.survive || window->size < 2) {
        return OMPI_SUCCESS;
    }
    entry = calloc(1, sizeof(*entry));
    if (NULL == entry || !ompi_osc_ucp_layer_add(window, OMPI_OSC_UCP_LAYER_SURVIVE, &functions)) {
        free(entry);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    entry->window = window;
    ompi_osc_ucp_enter();
    rc = ompi_osc_ucp_procs_watch(window->group, window->rank, death);
    if (OMPI_SUCCESS == rc) {
        entry->next = watched;
        watched     = entry;
    } else {
        free(entry);
    }
    ompi_osc_ucp_leave();
    return rc;
}

void ompi_osc_ucp_survive_end(ompi_osc_ucp_window_t *window)
{
    entry_t **at = &watched, *entry;

    while (NULL != (entry = *at) && window != entry->window) {
        at = &entry->next;
    }
    if (NULL == entry) {
        return;
    }
    *at = entry->next;
    free(entry);
}

void ompi_osc_ucp_survive_keep(ompi_osc_ucp_window_t *window, void (*delete)(ompi_osc_ucp_window_t *window))
{
    ompi_osc_ucp_peer_t *peer;
    entry_t             *entry;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        ompi_osc_ucp_peer_locked(peer, OMPI_OSC_UCP_UNLOCKED);
    }
    entry = malloc(sizeof(*entry));
    if (NULL != entry) {
        *entry = (entry_t) { .next = kept, .window = window, .delete = delete };
        kept   = entry;
    } /* otherwise the window is kept for ever */
}

void ompi_osc_ucp_survive_fini(void)
{
    entry_t *entry;

    while (NULL != (entry = kept)) {
        kept = entry->next;
        entry->delete(entry->window);
        free(entry);
    }
}
