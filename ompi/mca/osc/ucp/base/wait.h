/* Progress and waiting: the sources of progress, and the loops that poll them until something is complete.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The owner of something that must be polled registers a poll function once. One callback of opal_progress calls all of
 * them. "Inside" means inside the origin side (base/threads.h).
 */

#ifndef OSC_UCP_WAIT_H
#define OSC_UCP_WAIT_H

#include <sched.h>

#include "base/cpu.h"
#include "base/host.h"
#include "base/threads.h"
#include "opal/mca/common/ucp/common_ucp.h"

/** Poll a source of progress; returns the number of events. */
typedef unsigned (*ompi_osc_ucp_poll_fn_t)(void);

/** Where a source is polled. */
typedef enum ompi_osc_ucp_polled_side_t {
    OMPI_OSC_UCP_POLLED_INSIDE,  /**< inside; skipped while another thread is there or wants to be */
    OMPI_OSC_UCP_POLLED_OUTSIDE, /**< by any thread at any time */
    OMPI_OSC_UCP_POLLED_SIDES
} ompi_osc_ucp_polled_side_t;

/** Register a source; nothing if it is registered already. At most 5 for each side. */
void ompi_osc_ucp_progress_add(ompi_osc_ucp_polled_side_t side, ompi_osc_ucp_poll_fn_t poll);

/** Register and unregister the callback of opal_progress. It does nothing while no window needs it. */
int  ompi_osc_ucp_progress_start(void);
void ompi_osc_ucp_progress_stop(void);

/** A window of several processes was opened, or closed. Any thread. */
void ompi_osc_ucp_progress_need(void);
void ompi_osc_ucp_progress_release(void);

/** Poll all sources if a window needs that: the callback of opal_progress. Returns the number of events. */
int ompi_osc_ucp_progress(void);

/** Called inside at the beginning of a wait: looks for replies in fastboxes, which ends most waits on one node. Set by
 *  message/fastbox.c; NULL until this process has a fastbox. */
extern void (*ompi_osc_ucp_wait_first)(void);

/** Called inside in each step of a spin without several threads: a source of progress that is no longer than a look at
 *  memory while it has nothing to do. Set by service/handoff.c; NULL while no window has a handoff. */
extern void (*ompi_osc_ucp_spin_poll)(void);

/** State of the inline functions below. Inside. */
typedef struct ompi_osc_ucp_waiting_t {
    bool     started; /**< the callback of opal_progress is registered */
    unsigned steps;   /**< steps of waiting from inside */
} ompi_osc_ucp_waiting_t;

extern ompi_osc_ucp_waiting_t ompi_osc_ucp_waiting;

/** One step in so many polls all of Open MPI, the others only our sources: those of others may make system calls. */
#define OMPI_OSC_UCP_STEPS_PER_PROGRESS 4

/** One call in so many that only load and store makes progress: a program may poll by such calls. */
#define OMPI_OSC_UCP_CALLS_PER_PROGRESS 1024

/** The number of such calls of this thread since the last progress that they made. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) unsigned ompi_osc_ucp_calls;

/** Call at the end of a call that only loads or stores. What the program polls for may need progress of this process,
 *  Open MPI's own included. Outside the origin side. */
static inline void ompi_osc_ucp_polled(void)
{
    if (OPAL_UNLIKELY(++ompi_osc_ucp_calls >= OMPI_OSC_UCP_CALLS_PER_PROGRESS)) {
        ompi_osc_ucp_calls = 0;
        opal_progress();
    }
}

/** One step of waiting, outside the origin side. *steps counts the steps. Yields if Open MPI is set to yield when
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

/** The same for a caller that is inside. The origin lock is released meanwhile: read again what other threads may
 *  change. */
static inline void ompi_osc_ucp_wait_step(void)
{
    unsigned steps = ++ompi_osc_ucp_waiting.steps;

    ompi_osc_ucp_leave();
    ompi_osc_ucp_wait_outside(&steps);
    ompi_osc_ucp_enter();
}

/** One step of a spin in so many makes progress. */
#define OMPI_OSC_UCP_SPINS_PER_STEP 32

/** One step of a loop that waits for a store of another process. Mostly spins, and looks whether a handoff came in.
 *  Inside. */
static inline void ompi_osc_ucp_spin(unsigned *steps)
{
    if (0 == ++*steps % OMPI_OSC_UCP_SPINS_PER_STEP) {
        ompi_osc_ucp_wait_step();
    } else if (ompi_osc_ucp_threaded()) {
        ompi_osc_ucp_threads_pause(*steps);
    } else {
        if (NULL != ompi_osc_ucp_spin_poll) {
            ompi_osc_ucp_spin_poll();
        }
        ompi_osc_ucp_cpu_relax();
    }
}

/** The same for what may take long. If processes share processors, the one that is awaited may not be running: a spin
 *  would keep the processor from it. */
static inline void ompi_osc_ucp_spin_long(unsigned *steps)
{
    if (!opal_progress_yield_when_idle || ompi_osc_ucp_threaded() || 0 == (*steps + 1) % OMPI_OSC_UCP_SPINS_PER_STEP) {
        ompi_osc_ucp_spin(steps);
        return;
    }
    ++*steps;
    if (NULL != ompi_osc_ucp_spin_poll) {
        ompi_osc_ucp_spin_poll();
    }
    sched_yield();
}

/** Wait until *awaited, a count of outstanding operations, is 0. Inside; the lock is released meanwhile. */
void ompi_osc_ucp_await(const uint32_t *awaited);

/** Decrement a count that a call awaits. The caller of `await` may free the count before this returns. */
static inline void ompi_osc_ucp_awaited_less(uint32_t *awaited)
{
    __atomic_store_n(awaited, *awaited - 1, __ATOMIC_RELEASE);
}

/** An operation of the transport that the caller waits for. */
typedef struct ompi_osc_ucp_waiter_t {
    opal_common_ucp_completion_t completion; /**< first: `done` casts it back */
    bool                         over;
    int                          status;
} ompi_osc_ucp_waiter_t;

/** Prepare `waiter` for one operation, which is then started with &waiter->completion. */
void ompi_osc_ucp_waiter_init(ompi_osc_ucp_waiter_t *waiter);

/** Wait for that operation; `rc` is what its start returned. Returns its status. Inside; the lock is released
 *  meanwhile. */
int ompi_osc_ucp_wait_for(ompi_osc_ucp_waiter_t *waiter, int rc);

/** How often an action that others wait for is tried again while memory is short. */
#define OMPI_OSC_UCP_TRIES_MAX 1000

/** Must a failed action be tried again? Many times if memory is short, else once. If so, makes progress first, which
 *  may free memory. Inside. */
static inline bool ompi_osc_ucp_try_again(int rc, unsigned *tries)
{
    if (OPAL_LIKELY(rc >= OMPI_SUCCESS) || ++*tries > (OMPI_ERR_OUT_OF_RESOURCE == rc ? OMPI_OSC_UCP_TRIES_MAX : 1)) {
        return false;
    }
    ompi_osc_ucp_wait_step();
    return true;
}

#endif /* OSC_UCP_WAIT_H */
