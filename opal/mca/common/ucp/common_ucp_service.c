/* The service thread: progress for the service worker while no thread of the program is inside MPI.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The thread sleeps in the kernel on the worker's event descriptor, with the worker armed. Then the worker is the
 * thread's, and a thread of the program that polls inside MPI pays two loads. When something arrives, the service
 * thread takes it and makes the worker "busy": from then on pollers progress it too, which is faster than waking a
 * thread.
 *
 * The component cannot see the program leave MPI. So every poll advances a counter. While the counter moves, the thread
 * leaves the worker to the pollers, unarmed (an armed worker makes every message a system call), and looks again later.
 * When the counter has hardly moved for one interval, or pollers have found nothing for long, the thread takes over: it
 * drains the worker, arms it and sleeps.
 *
 * An alarm is rung by the thread, which sleeps no longer than until then, or by a poller that comes first.
 */

#include "common_ucp_cpus.h"
#include "common_ucp_lock.h"
#include "common_ucp_status.h"
#include "common_ucp_worker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "opal/constants.h"
#include "opal/runtime/opal_progress.h"

/** First and longest interval between two looks at the counter, nanoseconds. "Crowded" is for more processes than
 *  processors. There a process that waits polls rarely. With the short interval the thread would take the worker from
 *  it, and be woken by each message. */
#define BACKOFF_MIN_NS     50000L
#define BACKOFF_CROWDED_NS 1000000L
#define BACKOFF_MAX_NS     4000000L

/** A program that polls does so more often than this in the shortest interval. Fewer polls are single calls. */
#define POLLS_MIN 16

/** When pollers have found nothing for this long, the thread takes over. Nanoseconds. */
#define QUIET_NS 10000000L

/** The thread ends when it was not needed for this long: programs make and free windows in loops. Nanoseconds. */
#define LINGER_NS 1000000000L

/** Rounds without an event, in a row, before the thread sleeps between rounds. See service_main. */
#define MISSES_MAX 4

/** How long the thread waits for the next request before it sleeps, nanoseconds. The next one mostly follows at once,
 *  and this wait costs less than sleeping and waking. */
#define FOLLOW_NS 4000

/** An event this soon after the thread went to sleep: a longer wait would have caught it. Nanoseconds. */
#define SOON_NS 20000

/** After SOON_MAX such events in a row the thread waits PROBE_NS for the next one, nanoseconds. If none comes, but one
 *  soon after the thread sleeps, the thread has kept the origin from its processor. */
#define SOON_MAX 8
#define PROBE_NS 50000

/** How long the thread then stays away from that processor, nanoseconds. */
#define ASIDE_NS 100000000L

/** Events that the thread takes before it releases the lock. */
#define EVENTS_MAX 64

static struct {
    /* The thread's life, guarded by `life`. */
    pthread_mutex_t life;
    pthread_t       thread;
    bool            created; /**< it must be joined; it may have ended already */
    int             needed;  /**< calls of _need without a _release yet */

    cpu_set_t cpus;      /**< where the thread may run; empty: where the program may */
    int       worker_fd; /**< UCX's; readable when an armed worker has work */
    int       wake_fd;   /**< ours; wakes the thread, to end or for an alarm. -1: there is no thread. Written, and its
                          *   number changed, under the service lock */
    void    (*rang)(void); /**< called when the alarm rings; guarded by the service lock */

    /* Shared by the thread and the pollers: atomic and relaxed, as they only decide who progresses the worker when. */
    bool      running;
    bool      stop;      /**< the thread must end */
    bool      busy;      /**< pollers progress the worker */
    uint64_t  polls;     /**< advanced by every poll from inside MPI */
    unsigned  idle;      /**< polls that found nothing, in a row */
    uint64_t  alarm;     /**< when the alarm rings; 0: never. Changed under the service lock */
    uint64_t  wakeups;   /**< how often the thread woke up for an arriving message; a statistic */
} service = { .life = PTHREAD_MUTEX_INITIALIZER, .wake_fd = -1 };

/** Used by the thread alone: how closely requests follow each other, and whether the thread delays them. The kernel
 *  tends to wake it on the processor of the origin that sent the message. While the thread waits there for the next
 *  request, the origin cannot send it. The processors of the thread's own program are the better place. */
static struct {
    cpu_set_t allowed;  /**< where it may run */
    uint64_t  armed_at; /**< when it went to sleep last */
    unsigned  soon;     /**< events soon after that, in a row */
    uint64_t  aside_at; /**< when it left a processor to an origin; 0: it is not away */
} pace;

