/* Own notification counters, and their number (docs/notified.md).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "epoch/notified.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/wait.h"
#include "base/watched.h"
#include "epoch/access.h"
#include "epoch/epoch.h"
#include "epoch/missing.h"
#include "ompi/errhandler/errcode-internal.h"
#include "peer/explain.h"
#include "peer/pending.h"
#include "reach/reach.h"
#include "service/handoff.h"

/** In a window without messages one look in so many makes progress: the program's own may be needed. */
#define LOOKS_PER_PROGRESS 16

/** The watchdog's record of this process. */
static void begins(ompi_osc_ucp_window_t *window, ompi_osc_ucp_called_t call)
{
    if (NULL != window->watch) {
        ompi_osc_ucp_call_begins(window, call, -1);
    }
}

static void ends(const ompi_osc_ucp_window_t *window)
{
    if (NULL != window->watch) {
        ompi_osc_ucp_call_ends(ompi_osc_ucp_watched_now());
    }
}

/* How many counters there are. */

/** May the number be set to `n`, as far as this process knows? */
static int number_check(const ompi_osc_ucp_window_t *window, int n)
{
    static const char call[] = "MPIX_Win_set_num_notify";

    if (!ompi_osc_ucp_may_begin(window)) {
        return ompi_osc_ucp_sync_failed(window, call, OMPI_OSC_UCP_NEED_NONE, MPI_PROC_NULL, OMPI_ERR_RMA_SYNC);
    }
    if (n < 0 || (unsigned) n > window->counters_max) {
        ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "%d is not from 0 to %" PRIu32 ": for more counters "
                                    "make the window with the info key mpi_assert_max_num_notify", n,
                                    window->counters_max);
        return MPI_ERR_ARG;
    }
    return OMPI_SUCCESS;
}

/** All members are in the call, so nobody raises a counter. */
static void counters_renew(ompi_osc_ucp_window_t *window, uint32_t n)
{
    memset(ompi_osc_ucp_counter(window->control, window->counters_max, 0), 0, n * sizeof(uint64_t));
    __atomic_store_n(&window->control->counters, n, __ATOMIC_RELEASE);
    window->renumbered++;
}

static int number_set(ompi_osc_ucp_window_t *window, int n)
{
    int  rc   = number_check(window, n), met;
    bool veto = OMPI_SUCCESS != rc;

    met = ompi_osc_ucp_barrier_agree(window, &veto);
    if (OMPI_SUCCESS == rc && OMPI_SUCCESS == met && veto) {
        ompi_osc_ucp_window_explain(window, "MPIX_Win_set_num_notify", MPI_PROC_NULL, "it has failed at another "
                                    "process, and changes nothing");
        rc = MPI_ERR_OTHER;
    }
    rc = ompi_osc_ucp_first_error(rc, met);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    counters_renew(window, (uint32_t) n);
    return ompi_osc_ucp_barrier(window, false);
}

int ompi_osc_ucp_notified_set_num(MPI_Win win, int n)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc;

    begins(window, OMPI_OSC_UCP_CALLED_SET_NUM_NOTIFY);
    ompi_osc_ucp_enter();
    rc = number_set(window, n);
    ompi_osc_ucp_leave();
    ends(window);
    return ompi_errcode_get_mpi_code(rc);
}

int ompi_osc_ucp_notified_get_num(MPI_Win win, int target, int *n)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    ompi_osc_ucp_peer_t   *peer;
    uint32_t               count = 0;
    int                    rc;

    if (target < 0 || target >= window->size) {
        return MPI_ERR_RANK;
    }
    ompi_osc_ucp_enter();
    peer = ompi_osc_ucp_peer(window, target);
    rc   = NULL == peer ? OMPI_ERR_OUT_OF_RESOURCE : ompi_osc_ucp_reach(peer);
    rc   = OMPI_SUCCESS == rc ? peer->path->counters(peer, &count) : rc;
    ompi_osc_ucp_leave();
    *n = (int) count;
    return ompi_errcode_get_mpi_code(rc);
}

/* Values. */

/** The own counter of that index. NULL: there is none, which is explained. */
static uint64_t *counter_find(const ompi_osc_ucp_window_t *window, int index, const char *call)
{
    uint32_t n = __atomic_load_n(&window->control->counters, __ATOMIC_ACQUIRE);

    if (index >= 0 && (uint32_t) index < n) {
        return ompi_osc_ucp_counter(window->control, window->counters_max, (uint32_t) index);
    }
    ompi_osc_ucp_window_explain(window, call, MPI_PROC_NULL, "it has no notification counter %d: this process has %"
                                PRIu32, index, n);
    return NULL;
}

/** Programs look in a loop. Messages must be able to arrive meanwhile, and what the program waits for may need progress
 *  of this process. */
static void look_progress(ompi_osc_ucp_window_t *window)
{
    unsigned looks = __atomic_fetch_add(&window->looks, 1, __ATOMIC_RELAXED);

    if (!window->lean) {
        ompi_osc_ucp_wait_outside(&looks);
    } else if (NULL != window->handoff && ompi_osc_ucp_handoff_serve(window)) {
        return;
    } else if (0 == looks % LOOKS_PER_PROGRESS) {
        opal_progress();
    }
}

