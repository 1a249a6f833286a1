/* Waiting and progress: what is polled, and the loops that wait for it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whoever owns something that has to be polled registers it here once. One callback in opal_progress polls all of it.
 */

#ifndef OSC_UCP_WAIT_H
#define OSC_UCP_WAIT_H

#include <sched.h>

#include "base/cpu.h"
#include "base/host.h"
#include "base/threads.h"
#include "opal/mca/common/ucp/common_ucp.h"

/** Polls a source of progress; returns the number of events. */
typedef unsigned (*ompi_osc_ucp_poll_fn_t)(void);

/** On which side a source is polled. */
typedef enum ompi_osc_ucp_polled_side_t {
    OMPI_OSC_UCP_POLLED_INSIDE,  /**< inside the origin side; not while another thread is there */
    OMPI_OSC_UCP_POLLED_OUTSIDE, /**< outside, by any thread at any time */
    OMPI_OSC_UCP_POLLED_SIDES
} ompi_osc_ucp_polled_side_t;

/** Poll `poll` with all others, from now on. At most 4 for each side; once for each. */
void ompi_osc_ucp_progress_add(ompi_osc_ucp_polled_side_t side, ompi_osc_ucp_poll_fn_t poll);

/** Have opal_progress poll all sources, while some window needs that; the end of it. */
int  ompi_osc_ucp_progress_start(void);
void ompi_osc_ucp_progress_stop(void);

/** A window of several processes is open, or no more. Any thread. */
void ompi_osc_ucp_progress_need(void);
void ompi_osc_ucp_progress_release(void);

/** Poll all sources. */
int ompi_osc_ucp_progress(void);

/** What ends most waits before anything else needs a look; NULL: nothing. Set by its owner; called inside. */
extern void (*ompi_osc_ucp_wait_first)(void);

/** State of the inline functions below. */
typedef struct ompi_osc_ucp_waiting_t {
    bool     started; /**< opal_progress polls our sources */
    unsigned steps;   /**< of waiting inside */
} ompi_osc_ucp_waiting_t;

extern ompi_osc_ucp_waiting_t ompi_osc_ucp_waiting;

/** So many steps poll our own sources only, for one that polls all of Open MPI: others' sources cost system calls. */
#define OMPI_OSC_UCP_STEPS_PER_PROGRESS 4

/** One step of waiting, outside the origin side. `steps` counts them, for the caller. Yields if Open MPI is to yield when
 *  idle. */
static inline void ompi_osc_ucp_wait_outside(unsigned *steps)
{
    opal_common_ucp_service_claim();
    if (0 == ++*steps % OMPI_OSC_UCP_STEPS_PER_PROGRESS || !ompi_osc_ucp_waiting.started) {
        opal_progress();
    } else if (0 == ompi_osc_ucp_progress() && opal_progress_yield_when_idle) {
        sched_yield();
    }
}

/** The same for a caller that is inside. Leaves the origin side meanwhile: whatever other threads may change must be
 *  looked at again. */
static inline void ompi_osc_ucp_wait_step(void)
{
    unsigned steps = ++ompi_osc_ucp_waiting.steps;

    ompi_osc_ucp_leave();
    ompi_osc_ucp_wait_outside(&steps);
    ompi_osc_ucp_enter();
}

/** One step of a loop that waits for another process's store: mostly spinning, for that comes soon or late. Inside. */
static inline void ompi_osc_ucp_spin(unsigned *steps)
{
    if (0 == ++*steps % 32) {
        ompi_osc_ucp_wait_step();
    } else if (ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_threads_pause(*steps);
    } else {
        ompi_osc_ucp_cpu_relax();
    }
}

/** Wait until a count of things that were begun is back at 0. Inside the origin side, which is left meanwhile. */
void ompi_osc_ucp_await(const uint32_t *awaited);

/** One thing fewer that a call awaits: the count may be gone when this returns. */
static inline void ompi_osc_ucp_awaited_less(uint32_t *awaited)
{
    __atomic_store_n(awaited, *awaited - 1, __ATOMIC_RELEASE);
}

/** An operation of the transport that the caller waits for. */
typedef struct ompi_osc_ucp_waiter_t {
    opal_common_ucp_completion_t completion; /**< first */
    bool                         over;
    int                          status;
} ompi_osc_ucp_waiter_t;

/** Has `waiter` told when the operation is over that it is begun with next. */
void ompi_osc_ucp_waiter_init(ompi_osc_ucp_waiter_t *waiter);

/** Wait for the operation, given what its begin returned. Inside the origin side, which is left meanwhile. */
int ompi_osc_ucp_wait_for(ompi_osc_ucp_waiter_t *waiter, int rc);

/** How often an action is tried that others wait for, and for which memory is short. */
#define OMPI_OSC_UCP_TRIES_MAX 1000

/** Shall what has failed be tried again? Where memory is short many times, else once. Makes progress meanwhile, which may
 *  set memory free. */
static inline bool ompi_osc_ucp_try_again(int rc, unsigned *tries)
{
    if (OPAL_LIKELY(rc >= OMPI_SUCCESS) || ++*tries > (OMPI_ERR_OUT_OF_RESOURCE == rc ? OMPI_OSC_UCP_TRIES_MAX : 1)) {
        return false;
    }
    ompi_osc_ucp_wait_step();
    return true;
}

#endif /* OSC_UCP_WAIT_H */
