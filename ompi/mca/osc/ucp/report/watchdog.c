/* The watchdog (--mca osc_ucp_watchdog SECONDS): a process that waits too long says for whom. With osc_ucp_status it
 * says so only in its record, which the program of that name shows.
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
#include "layer/watch.h"
#include "opal/util/proc.h"
#include "report/awaits.h"
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

/** Write to the record for what this thread's call waits. */
static void tell(ompi_osc_ucp_calling_t *calling)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;
    ompi_osc_ucp_watched_t  draft;

    ompi_osc_ucp_awaits_find(calling, &draft);
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

/** Tell the user that nobody can look at this job, once on each node. */
static void hidden_tell(void)
{
    if (ompi_osc_ucp_params.status > 0 && !ompi_osc_ucp_watched_shared() && 0 == opal_process_info.my_local_rank) {
        opal_output(0, "osc/ucp: the program osc_ucp_status will not find this job: no file of %zu KiB can be made in "
                    "Open MPI's session folder, %s", sizeof(ompi_osc_ucp_records_t) / 1024,
                    NULL == opal_process_info.job_session_dir ? "which it does not have"
                                                              : opal_process_info.job_session_dir);
    }
}

void ompi_osc_ucp_watchdog_begin(ompi_osc_ucp_window_t *window)
{
    if (!ompi_osc_ucp_watched_wanted() || window->size < 2) {
        return;
    }
    ompi_osc_ucp_enter();
    if (!watchdog.open && OMPI_SUCCESS == opal_progress_register(poll)) {
        watchdog.open = true;
        ompi_osc_ucp_watched_open(ompi_osc_ucp_proc_key(window->group, window->rank),
                                  (uint64_t) ompi_osc_ucp_params.watchdog * 1000000000, true);
        signal_take();
        hidden_tell();
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
