/* Freeing a window (MPI-3.1 section 11.2.5).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include <stdlib.h>

#include "base/wait.h"
#include "check/check.h"
#include "check/schedule.h"
#include "epoch/access.h"
#include "epoch/epoch.h"
#include "epoch/missing.h"
#include "epoch/notified.h"
#include "layer/layer.h"
#include "layer/trace.h"
#include "layer/watch.h"
#include "memory/attached.h"
#include "message/packet.h"
#include "peer/pending.h"
#include "reach/reach.h"
#include "report/report.h"
#include "report/trace.h"
#include "window/stages.h"

void ompi_osc_ucp_window_delete(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_reach_end(window);
    ompi_osc_ucp_layers_free(window);
    free(window->started);
    free(window->tally);
    free(window);
}

/** Find the connections to the members that the barrier sends messages to. Other windows may have used them. */
static void partners_connect(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_barrier_step_t step;
    ompi_osc_ucp_peer_t        *peer;
    int                         round;

    for (round = 0; ompi_osc_ucp_barrier_step(window, round, &step); round++) {
        peer = step.to < 0 ? NULL : ompi_osc_ucp_peer(window, step.to);
        if (NULL != peer && NULL == peer->control) {
            (void) ompi_osc_ucp_peer_connect(peer); /* if that fails, the barrier does, too */
        }
    }
}

/** Have all that was sent to the members arrive while they are still here. The barrier's notices then find room in any
 *  socket. A member that has left the barrier may take part in no flush any more. */
static void traffic_settle(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    window->closing = true;
    ompi_osc_ucp_notified_end(window);
    partners_connect(window);
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        peer->unacknowledged = peer->unacknowledged || ompi_osc_ucp_traffic_is_unsettled(peer);
    }
    (void) ompi_osc_ucp_flush_peers(window);
    while (window->posting > 0 && !window->lost) {
        ompi_osc_ucp_wait_step();
    }
    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        while (peer->asking > 0 && !window->lost) {
            ompi_osc_ucp_wait_step();
        }
    }
}

/** No operation follows, so this process is inside nobody's memory any more. It must not tell that later: behind the
 *  barrier the place where it does so may belong to another window. */
static void insiders_give(const ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (NULL != peer->insider) {
            ompi_osc_ucp_insider_give(peer->attached, peer->insider);
            peer->insider = NULL;
        }
    }
}

/** Nobody may lose the window while another still talks to it (MPI-3.1 section 11.2.5). Unless somebody has died: then
 *  there is nobody to wait for. */
static void window_finish(ompi_osc_ucp_window_t *window)
{
    if (!window->lost) {
        traffic_settle(window);
    }
    if (!window->lost) {
        ompi_osc_ucp_leave();
        ompi_osc_ucp_report_end(window);
        ompi_osc_ucp_trace_clock_last(window);
        ompi_osc_ucp_enter();
        insiders_give(window);
        (void) ompi_osc_ucp_barrier(window, true);
    }
}

/** Windows that MPI_Finalize has freed and that have not ended yet, by id. */
static struct {
    ompi_osc_ucp_window_t *first;
    int                    several; /**< those of several processes */
} left;

/** Open windows of several processes; atomic. */
static int several_open;

void ompi_osc_ucp_window_opened(const ompi_osc_ucp_window_t *window)
{
    __atomic_fetch_add(&several_open, window->size > 1, __ATOMIC_RELAXED);
}

