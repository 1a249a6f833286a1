/* The watchdog (--mca osc_ucp_watchdog SECONDS): a process that waits too long says for whom.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All of it happens in opal_progress, which each waiting loop calls. A process that computes does nothing for it.
 */

#include "report/report.h"

#include <signal.h>
#include <stdio.h>

#include "base/params.h"
#include "base/threads.h"
#include "epoch/epoch.h"
#include "layer/watch.h"
#include "path/path.h"
#include "report/graph.h"

/** A call that has waited for so long tells in its record for what, and again after as long. Nanoseconds. */
#define TELL_NS 100000000

/** A graph of another thread is given up after so long. Nanoseconds. */
#define GRAPH_NS 5000000000

/** When a graph that may soon be another one is made again. Nanoseconds. */
#define AGAIN_NS 500000000

static struct {
    bool                 open;
    bool                 busy;   /**< inside `look`: what it calls may progress */
    struct sigaction     before; /**< of the signal */
    ompi_osc_ucp_graph_t graph;
} watchdog;

static volatile sig_atomic_t demands; /* signals so far */

static _Thread_local unsigned demands_served;
static _Thread_local uint64_t next_tell, next_print; /* ages of this thread's call, nanoseconds */
static _Thread_local bool     again;                 /* the graph has been made again */

static void demanded(int number)
{
    (void) number;
    demands++;
}

/* For what this thread's call waits. */

/** The record that `tell` makes. */
static ompi_osc_ucp_watched_t draft;

static void window_set(const ompi_osc_ucp_window_t *window)
{
    draft.window = window->watch->as;
    snprintf(draft.name, sizeof(draft.name), "%s", window->win->w_name);
}

static void whom_add(const ompi_osc_ucp_window_t *window, int rank)
{
    if (draft.whoms < OMPI_OSC_UCP_WATCHED_WHOM) {
        draft.whom[draft.whoms++] = ompi_osc_ucp_proc_key(window->group, rank);
    }
    draft.missing++;
}

/** Does a call wait for the lock of one of the window's peers? */
static bool awaits_lock(const ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (peer->resolving) {
            draft.awaits = OMPI_OSC_UCP_AWAITS_ANSWER;
        } else if (peer->locking || peer->granting) {
            draft.awaits = OMPI_OSC_UCP_AWAITS_LOCK;
        } else {
            continue;
        }
        window_set(window);
        whom_add(window, peer->rank);
        return true;
    }
    return false;
}

/** A new lock waits for those that were requested before, in all windows. */
static bool awaits_locks(const ompi_osc_ucp_calling_t *calling)
{
    const struct ompi_osc_ucp_watch_t *watch = ompi_osc_ucp_watches;

    if (awaits_lock(calling->window)) {
        return true;
    }
    if (OMPI_OSC_UCP_CALLED_LOCK != calling->call && OMPI_OSC_UCP_CALLED_LOCK_ALL != calling->call) {
        return false;
    }
    while (NULL != watch && !awaits_lock(watch->window)) {
        watch = watch->next;
    }
    return NULL != watch;
}

/** The barrier of fence and free: the first round without its notice. */
static bool awaits_barrier(const ompi_osc_ucp_window_t *window)
{
    int64_t  distance = 1;
    uint32_t arrived;
    int      round;

    for (round = 0; ompi_osc_ucp_barrier_partner(window, round) >= 0; round++, distance *= 2) {
        arrived = __atomic_load_n(&window->control->arrived[round], __ATOMIC_ACQUIRE);
        if ((int32_t) (arrived - window->barriers) < 0) {
            draft.awaits = OMPI_OSC_UCP_AWAITS_ARRIVE;
            whom_add(window, (int) ((window->rank + window->size - distance) % window->size));
            return true;
        }
    }
    return false;
}

/** MPI_Win_wait counts MPI_Win_complete calls, and does not know whose are missing: they are in the group. */
static void awaits_complete(const ompi_osc_ucp_window_t *window)
{
    ompi_group_t *group = window->watch->posted;
    int           n     = NULL == group ? 0 : ompi_group_size(group), i;

    draft.awaits = OMPI_OSC_UCP_AWAITS_COMPLETE;
    for (i = 0; i < n && i < OMPI_OSC_UCP_WATCHED_WHOM; i++) {
        draft.whom[draft.whoms++] = ompi_osc_ucp_proc_key(group, i);
    }
    draft.missing = window->completes_used + window->exposed_to -
                    __atomic_load_n(&window->control->completes, __ATOMIC_RELAXED);
}

/** Is an answer of the peer to come? A call without a target waits for all. */
static bool awaits_peer(const ompi_osc_ucp_calling_t *calling, const ompi_osc_ucp_peer_t *peer)
{
    if (calling->target >= 0) {
        return calling->target == peer->rank;
    }
    return peer->acknowledging > 0 || peer->flushing > 0 || peer->open[0] + peer->open[1] > 0 ||
           (OMPI_OSC_UCP_CALLED_FREE == calling->call && peer->asking > 0);
}

/** Peers from which answers are to come. */
static void awaits_peers(const ompi_osc_ucp_calling_t *calling)
{
    const ompi_osc_ucp_window_t *window = calling->window;
    const ompi_osc_ucp_peer_t   *peer;

    draft.awaits = OMPI_OSC_UCP_AWAITS_FLUSH;
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (awaits_peer(calling, peer)) {
            whom_add(window, peer->rank);
        }
    }
    if (0 == draft.whoms) {
        draft.awaits = OMPI_OSC_UCP_AWAITS_OTHER;
    }
}