int ompi_osc_ucp_notified_value(MPI_Win win, int index, int reset, MPI_Count *value, const char *call)
{
    ompi_osc_ucp_window_t *window  = ompi_osc_ucp_window(win);
    uint64_t              *counter = counter_find(window, index, call);

    if (NULL == counter) {
        return MCA_OSC_UCP_NOTIFIED_INDEX;
    }
    if (0 == reset || 0 == __atomic_load_n(counter, __ATOMIC_RELAXED)) { /* programs may poll by either */
        look_progress(window);
    }
    *value = (MPI_Count) (0 != reset ? __atomic_exchange_n(counter, 0, __ATOMIC_ACQ_REL)
                                     : __atomic_load_n(counter, __ATOMIC_ACQUIRE));
    return window->lost ? MPI_ERR_WIN : MPI_SUCCESS;
}

static bool has_reached(const uint64_t *counter, MPI_Count threshold)
{
    return (MPI_Count) __atomic_load_n(counter, __ATOMIC_ACQUIRE) >= threshold;
}

/** One step of waiting for a counter. Without messages this mostly spins; with them peers may need this process to take
 *  some. Several threads would stand in each other's way with that. Inside. */
static void wait_step(const ompi_osc_ucp_window_t *window, unsigned *steps)
{
    if (window->lean || ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_spin(steps);
    } else {
        ompi_osc_ucp_wait_step();
    }
}

int ompi_osc_ucp_notified_wait(MPI_Win win, int index, MPI_Count threshold, MPI_Count *value)
{
    ompi_osc_ucp_window_t *window  = ompi_osc_ucp_window(win);
    uint64_t              *counter = counter_find(window, index, "MPIX_Win_notify_wait");
    unsigned               steps   = OMPI_OSC_UCP_SPINS_PER_STEP - 1; /* first make progress: see path/gather_out.c */

    if (NULL == counter) {
        return MCA_OSC_UCP_NOTIFIED_INDEX;
    }
    begins(window, OMPI_OSC_UCP_CALLED_NOTIFY_WAIT);
    ompi_osc_ucp_enter();
    while (!window->lost && !has_reached(counter, threshold)) {
        wait_step(window, &steps);
    }
    ompi_osc_ucp_leave();
    ends(window);
    *value = (MPI_Count) __atomic_load_n(counter, __ATOMIC_ACQUIRE);
    return window->lost ? MPI_ERR_WIN : MPI_SUCCESS;
}

/* Requests. */

/** A request that is complete when a counter has reached a value. */
typedef struct threshold_t {
    struct threshold_t          *next;
    const ompi_osc_ucp_window_t *window;
    const uint64_t              *counter;
    MPI_Count                    value;
    ompi_request_t              *request;
} threshold_t;

/** Those that are not complete. Inside. */
static threshold_t *thresholds;

/** Complete those that are due; with a window, which is freed, all of that window, as cancelled: an error could no
 *  longer be raised at it. Returns their number. Inside. */
static unsigned thresholds_complete(const ompi_osc_ucp_window_t *window)
{
    threshold_t **at = &thresholds, *threshold;
    unsigned      n  = 0;
    bool          freed, lost;

    while (NULL != (threshold = *at)) {
        freed = threshold->window == window;
        lost  = threshold->window->lost && !freed;
        if (!freed && !lost && !has_reached(threshold->counter, threshold->value)) {
            at = &threshold->next;
            continue;
        }
        *at = threshold->next;
        threshold->request->req_status._cancelled = freed && !has_reached(threshold->counter, threshold->value);
        ompi_osc_ucp_request_complete(threshold->request, lost ? OMPI_ERR_WIN : OMPI_SUCCESS, NULL);
        free(threshold);
        ompi_osc_ucp_progress_release();
        n++;
    }
    return n;
}

static unsigned thresholds_poll(void)
{
    return NULL == thresholds ? 0 : thresholds_complete(NULL);
}

void ompi_osc_ucp_notified_end(const ompi_osc_ucp_window_t *window)
{
    (void) thresholds_complete(window);
}

/** Add a request to the list. Inside. */
static int threshold_add(ompi_osc_ucp_window_t *window, const uint64_t *counter, MPI_Count value,
                         ompi_request_t **request_p)
{
    threshold_t    *threshold = malloc(sizeof(*threshold));
    ompi_request_t *request   = NULL == threshold ? NULL : ompi_osc_ucp_request_new(window);

    if (NULL == request || OMPI_SUCCESS != ompi_osc_ucp_progress_start()) {
        ompi_osc_ucp_request_discard(request);
        free(threshold);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    *threshold = (threshold_t) {
        .next = thresholds, .window = window, .counter = counter, .value = value, .request = request
    };
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_INSIDE, thresholds_poll);
    ompi_osc_ucp_progress_need(); /* a window without messages needs none otherwise */
    thresholds = threshold;
    *request_p = request;
    return OMPI_SUCCESS;
}

int ompi_osc_ucp_notified_threshold(MPI_Win win, int index, MPI_Count threshold, MPI_Request *request)
{
    ompi_osc_ucp_window_t *window  = ompi_osc_ucp_window(win);
    uint64_t              *counter = counter_find(window, index, "MPIX_Win_notify_threshold");
    int                    rc;

    if (NULL == counter) {
        return MCA_OSC_UCP_NOTIFIED_INDEX;
    }
    if (has_reached(counter, threshold)) {
        *request = &ompi_request_empty;
        return MPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    rc = threshold_add(window, counter, threshold, request);
    ompi_osc_ucp_leave();
    return ompi_errcode_get_mpi_code(rc);
}
