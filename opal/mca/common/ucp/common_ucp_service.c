/* The service thread: progress for the service worker while no thread of the program is inside MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * It sleeps in the kernel on the worker's event descriptor. The component cannot see the program leave MPI, so the
 * two take turns by a counter: whoever polls inside MPI advances it, and a woken thread that sees it run leaves the
 * worker to the poller, unarmed (an armed worker makes every message a system call), and looks again later. When the
 * counter has stood still, or nearly, for one interval, the thread takes over, drains, arms and sleeps.
 */

#include "common_ucp_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "opal/constants.h"

/** First and longest interval between two looks, nanoseconds. */
#define BACKOFF_MIN_NS 50000L
#define BACKOFF_MAX_NS 4000000L

/** A program that polls does so more often than this in the shortest interval; a rare call does not count. */
#define POLLS_MIN 16

/** Events that the thread takes before it lets others have the lock. */
#define EVENTS_MAX 64

static struct {
    pthread_t thread;
    bool      running;
    int       worker_fd; /**< UCX's; readable when an armed worker has work */
    int       stop_fd;   /**< ours; readable when the thread shall end */
    bool      stop;      /**< the same, for a busy thread */
    uint64_t  polls;     /**< advanced by every poll from inside MPI */
    uint64_t  wakeups;   /**< how often the thread took over; for the user */
} service;

unsigned opal_common_ucp_progress_service(void)
{
    unsigned events = 0;

    /* Threads may lose each other's steps; that it moves is enough. */
    __atomic_store_n(&service.polls, __atomic_load_n(&service.polls, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    if (0 == pthread_mutex_trylock(&opal_common_ucp_service_mutex)) {
        events = ucp_worker_progress(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE]);
        pthread_mutex_unlock(&opal_common_ucp_service_mutex);
    }
    return events;
}

uint64_t opal_common_ucp_service_wakeups(void)
{
    return __atomic_load_n(&service.wakeups, __ATOMIC_RELAXED);
}

/** Sleep until the worker has an event (if armed), the interval is over (if >= 0), or the end. False at the end. */
static bool sleep_for(bool armed, long interval_ns)
{
    struct pollfd   fds[2] = { { .fd = service.stop_fd, .events = POLLIN },
                               { .fd = service.worker_fd, .events = POLLIN } };
    struct timespec interval = { .tv_sec = 0, .tv_nsec = interval_ns };

    (void) ppoll(fds, armed ? 2 : 1, interval_ns >= 0 ? &interval : NULL, NULL);
    return 0 == (fds[0].revents & POLLIN);
}

/** Take some of what has arrived; if that was all, arm the worker. UCS_OK: it is armed. */
static ucs_status_t drain_and_arm(unsigned *events_p)
{
    ucp_worker_h worker = opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE];
    ucs_status_t status = UCS_ERR_BUSY;
    unsigned     events = 0, step;

    opal_common_ucp_service_lock();
    do {
        step    = ucp_worker_progress(worker);
        events += step;
    } while (0 != step && events < EVENTS_MAX);
    if (0 == step) {
        status = ucp_worker_arm(worker);
    }
    opal_common_ucp_service_unlock();
    *events_p = events;
    return status;
}

static uint64_t polls_now(void)
{
    return __atomic_load_n(&service.polls, __ATOMIC_RELAXED);
}

/** The interval that follows, nanoseconds. */
static long longer(long backoff)
{
    return backoff < BACKOFF_MAX_NS / 2 ? 2 * backoff : BACKOFF_MAX_NS;
}

/** Leave the worker to a program that polls, for as long as it does. False at the end. */
static bool stand_aside(uint64_t seen)
{
    long     backoff;
    uint64_t now;

    for (backoff = BACKOFF_MIN_NS; (now = polls_now()) - seen > POLLS_MIN; backoff = longer(backoff)) {
        seen = now;
        if (!sleep_for(false, backoff)) {
            return false;
        }
    }
    return true;
}

static void *service_main(void *arg)
{
    long         backoff = BACKOFF_MIN_NS;
    bool         awake   = true;
    unsigned     events;
    uint64_t     seen;
    ucs_status_t status;

    while (awake && !__atomic_load_n(&service.stop, __ATOMIC_ACQUIRE)) {
        seen   = polls_now();
        status = drain_and_arm(&events);
        __atomic_store_n(&service.wakeups, service.wakeups + 1, __ATOMIC_RELAXED);
        if (UCS_OK == status) {
            awake   = sleep_for(true, -1) && stand_aside(seen);
            backoff = BACKOFF_MIN_NS;
        } else if (events > 0) {
            backoff = BACKOFF_MIN_NS;
        } else {
            /* Nothing comes, and something cannot leave: a reply to a process that is not inside MPI, say. */
            awake   = sleep_for(false, backoff);
            backoff = longer(backoff);
        }
    }
    return arg;
}

static int thread_create(void)
{
    sigset_t all, old;
    int      rc;

    /* The program's signals are not ours to take. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&service.thread, NULL, service_main, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return 0 == rc ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

int opal_common_ucp_service_start(void)
{
    ucs_status_t status;
    int          rc;

    if (service.running) {
        return OPAL_SUCCESS;
    }
    status = ucp_worker_get_efd(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE], &service.worker_fd);
    if (UCS_OK != status) {
        return opal_common_ucp_status(status);
    }
    service.stop    = false;
    service.stop_fd = eventfd(0, EFD_CLOEXEC);
    if (service.stop_fd < 0) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    rc = thread_create();
    if (OPAL_SUCCESS != rc) {
        close(service.stop_fd);
        return rc;
    }
    service.running = true;
    return OPAL_SUCCESS;
}

void opal_common_ucp_service_stop(void)
{
    uint64_t one = 1;

    if (!service.running) {
        return;
    }
    __atomic_store_n(&service.stop, true, __ATOMIC_RELEASE);
    while (write(service.stop_fd, &one, sizeof(one)) < 0 && EINTR == errno) {
        continue;
    }
    pthread_join(service.thread, NULL);
    close(service.stop_fd);
    service.running = false;
}