/** Write to the record for what this thread's call waits. */
static void tell(ompi_osc_ucp_calling_t *calling)
{
    ompi_osc_ucp_window_t  *window = calling->window;
    ompi_osc_ucp_watched_t *mine   = ompi_osc_ucp_watched;

    draft = (ompi_osc_ucp_watched_t) { 0 };
    window_set(window);
    if (awaits_locks(calling)) {
        draft.missing = 1;
    } else if (OMPI_OSC_UCP_CALLED_START == calling->call) {
        draft.awaits = OMPI_OSC_UCP_AWAITS_POST;
        whom_add(window, window->awaited);
    } else if (OMPI_OSC_UCP_CALLED_WAIT == calling->call) {
        awaits_complete(window);
    } else if (!awaits_barrier(window)) {
        awaits_peers(calling);
    }
    calling->told = true;
    ompi_osc_ucp_watched_change();
    mine->awaits  = draft.awaits;
    mine->call    = (uint32_t) calling->call;
    mine->since   = calling->since;
    mine->window  = draft.window;
    mine->missing = draft.missing;
    mine->whoms   = draft.whoms;
    memcpy(mine->whom, draft.whom, sizeof(mine->whom));
    memcpy(mine->name, draft.name, sizeof(mine->name));
    ompi_osc_ucp_watched_changed();
}

/* The poll. */

/** The call waits longer than the user wants: go on with the graph. `age` is the call's. */
static void look(uint64_t now, uint64_t age)
{
    ompi_osc_ucp_calling_t *calling = &ompi_osc_ucp_calling;
    ompi_osc_ucp_graph_t   *graph   = &watchdog.graph;
    uint64_t                limit   = (uint64_t) ompi_osc_ucp_params.watchdog * 1000000000;
    bool                    demand  = demands_served != (unsigned) demands, granted;

    if (NULL != graph->owner && calling != graph->owner && now - graph->begun < GRAPH_NS) {
        return;
    }
    if (calling != graph->owner || calling->since != graph->since) {
        ompi_osc_ucp_graph_end(graph);
    }
    if (NULL == graph->owner && (demand || (limit > 0 && age >= next_print))) {
        ompi_osc_ucp_graph_begin(graph, (unsigned) demands, demand ? 0 : limit / 2);
    }
    if (NULL == graph->owner || !ompi_osc_ucp_graph_step(graph)) {
        return;
    }
    if (!again && ompi_osc_ucp_graph_moves(graph)) {
        again      = true;
        next_print = age + AGAIN_NS;
        ompi_osc_ucp_graph_end(graph);
    } else if (ompi_osc_ucp_graph_claim(graph, &granted)) {
        if (granted) {
            ompi_osc_ucp_graph_print(graph);
        }
        ompi_osc_ucp_graph_end(graph);
        demands_served = graph->demand;
        next_print     = 2 * age;
        again          = false;
    }
}

/** The callback of opal_progress. */
static int poll(void)
{
    ompi_osc_ucp_calling_t *calling = &ompi_osc_ucp_calling;
    uint64_t                now, age;

    if (OMPI_OSC_UCP_CALLED_NONE == calling->call) {
        return 0;
    }
    now = ompi_osc_ucp_watched_now();
    if (0 == calling->since) {
        calling->since = now;
        next_tell      = TELL_NS;
        next_print     = (uint64_t) ompi_osc_ucp_params.watchdog * 1000000000;
        demands_served = (unsigned) demands;
        again          = false;
    }
    age = now - calling->since;
    if ((age < next_tell && demands_served == (unsigned) demands && calling != watchdog.graph.owner) ||
        !ompi_osc_ucp_try_enter()) {
        return 0;
    }
    if (!watchdog.busy) {
        watchdog.busy = true;
        if (age >= next_tell || !calling->told) {
            tell(calling);
            next_tell = age + TELL_NS;
        }
        look(now, age);
        watchdog.busy = false;
    }
    ompi_osc_ucp_leave();
    return 0;
}

/* Beginning and end. */

/** Have the user's signal counted. */
static void signal_take(void)
{
    struct sigaction action = { .sa_handler = demanded, .sa_flags = SA_RESTART };

    if (ompi_osc_ucp_params.watchdog_signal > 0 &&
        0 != sigaction(ompi_osc_ucp_params.watchdog_signal, &action, &watchdog.before)) {
        opal_output(0, "osc/ucp: osc_ucp_watchdog_signal is %d, which no handler can have",
                    ompi_osc_ucp_params.watchdog_signal);
        ompi_osc_ucp_params.watchdog_signal = 0;
    }
}

void ompi_osc_ucp_watchdog_begin(ompi_osc_ucp_window_t *window)
{
    if ((ompi_osc_ucp_params.watchdog <= 0 && ompi_osc_ucp_params.watchdog_signal <= 0) || window->size < 2) {
        return;
    }
    ompi_osc_ucp_enter();
    if (!watchdog.open && OMPI_SUCCESS == opal_progress_register(poll)) {
        watchdog.open = true;
        ompi_osc_ucp_watched_open(ompi_osc_ucp_proc_key(window->group, window->rank),
                                  (uint64_t) ompi_osc_ucp_params.watchdog * 1000000000);
        signal_take();
    }
    ompi_osc_ucp_leave();
    if (watchdog.open) {
        (void) ompi_osc_ucp_watch_begin(window);
    }
}

void ompi_osc_ucp_watchdog_end(void)
{
    if (watchdog.open) {
        opal_progress_unregister(poll);
        if (ompi_osc_ucp_params.watchdog_signal > 0) {
            (void) sigaction(ompi_osc_ucp_params.watchdog_signal, &watchdog.before, NULL);
        }
        ompi_osc_ucp_watched_close();
        watchdog.open = false;
    }
}