#define LOAD(field) __atomic_load_n(&service.field, __ATOMIC_RELAXED)
#define STORE(field, value) __atomic_store_n(&service.field, (value), __ATOMIC_RELAXED)

static void wake_thread(void)
{
    uint64_t one = 1;

    while (service.wake_fd >= 0 && write(service.wake_fd, &one, sizeof(one)) < 0 && EINTR == errno) {
        continue;
    }
}

void opal_common_ucp_service_alarm(uint64_t at_ns, void (*rang)(void))
{
    if (0 == LOAD(alarm) || at_ns < LOAD(alarm)) {
        service.rang = rang;
        STORE(alarm, at_ns);
        wake_thread();
    }
}

/** The alarm is set: ring it if it is time, unless another thread holds the service lock. */
static void alarm_look(void)
{
    if (opal_common_ucp_now_ns() >= LOAD(alarm) && 0 == pthread_mutex_trylock(&opal_common_ucp_service_mutex)) {
        if (0 != LOAD(alarm)) {
            STORE(alarm, 0);
            service.rang();
        }
        pthread_mutex_unlock(&opal_common_ucp_service_mutex);
    }
}

/* Of two pollers at once one may overwrite the other's count: it is enough that the counters move. */
unsigned opal_common_ucp_progress_service(void)
{
    unsigned events;

    STORE(polls, LOAD(polls) + 1);
    if (OPAL_UNLIKELY(0 != LOAD(alarm))) {
        alarm_look();
    }
    if ((LOAD(running) && !LOAD(busy)) || 0 != pthread_mutex_trylock(&opal_common_ucp_service_mutex)) {
        return 0;
    }
    events = opal_common_ucp_progress(OPAL_COMMON_UCP_SERVICE);
    pthread_mutex_unlock(&opal_common_ucp_service_mutex);
    STORE(idle, 0 == events ? LOAD(idle) + 1 : 0);
    return events;
}

/** The first interval between two looks, nanoseconds. */
static long backoff_min(void)
{
    return opal_progress_yield_when_idle ? BACKOFF_CROWDED_NS : BACKOFF_MIN_NS;
}

void opal_common_ucp_service_claim(void)
{
    if (opal_progress_yield_when_idle) {
        STORE(polls, LOAD(polls) + POLLS_MIN); /* a process that waits polls again when it gets a processor */
    }
    if (0 != LOAD(idle)) {
        STORE(idle, 0);
    }
    if (!LOAD(busy)) {
        STORE(busy, true);
    }
}

uint64_t opal_common_ucp_service_wakeups(void)
{
    return LOAD(wakeups);
}

/** The time to sleep: `interval_ns`, but not longer than until the alarm. */
static struct timespec interval_until_alarm(long interval_ns)
{
    uint64_t alarm = LOAD(alarm), now;

    if (0 != alarm) {
        now         = opal_common_ucp_now_ns();
        interval_ns = alarm <= now ? 0 : alarm - now < (uint64_t) interval_ns ? (long) (alarm - now) : interval_ns;
    }
    return (struct timespec) { interval_ns / 1000000000, interval_ns % 1000000000 };
}

/** Sleep until the worker has an event (if armed), the interval is over, or the thread is woken. Rings the alarm if it
 *  is time. *event: the worker has an event. False: the thread must end. */
static bool sleep_for(bool armed, long interval_ns, bool *event)
{
    struct pollfd   fds[2] = { { .fd = service.wake_fd, .events = POLLIN },
                               { .fd = service.worker_fd, .events = POLLIN } };
    struct timespec interval = interval_until_alarm(interval_ns);
    uint64_t        woken;

    *event = ppoll(fds, armed ? 2 : 1, &interval, NULL) > 0 && 0 != fds[1].revents;
    while (0 != (fds[0].revents & POLLIN) && read(service.wake_fd, &woken, sizeof(woken)) < 0 && EINTR == errno) {
        continue;
    }
    if (0 != LOAD(alarm)) {
        alarm_look();
    }
    return !__atomic_load_n(&service.stop, __ATOMIC_ACQUIRE);
}

/** Progress the worker for what has arrived, and what follows closely; at most EVENTS_MAX, or little more. Under the
 *  service lock. Returns the number of events; *drained: nothing is left. */
