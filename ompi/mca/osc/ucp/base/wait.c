/* The table of progress sources, and the waits that are not inline.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/wait.h"

#include <assert.h>

/** Sources for each side. */
#define SOURCES_MAX 5

/** A thread that leaves polling to another one polls itself once in so many looks. */
#define LOOKS_PER_STEP 4096

static struct {
    ompi_osc_ucp_poll_fn_t polls[OMPI_OSC_UCP_POLLED_SIDES][SOURCES_MAX + 1]; /**< ended by NULL; atomic */
    int                    needed; /**< open windows of several processes; atomic */
} progress;

ompi_osc_ucp_waiting_t ompi_osc_ucp_waiting;

_Thread_local unsigned ompi_osc_ucp_calls;

void (*ompi_osc_ucp_wait_first)(void);

void (*ompi_osc_ucp_spin_poll)(void);

void ompi_osc_ucp_progress_add(ompi_osc_ucp_polled_side_t side, ompi_osc_ucp_poll_fn_t poll)
{
    ompi_osc_ucp_poll_fn_t *at = progress.polls[side];

    while (NULL != *at && poll != *at) {
        at++;
    }
    assert(at < progress.polls[side] + SOURCES_MAX);
    __atomic_store_n(at, poll, __ATOMIC_RELEASE); /* who polls it sees what it polls */
}

int ompi_osc_ucp_progress_start(void)
{
    int rc = OMPI_SUCCESS;

    if (!ompi_osc_ucp_waiting.started) {
        rc = opal_progress_register(ompi_osc_ucp_progress);
        ompi_osc_ucp_waiting.started = OMPI_SUCCESS == rc;
    }
    return rc;
}

void ompi_osc_ucp_progress_stop(void)
{
    if (ompi_osc_ucp_waiting.started) {
        opal_progress_unregister(ompi_osc_ucp_progress);
        ompi_osc_ucp_waiting.started = false;
    }
}

void ompi_osc_ucp_progress_need(void)
{
    __atomic_fetch_add(&progress.needed, 1, __ATOMIC_RELAXED);
}

void ompi_osc_ucp_progress_release(void)
{
    __atomic_fetch_sub(&progress.needed, 1, __ATOMIC_RELAXED);
}

static inline unsigned poll_side(ompi_osc_ucp_polled_side_t side)
{
    const ompi_osc_ucp_poll_fn_t *at = progress.polls[side];
    ompi_osc_ucp_poll_fn_t        poll;
    unsigned                      events = 0;

    while (NULL != (poll = __atomic_load_n(at, __ATOMIC_ACQUIRE))) {
        events += poll();
        at++;
    }
    return events;
}

int ompi_osc_ucp_progress(void)
{
    unsigned events = 0;

    if (0 == __atomic_load_n(&progress.needed, __ATOMIC_RELAXED)) {
        return 0;
    }
    if (ompi_osc_ucp_try_enter()) {
        events = poll_side(OMPI_OSC_UCP_POLLED_INSIDE);
        ompi_osc_ucp_leave();
    }
    return (int) (events + poll_side(OMPI_OSC_UCP_POLLED_OUTSIDE));
}

void ompi_osc_ucp_await(const uint32_t *awaited)
{
    unsigned steps = 0, looks = 0, first;
    bool     more;

    if (0 == __atomic_load_n(awaited, __ATOMIC_RELAXED)) {
        return;
    }
    if (NULL != ompi_osc_ucp_wait_first) {
        ompi_osc_ucp_wait_first();
    }
    ompi_osc_ucp_leave();
    while (__atomic_load_n(awaited, __ATOMIC_ACQUIRE) > 0) {
        if (ompi_osc_ucp_poll_begin(&looks)) {
            first = steps;
            do {
                ompi_osc_ucp_wait_outside(&steps);
                more = __atomic_load_n(awaited, __ATOMIC_ACQUIRE) > 0;
            } while (more && !ompi_osc_ucp_poll_long(steps - first));
            ompi_osc_ucp_poll_end(more);
        } else if (0 == looks % LOOKS_PER_STEP) {
            ompi_osc_ucp_wait_outside(&steps); /* the polling thread may be in a long callback of Open MPI */
        }
    }
    ompi_osc_ucp_enter();
}

static void waited(opal_common_ucp_completion_t *completion, int status)
{
    ompi_osc_ucp_waiter_t *waiter = (ompi_osc_ucp_waiter_t *) completion;

    waiter->status = status;
    waiter->over   = true;
}

void ompi_osc_ucp_waiter_init(ompi_osc_ucp_waiter_t *waiter)
{
    *waiter = (ompi_osc_ucp_waiter_t) { .completion.done = waited };
}

int ompi_osc_ucp_wait_for(ompi_osc_ucp_waiter_t *waiter, int rc)
{
    if (OPAL_COMMON_UCP_UNDERWAY != rc) {
        return rc;
    }
    while (!*(volatile bool *) &waiter->over) {
        ompi_osc_ucp_wait_step();
    }
    return waiter->status;
}
