/* Threads of the program: the lock of the origin side, which programs without MPI_THREAD_MULTIPLE do not take.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It is held for less than a system call takes, most of the time: whoever finds it taken spins, then yields. A thread
 * that waits for another process only tries it, and lets those have it who have something to do.
 */

#ifndef OSC_UCP_THREADS_H
#define OSC_UCP_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/** Who polls on behalf of all threads that wait. */
typedef enum ompi_osc_ucp_polled_t {
    OMPI_OSC_UCP_POLLED_BY_NONE,
    OMPI_OSC_UCP_POLLED_BY_ONE,
    OMPI_OSC_UCP_POLLED_FOR_OTHERS /**< and since it began others have waited, too */
} ompi_osc_ucp_polled_t;

typedef struct ompi_osc_ucp_threads_t {
    bool     multiple;                               /**< MPI_THREAD_MULTIPLE; never changes after MPI_Init */
    uint32_t locked __attribute__((aligned(64)));    /**< atomic */
    uint32_t wanted;                                 /**< threads that spin for it; atomic */
    uint32_t polled;                                 /**< ompi_osc_ucp_polled_t; atomic */
    char     pad[52];
} ompi_osc_ucp_threads_t;

extern ompi_osc_ucp_threads_t ompi_osc_ucp_threads;

/** Are there threads that may be inside MPI at the same time? */
static inline bool ompi_osc_ucp_threaded(void)
{
    return __builtin_expect(ompi_osc_ucp_threads.multiple, false);
}

/** Take the lock that another thread holds. */
void ompi_osc_ucp_enter_slowly(void);

static inline bool ompi_osc_ucp_threads_take(void)
{
    return 0 == __atomic_exchange_n(&ompi_osc_ucp_threads.locked, 1, __ATOMIC_ACQUIRE);
}

/* Entering the origin side: every function of the module does, but for what is done by load and store alone. */

static inline void ompi_osc_ucp_enter(void)
{
    if (ompi_osc_ucp_threaded() && !ompi_osc_ucp_threads_take()) {
        ompi_osc_ucp_enter_slowly();
    }
}

/** Enter if no other thread is there, or wants to be. */
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

/** A moment of waiting, the `steps`-th, for a caller that is inside: the others are let in, and after a while they get
 *  the processor as well. */
void ompi_osc_ucp_threads_pause(unsigned steps);

/* Of the threads that wait for replies one polls. Were it more, they would keep each other, and the one that has
 * something to send, from the lock, and the target's service thread from a processor. Outside the origin side. */

/** Shall the caller poll from now on, until ompi_osc_ucp_poll_end? If not it was made to wait a little. */
bool ompi_osc_ucp_poll_begin(unsigned *looks);

/** Steps of polling, some 15 us over shared memory, before it is another one's turn. */
#define OMPI_OSC_UCP_POLL_STEPS 64

/** Has the caller polled so long that it is another one's turn, if others wait, too? What all wait for may need this
 *  one's processor, and who does not run must not be the one who polls. */
static inline bool ompi_osc_ucp_poll_long(unsigned steps)
{
    return ompi_osc_ucp_threaded() && steps >= OMPI_OSC_UCP_POLL_STEPS &&
           OMPI_OSC_UCP_POLLED_FOR_OTHERS == __atomic_load_n(&ompi_osc_ucp_threads.polled, __ATOMIC_RELAXED);
}

/** The caller no longer polls. If it waits for `more` it has offered its processor then. */
void ompi_osc_ucp_poll_end(bool more);

#endif /* OSC_UCP_THREADS_H */