static unsigned drain(bool *drained)
{
    uint64_t last   = 0; /* when the last event was taken; 0: none yet */
    uint64_t follow = SOON_MAX == pace.soon ? PROBE_NS : FOLLOW_NS;
    unsigned events = 0, step;
    bool     paused = false;

    do {
        step    = opal_common_ucp_progress(OPAL_COMMON_UCP_SERVICE);
        events += step;
        if (0 != step) {
            last      = opal_common_ucp_now_ns();
            pace.soon = paused ? 0 : pace.soon;
        }
        paused = paused || (0 == step && 0 != last);
    } while (events < EVENTS_MAX && 0 != last && (0 != step || opal_common_ucp_now_ns() - last < follow));
    *drained = 0 == step;
    return events;
}

/** Move from this processor to another one of the program's. */
static void go_aside(void)
{
    cpu_set_t aside;

    if (opal_common_ucp_cpus_aside(&pace.allowed, &aside) && 0 == sched_setaffinity(0, sizeof(aside), &aside)) {
        pace.aside_at = opal_common_ucp_now_ns();
    }
}

/** After ASIDE_NS, allow all processors again: another one may be better by then. */
static void come_back(void)
{
    if (0 != pace.aside_at && opal_common_ucp_now_ns() - pace.aside_at > ASIDE_NS) {
        pace.aside_at = 0;
        (void) sched_setaffinity(0, sizeof(pace.allowed), &pace.allowed);
    }
}

/** A message has arrived at the armed worker after the thread slept so long. If messages keep coming soon, move. */
static void pace_judge(uint64_t slept_ns)
{
    pace.soon = slept_ns < SOON_NS ? pace.soon + 1 : 0;
    if (pace.soon > SOON_MAX) {
        pace.soon = 0;
        go_aside();
    }
}

/** Drain the worker; if nothing is left, arm it, which makes it the thread's. True: it is armed. */
static bool drain_and_arm(unsigned *events_p)
{
    bool drained, armed;

    opal_common_ucp_service_lock();
    *events_p = drain(&drained);
    armed = drained && UCS_OK == ucp_worker_arm(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE]);
    if (armed) {
        STORE(busy, false);
    }
    opal_common_ucp_service_unlock();
    return armed;
}

/** A message has arrived at the armed worker: make it busy, and drain it unless another thread holds the lock. Returns
 *  the number of events, 1 in that case. */
static unsigned take_at_once(void)
{
    unsigned events = 1;
    bool     drained;

    STORE(wakeups, LOAD(wakeups) + 1);
    STORE(idle, 0);
    STORE(busy, true);
    if (0 == pthread_mutex_trylock(&opal_common_ucp_service_mutex)) {
        events = drain(&drained);
        opal_common_ucp_service_unlock();
    }
    return events;
}

/** The interval that follows, nanoseconds. */
static long longer(long backoff)
{
    return backoff < BACKOFF_MAX_NS / 2 ? 2 * backoff : BACKOFF_MAX_NS;
}

/** Leave the worker to pollers as long as they poll and find work. `seen`: the counter before. False: the thread must
 *  end. */
static bool stand_aside(uint64_t seen)
{
    long     backoff, quiet = 0;
    unsigned idle;
    uint64_t now;
    bool     event;

    for (backoff = backoff_min(); (now = LOAD(polls)) - seen > POLLS_MIN && quiet < QUIET_NS;
         backoff = longer(backoff)) {
        seen = now;
        idle = LOAD(idle);
        if (!sleep_for(false, backoff, &event)) {
            return false;
        }
        quiet = LOAD(idle) > idle ? quiet + backoff : 0;
    }
    return true;
}

/** The thread has slept for LINGER_NS. If it is not needed, it no longer runs: true, and it must end. */
static bool retire(void)
{
    bool over;

    pthread_mutex_lock(&service.life);
    over = 0 == service.needed;
    if (over) {
        STORE(running, false);
    }
    pthread_mutex_unlock(&service.life);
    return over;
}

/** Sleep while the worker is armed, then handle what woke the thread. `seen`: the counter before the worker was armed;
 *  *events: events taken, 0 if there was none. False: the thread must end. */
static bool sleep_armed(uint64_t seen, unsigned *events)
{
    uint64_t slept;
    bool     event;

    *events = 1;
    pace.armed_at = opal_common_ucp_now_ns();
    if (!sleep_for(true, LINGER_NS, &event)) {
        return false;
    }
    if (!event) {
        return !retire();
    }
    slept = opal_common_ucp_now_ns() - pace.armed_at;
    pace_judge(slept);
    *events = take_at_once();
    /* Many polls over a long sleep are few per interval. */
    return (LOAD(polls) - seen) / (slept / (uint64_t) backoff_min() + 1) <= POLLS_MIN || stand_aside(seen);
}

