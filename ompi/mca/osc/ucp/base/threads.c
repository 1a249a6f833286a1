/* Slow paths of the origin lock, and whose turn it is to poll.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/threads.h"

#include "base/cpu.h"

#include <sched.h>
#include <time.h>

/** Pauses of the processor for a taken lock before the thread yields, and yields before it sleeps. The holder may be
 *  copying something long. With real-time priorities the kernel may not run it before this thread sleeps. */
#define PAUSES_MAX 64
#define YIELDS_MAX 1000

/** Most pauses between two looks at a taken lock. A thread that looks less often lets the holder release and take it
 *  many times before the cache line moves, which costs more than a short call does. */
#define PAUSES_PER_LOOK_MAX 32

/** Looks at who polls before the thread yields. */
#define LOOKS_MAX 64

/** After so many steps of waiting a thread yields in every so many steps. It may wait for another thread of this
 *  process, which Open MPI's setting to yield when idle does not take into account. */
#define PATIENT_STEPS 1024
#define STEPS_PER_YIELD 16

ompi_osc_ucp_threads_t ompi_osc_ucp_threads;

_Thread_local uint32_t ompi_osc_ucp_thread;

uint32_t ompi_osc_ucp_thread_numbered(void)
{
    static uint32_t threads;

    ompi_osc_ucp_thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    return ompi_osc_ucp_thread;
}

static void pause_times(unsigned pauses)
{
    while (pauses-- > 0) {
        ompi_osc_ucp_cpu_relax();
    }
}

void ompi_osc_ucp_take_slowly(uint32_t *locked)
{
    const struct timespec nap   = { .tv_nsec = 50000 };
    unsigned              pauses = 4, paused = 0, yields = 0;

    do {
        while (0 != __atomic_load_n(locked, __ATOMIC_RELAXED)) {
            if (paused < PAUSES_MAX) {
                paused += pauses;
                pause_times(pauses);
                pauses = pauses < PAUSES_PER_LOOK_MAX ? 2 * pauses : pauses;
            } else if (++yields < YIELDS_MAX) {
                paused = 0;
                sched_yield();
            } else {
                nanosleep(&nap, NULL);
            }
        }
    } while (!ompi_osc_ucp_take(locked));
}

void ompi_osc_ucp_enter_slowly(void)
{
    __atomic_fetch_add(&ompi_osc_ucp_threads.wanted, 1, __ATOMIC_RELAXED);
    ompi_osc_ucp_take_slowly(&ompi_osc_ucp_threads.locked);
    __atomic_fetch_sub(&ompi_osc_ucp_threads.wanted, 1, __ATOMIC_RELAXED);
}

void ompi_osc_ucp_threads_pause(unsigned steps)
{
    ompi_osc_ucp_leave();
    if (steps > PATIENT_STEPS && 0 == steps % STEPS_PER_YIELD) {
        sched_yield();
    } else {
        ompi_osc_ucp_cpu_relax();
    }
    ompi_osc_ucp_enter();
}

bool ompi_osc_ucp_poll_begin(unsigned *looks)
{
    uint32_t *polled_p = &ompi_osc_ucp_threads.polled;
    uint32_t  polled   = __atomic_load_n(polled_p, __ATOMIC_RELAXED);

    if (!ompi_osc_ucp_threaded() ||
        (OMPI_OSC_UCP_POLLED_BY_NONE == polled &&
         __atomic_compare_exchange_n(polled_p, &polled, OMPI_OSC_UCP_POLLED_BY_ONE, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))) {
        return true;
    }
    if (OMPI_OSC_UCP_POLLED_BY_ONE == polled) {
        (void) __atomic_compare_exchange_n(polled_p, &polled, OMPI_OSC_UCP_POLLED_FOR_OTHERS, false, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED);
    }
    if (++*looks % LOOKS_MAX != 0) {
        ompi_osc_ucp_cpu_relax();
    } else {
        sched_yield();
    }
    return false;
}

void ompi_osc_ucp_poll_end(bool more)
{
    __atomic_store_n(&ompi_osc_ucp_threads.polled, OMPI_OSC_UCP_POLLED_BY_NONE, __ATOMIC_RELEASE);
    if (more) {
        sched_yield();
    }
}