/** Finish a window, and undo what its creation did. */
static void window_end(ompi_osc_ucp_window_t *window)
{
    const char *call  = ompi_osc_ucp_finalizing() ? "MPI_Finalize" : "MPI_Win_free";
    uint64_t    begin = NULL == window->tracing ? 0 : opal_common_ucp_now_ns();
    bool        watched = NULL != window->watch, lost;

    if (watched) {
        ompi_osc_ucp_watch_frees(window, ompi_osc_ucp_finalizing() ? OMPI_OSC_UCP_CALLED_FINALIZE
                                                                   : OMPI_OSC_UCP_CALLED_FREE);
    }
    if (NULL != window->check) {
        ompi_osc_ucp_leave();
        ompi_osc_ucp_check_end(window, ompi_osc_ucp_finalizing());
        ompi_osc_ucp_enter();
    }
    if (NULL != window->schedule) {
        ompi_osc_ucp_leave();
        ompi_osc_ucp_schedule_end(window);
        ompi_osc_ucp_enter();
    }
    window_finish(window);
    if (watched) {
        ompi_osc_ucp_call_ends(ompi_osc_ucp_watched_now());
        ompi_osc_ucp_watch_end(window);
    }
    if (NULL != window->tracing) {
        ompi_osc_ucp_tracing_end(window, call, begin);
    }
    lost = ompi_osc_ucp_survive_lost(window);
    __atomic_fetch_sub(&several_open, window->size > 1, __ATOMIC_RELAXED);
    ompi_osc_ucp_stages_down(window, ~0u);
    ompi_osc_ucp_requests_part(window);
    if (lost) {
        ompi_osc_ucp_survive_keep(window, ompi_osc_ucp_window_delete);
    } else {
        ompi_osc_ucp_window_delete(window);
    }
}

/** End the windows in the list. `last`: Open MPI still holds its object. */
static void left_end(const ompi_osc_ucp_window_t *last)
{
    ompi_osc_ucp_window_t *window;
    ompi_win_t            *win;

    left.several = 0;
    while (NULL != (window = left.first)) {
        left.first = window->next_left;
        win        = window == last ? NULL : window->win;
        if (!ompi_osc_ucp_survive_lost(window)) {
            ompi_osc_ucp_epochs_end(window);
        }
        window_end(window);
        if (NULL != win) {
            ompi_osc_ucp_leave(); /* its attributes' callbacks are the program's */
            OBJ_RELEASE(win);
            ompi_osc_ucp_enter();
        }
    }
}

/** Free the windows that MPI_Finalize has not come to yet, which are of other components or of one process. */
static void others_free(void)
{
    ompi_win_t *win;
    int         i;

    ompi_osc_ucp_leave();
    for (i = 0; i < opal_pointer_array_get_size(&ompi_mpi_windows); i++) {
        win = opal_pointer_array_get_item(&ompi_mpi_windows, i);
        if (NULL != win && NULL != win->w_osc_module) {
            (void) ompi_win_free(win);
        }
    }
    ompi_osc_ucp_enter();
}

/** MPI_Finalize frees a window. Each process comes to its windows in an order of its own, while an end is collective.
 *  So they end when all have been freed, by id, which is an order that all processes have in common. Those of other
 *  components end before. */
static void window_leave(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_window_t **at = &left.first;

    if (window->size > 1 && left.several + 1 == __atomic_load_n(&several_open, __ATOMIC_RELAXED)) {
        others_free();
    }
    while (NULL != *at && (*at)->id < window->id) {
        at = &(*at)->next_left;
    }
    window->next_left = *at;
    *at               = window;
    left.several     += window->size > 1;
    if (left.several < __atomic_load_n(&several_open, __ATOMIC_RELAXED)) {
        OBJ_RETAIN(window->win);
        ompi_osc_ucp_info_keep(window->win);
    } else {
        left_end(window);
    }
}

int ompi_osc_ucp_free(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_SUCCESS;

    if (NULL == window) {
        return OMPI_SUCCESS; /* creation failed */
    }
    if (NULL != window->schedule && !ompi_osc_ucp_finalizing()) {
        ompi_osc_ucp_schedule_drain(window);
    }
    ompi_osc_ucp_enter();
    ompi_osc_ucp_number_restore(win, window->number);
    if (ompi_osc_ucp_finalizing()) {
        win->w_osc_module = NULL;
        window_leave(window);
    } else if (ompi_osc_ucp_survive_lost(window) || (!window->exposed && ompi_osc_ucp_may_begin(window))) {
        win->w_osc_module = NULL;
        window_end(window);
    } else {
        rc = ompi_osc_ucp_sync_failed(window, "MPI_Win_free",
                                      window->exposed ? OMPI_OSC_UCP_NEED_UNPOSTED : OMPI_OSC_UCP_NEED_NONE,
                                      MPI_PROC_NULL, OMPI_ERR_RMA_SYNC);
        ompi_osc_ucp_info_keep(win);
        window->number = ompi_osc_ucp_number_keep(win);
    }
    ompi_osc_ucp_leave();
    return rc;
}