/* A round without an event is a miss: the worker has nothing but cannot be armed (mostly because of the signal of what
 * was just taken), or its descriptor is ready without an event. That can last while UCX cannot send a message, because
 * the receiver is not inside MPI or UCX is just connecting to it. */
static void *service_main(void *arg)
{
    long     backoff = backoff_min();
    bool     awake   = true, event;
    unsigned events, misses = 0;
    uint64_t seen;

    if (0 != CPU_COUNT(&service.cpus)) {
        (void) sched_setaffinity(0, sizeof(service.cpus), &service.cpus);
    }
    memset(&pace, 0, sizeof(pace));
    (void) sched_getaffinity(0, sizeof(pace.allowed), &pace.allowed);
    (void) pthread_setname_np(pthread_self(), "osc_ucp_service"); /* for debuggers and top */
    while (awake && !__atomic_load_n(&service.stop, __ATOMIC_ACQUIRE)) {
        come_back();
        seen = LOAD(polls);
        if (drain_and_arm(&events)) {
            awake = sleep_armed(seen, &events);
        }
        if (events > 0) {
            misses  = 0;
            backoff = backoff_min();
        } else if (++misses > MISSES_MAX && awake) {
            awake   = sleep_for(false, backoff, &event);
            backoff = longer(backoff);
        }
    }
    return arg;
}

static int thread_create(void)
{
    sigset_t all, old;
    int      rc;

    /* Signals are delivered to the program's threads, not to this one. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    rc = pthread_create(&service.thread, NULL, service_main, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return 0 == rc ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

/** Set the descriptor that wakes the thread. Returns the one before. */
static int wake_fd_set(int fd)
{
    int before;

    opal_common_ucp_service_lock();
    before          = service.wake_fd;
    service.wake_fd = fd;
    opal_common_ucp_service_unlock();
    return before;
}

/** End the thread if it has not ended by itself, and join it. `life` is held, or no other thread is there. */
static void thread_join(void)
{
    if (!service.created) {
        return;
    }
    __atomic_store_n(&service.stop, true, __ATOMIC_RELEASE);
    wake_thread();
    pthread_join(service.thread, NULL);
    close(wake_fd_set(-1));
    STORE(running, false);
    service.created = false;
}

static int service_start(void)
{
    ucs_status_t status;
    int          rc, fd;

    thread_join();
    status = ucp_worker_get_efd(opal_common_ucp_transport.worker[OPAL_COMMON_UCP_SERVICE], &service.worker_fd);
    if (UCS_OK != status) {
        return opal_common_ucp_status(status);
    }
    fd = eventfd(0, EFD_CLOEXEC);
    if (fd < 0) {
        return OPAL_ERR_OUT_OF_RESOURCE;
    }
    (void) wake_fd_set(fd);
    STORE(stop, false);
    STORE(busy, true);
    STORE(running, true);
    rc = thread_create();
    if (OPAL_SUCCESS != rc) {
        STORE(running, false);
        close(wake_fd_set(-1));
        return rc;
    }
    service.created = true;
    return OPAL_SUCCESS;
}

int opal_common_ucp_service_need(void)
{
    int rc = OPAL_SUCCESS;

    pthread_mutex_lock(&service.life);
    if (!LOAD(running)) {
        rc = service_start();
    }
    if (OPAL_SUCCESS == rc) {
        service.needed++;
    }
    pthread_mutex_unlock(&service.life);
    return rc;
}

void opal_common_ucp_service_release(void)
{
    pthread_mutex_lock(&service.life);
    service.needed--;
    pthread_mutex_unlock(&service.life);
}

/* Without `life`, which the thread may wait for in retire: no other thread is there. */
void opal_common_ucp_service_stop(void)
{
    thread_join();
}

int opal_common_ucp_service_cpus(const char *cpus)
{
    cpu_set_t set;
    bool      good;

    good = opal_common_ucp_cpus_parse(cpus, &set);
    pthread_mutex_lock(&service.life);
    if (good && !LOAD(running)) {
        service.cpus = set;
    }
    pthread_mutex_unlock(&service.life);
    return good ? OPAL_SUCCESS : OPAL_ERR_BAD_PARAM;
}
