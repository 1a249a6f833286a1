/* The origin lock, which serializes the program's threads under MPI_THREAD_MULTIPLE. Otherwise it is not taken.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is mostly held for less time than a system call takes. So a thread that finds it taken spins, then yields. A
 * thread that polls for another process only tries the lock: threads with work to do go first.
 */

#ifndef OSC_UCP_THREADS_H
#define OSC_UCP_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/** Whether a thread polls on behalf of all threads that wait. */
typedef enum ompi_osc_ucp_polled_t {
    OMPI_OSC_UCP_POLLED_BY_NONE,
    OMPI_OSC_UCP_POLLED_BY_ONE,
    OMPI_OSC_UCP_POLLED_FOR_OTHERS /**< a thread polls, and others have waited since it began */
} ompi_osc_ucp_polled_t;

typedef struct ompi_osc_ucp_threads_t {
    bool     multiple;                               /**< MPI_THREAD_MULTIPLE; constant after MPI_Init */
    uint32_t locked __attribute__((aligned(64)));    /**< 1: a thread holds the lock; atomic */
    uint32_t wanted;                                 /**< threads that spin for the lock; atomic */
    uint32_t polled;                                 /**< ompi_osc_ucp_polled_t; atomic */
    char     pad[52];
} ompi_osc_ucp_threads_t;

extern ompi_osc_ucp_threads_t ompi_osc_ucp_threads;

/** May several threads be inside MPI at the same time? */
static inline bool ompi_osc_ucp_threaded(void)
{
    return __builtin_expect(ompi_osc_ucp_threads.multiple, false);
}

/** This thread's number, from 1 on in the order in which threads came here; 0: it has none yet. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) uint32_t ompi_osc_ucp_thread;

/** Give this thread its number. */
uint32_t ompi_osc_ucp_thread_numbered(void);

static inline uint32_t ompi_osc_ucp_thread_number(void)
{
    return __builtin_expect(0 != ompi_osc_ucp_thread, true) ? ompi_osc_ucp_thread : ompi_osc_ucp_thread_numbered();
}

/** Wait for a lock that another thread holds, and take it. */
void ompi_osc_ucp_take_slowly(uint32_t *locked);

/** The same for the origin lock. */
void ompi_osc_ucp_enter_slowly(void);

/** Try once to take a lock: 0 if it is free, 1 while a thread holds it. */
static inline bool ompi_osc_ucp_take(uint32_t *locked)
{
    return 0 == __atomic_exchange_n(locked, 1, __ATOMIC_ACQUIRE);
}

static inline bool ompi_osc_ucp_threads_take(void)
{
    return ompi_osc_ucp_take(&ompi_osc_ucp_threads.locked);
}

/** Enter the origin side. Every function of the module does, except for the short ways by load and store. */
static inline void ompi_osc_ucp_enter(void)
{
    if (ompi_osc_ucp_threaded() && !ompi_osc_ucp_threads_take()) {
        ompi_osc_ucp_enter_slowly();
    }
}

/** Enter if no other thread is inside or waits to enter. False: the caller is not inside. */
static inline bool ompi_osc_ucp_try_enter(void)
{
    return !ompi_osc_ucp_threaded() ||
           (0 == __atomic_load_n(&ompi_osc_ucp_threads.wanted, __ATOMIC_RELAXED) &&
            0 == __atomic_load_n(&ompi_osc_ucp_threads.locked, __ATOMIC_RELAXED) && ompi_osc_ucp_threads_take());
}

static inline void ompi_osc_ucp_leave(void)
{
    if (ompi_osc_ucp_threaded()) {
        __atomic_store_n(&ompi_osc_ucp_threads.locked, 0, __ATOMIC_RELEASE);
    }
}

/** Pause inside a spin loop, for the `steps`-th time. Releases the lock meanwhile, and yields after many steps.
 *  Inside. */
void ompi_osc_ucp_threads_pause(unsigned steps);

/* Of the threads that wait for replies one polls. More would contend for the lock with each other and with threads that
 * send, and could keep the target's service thread from a processor. Call these outside the origin side. */

/** True: the caller polls from now on, until ompi_osc_ucp_poll_end. False: another thread polls, and this call has
 *  paused or yielded. `looks` counts the calls that returned false. */
bool ompi_osc_ucp_poll_begin(unsigned *looks);

/** Steps of polling before the turn passes to another thread. */
#define OMPI_OSC_UCP_POLL_STEPS 64

/** Must the caller, which has polled for `steps`, pass the turn to another thread that waits? A thread that loses its
 *  processor while it has the turn would delay all others. */
static inline bool ompi_osc_ucp_poll_long(unsigned steps)
{
    return ompi_osc_ucp_threaded() && steps >= OMPI_OSC_UCP_POLL_STEPS &&
           OMPI_OSC_UCP_POLLED_FOR_OTHERS == __atomic_load_n(&ompi_osc_ucp_threads.polled, __ATOMIC_RELAXED);
}

/** The caller passes the turn on. It yields if it has to wait for `more`. */
void ompi_osc_ucp_poll_end(bool more);

#endif /* OSC_UCP_THREADS_H */
