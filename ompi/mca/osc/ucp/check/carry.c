/* When kept calls are carried out, and in which order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One mutex serializes what is done to all windows. It is held while calls are carried out, as a flush in another
 * thread must not overtake them.
 */

#include "check/carry.h"

#include <pthread.h>

#include "base/params.h"
#include "base/threads.h"
#include "peer/pending.h"

/** Most calls of a window that are kept; then one of them is carried out. */
#define KEPT_MAX 256

/** An R call is carried out after less progress than so often, unless its window is synchronized. */
#define PATIENCE 32

/** Nanoseconds for which a call is kept, at most: one that no other completes must come to its end, too. */
#define KEPT_NS 1000000000u

static pthread_mutex_t          mutex = PTHREAD_MUTEX_INITIALIZER;
static ompi_osc_ucp_schedule_t *schedules;

/** Carry out a call before the one that completes it, which then tells the error if no request does; with the mutex. */
static void carry_early(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *kept)
{
    const bool told   = NULL != kept->request;
    const int  target = kept->target, rc = ompi_osc_ucp_kept_carry(schedule, kept);

    if (OMPI_SUCCESS != rc && !told && OMPI_SUCCESS == schedule->error) {
        schedule->error  = rc;
        schedule->failed = target;
    }
}

/** Carry out calls that have waited for too long; with the mutex. Returns their number. */
static int aged_carry(void)
{
    ompi_osc_ucp_schedule_t *schedule;
    uint64_t                 now  = NULL == schedules ? 0 : opal_common_ucp_now_ns();
    int                      aged = 0;

    for (schedule = schedules; NULL != schedule; schedule = schedule->next) {
        while (NULL != schedule->first && now - schedule->first->since > KEPT_NS) {
            carry_early(schedule, ompi_osc_ucp_kept_take(schedule, schedule->first));
            aged++;
        }
    }
    return aged;
}

int ompi_osc_ucp_carry_all(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept;
    int                  rc = OMPI_SUCCESS, one;

    pthread_mutex_lock(&mutex);
    while (NULL != (kept = ompi_osc_ucp_kept_draw(schedule, target))) {
        one = ompi_osc_ucp_kept_carry(schedule, kept);
        rc  = OMPI_SUCCESS == rc ? one : rc;
    }
    (void) aged_carry();
    pthread_mutex_unlock(&mutex);
    return rc;
}

void ompi_osc_ucp_carry_before(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept;

    pthread_mutex_lock(&mutex);
    while (NULL != (kept = ompi_osc_ucp_kept_draw(schedule, target))) {
        carry_early(schedule, kept);
    }
    (void) aged_carry();
    pthread_mutex_unlock(&mutex);
}

int ompi_osc_ucp_carry_completed(ompi_osc_ucp_schedule_t *schedule, int target, int carried, int rc)
{
    pthread_mutex_lock(&mutex);
    ompi_osc_ucp_kept_settle(schedule);
    if (OMPI_SUCCESS != schedule->error && (OMPI_OSC_UCP_KEPT_ALL == target || target == schedule->failed)) {
        carried         = schedule->error;
        schedule->error = OMPI_SUCCESS;
    }
    pthread_mutex_unlock(&mutex);
    return OMPI_SUCCESS == carried ? rc : carried;
}

int ompi_osc_ucp_carry_local(ompi_osc_ucp_schedule_t *schedule, int target)
{
    ompi_osc_ucp_kept_t *kept, *next;
    int                  rc = OMPI_SUCCESS, one;

    pthread_mutex_lock(&mutex);
    for (kept = schedule->first; NULL != kept; kept = next) {
        next = kept->next;
        if ((OMPI_OSC_UCP_KEPT_ALL == target || target == kept->target) && !ompi_osc_ucp_kept_image(schedule, kept)) {
            one  = ompi_osc_ucp_kept_carry(schedule, ompi_osc_ucp_kept_take(schedule, kept));
            rc   = OMPI_SUCCESS == rc ? one : rc;
            next = schedule->first; /* another one may have been taken first */
        }
    }
    (void) aged_carry();
    pthread_mutex_unlock(&mutex);
    return rc;
}

int ompi_osc_ucp_carry_later(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *call, ompi_win_t *win,
                             ompi_request_t **request_p)
{
    int rc = OMPI_SUCCESS;

    pthread_mutex_lock(&mutex);
    call->patience = ompi_osc_ucp_kept_random(PATIENCE);
    call->since    = opal_common_ucp_now_ns();
    if (!ompi_osc_ucp_kept_add(schedule, call)) {
        ompi_osc_ucp_request_discard(call->request);
        rc = ompi_osc_ucp_kept_issue(call, win, request_p);
    } else if (NULL != request_p) {
        *request_p = call->request;
    }
    if (schedule->count > KEPT_MAX) {
        rc = ompi_osc_ucp_kept_carry(schedule, ompi_osc_ucp_kept_draw(schedule, OMPI_OSC_UCP_KEPT_ALL));
    }
    pthread_mutex_unlock(&mutex);
    return rc;
}

/** Progress, as in MPI_Wait: the R calls of a window. Returns the number of those that were carried out. */
static int requests_carry(ompi_osc_ucp_schedule_t *schedule)
{
    ompi_osc_ucp_kept_t *kept, *next;
    int                  carried = 0;

    for (kept = schedule->first; NULL != kept; kept = next) {
        next = kept->next;
        if (NULL != kept->request && 0 == kept->patience) {
            if (!ompi_osc_ucp_kept_image(schedule, kept)) {
                (void) ompi_osc_ucp_kept_carry(schedule, ompi_osc_ucp_kept_take(schedule, kept));
                next = schedule->first;
            }
            carried++;
        } else if (NULL != kept->request) {
            kept->patience--;
        }
    }
    return carried;
}

/** This thread is in MPI_Win_flush_local or MPI_Win_flush_local_all, below the layer. */
static _Thread_local bool flushes;

void ompi_osc_ucp_carry_none(bool none)
{
    flushes = none;
}

/** Callback of opal_progress. Whoever calls it while a call is carried out holds the mutex, or carries out several: a
 *  further one must not overtake these. */
static int poll(void)
{
    ompi_osc_ucp_schedule_t *schedule;
    int                      events;

    if (flushes || 0 != pthread_mutex_trylock(&mutex)) {
        return 0;
    }
    events = aged_carry();
    for (schedule = schedules; NULL != schedule; schedule = schedule->next) {
        if (schedule->requests > 0) {
            events += requests_carry(schedule);
            ompi_osc_ucp_kept_settle(schedule);
        }
    }
    pthread_mutex_unlock(&mutex);
    return events;
}

/** The seed, which the first process of the job prints: the parameter, or for negative ones another in each job. */
static uint64_t seed_of(const ompi_osc_ucp_window_t *window)
{
    uint64_t key  = ompi_osc_ucp_proc_key(window->group, window->rank), rank = key & UINT32_MAX;
    int      seed = ompi_osc_ucp_params.check_schedule;

    seed = seed < 0 ? (int) (key >> 33) | 1 : seed;
    if (0 == rank) {
        opal_output(0, "osc/ucp: calls are delayed and reordered: the same again with --mca osc_ucp_check_schedule %d",
                    seed);
    }
    return (uint64_t) seed << 32 | rank;
}

void ompi_osc_ucp_carry_begin(ompi_osc_ucp_schedule_t *schedule)
{
    static bool seeded;

    pthread_mutex_lock(&mutex);
    if (!seeded) {
        ompi_osc_ucp_kept_seed(seed_of(schedule->window));
        seeded = true;
    }
    if (NULL == schedules) {
        (void) opal_progress_register(poll);
    }
    schedule->next = schedules;
    schedules      = schedule;
    pthread_mutex_unlock(&mutex);
}

void ompi_osc_ucp_carry_end(ompi_osc_ucp_schedule_t *schedule)
{
    ompi_osc_ucp_schedule_t **at = &schedules;

    while (NULL != schedule->underway && !schedule->window->lost && !ompi_osc_ucp_finalizing()) {
        opal_progress();
    }
    pthread_mutex_lock(&mutex);
    while (schedule != *at) {
        at = &(*at)->next;
    }
    *at = schedule->next;
    if (NULL == schedules) {
        (void) opal_progress_unregister(poll);
    }
    pthread_mutex_unlock(&mutex);
    ompi_osc_ucp_kept_forget(schedule);
}
