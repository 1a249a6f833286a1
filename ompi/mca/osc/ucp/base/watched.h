/* What a process does in calls on windows, where other processes of its node can read it: for osc_ucp_watchdog
 * and osc_ucp_report 2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process has a record in a file that all processes of a job on one node have mapped. Only its owner writes it,
 * except for `claim`. Without these there is no record, and nothing here is called.
 */

#ifndef OSC_UCP_WATCHED_H
#define OSC_UCP_WATCHED_H

#include <time.h>

#include "base/host.h"

/** The calls. */
typedef enum ompi_osc_ucp_called_t {
    OMPI_OSC_UCP_CALLED_NONE,
    OMPI_OSC_UCP_CALLED_PUT,
    OMPI_OSC_UCP_CALLED_GET,
    OMPI_OSC_UCP_CALLED_ACCUMULATE,
    OMPI_OSC_UCP_CALLED_GET_ACCUMULATE,
    OMPI_OSC_UCP_CALLED_FETCH_AND_OP,
    OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP,
    OMPI_OSC_UCP_CALLED_RPUT,
    OMPI_OSC_UCP_CALLED_RGET,
    OMPI_OSC_UCP_CALLED_RACCUMULATE,
    OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE,
    OMPI_OSC_UCP_CALLED_FENCE,
    OMPI_OSC_UCP_CALLED_POST,
    OMPI_OSC_UCP_CALLED_START,
    OMPI_OSC_UCP_CALLED_COMPLETE,
    OMPI_OSC_UCP_CALLED_WAIT,
    OMPI_OSC_UCP_CALLED_TEST,
    OMPI_OSC_UCP_CALLED_LOCK,
    OMPI_OSC_UCP_CALLED_UNLOCK,
    OMPI_OSC_UCP_CALLED_LOCK_ALL,
    OMPI_OSC_UCP_CALLED_UNLOCK_ALL,
    OMPI_OSC_UCP_CALLED_FLUSH,
    OMPI_OSC_UCP_CALLED_FLUSH_ALL,
    OMPI_OSC_UCP_CALLED_FLUSH_LOCAL,
    OMPI_OSC_UCP_CALLED_FLUSH_LOCAL_ALL,
    OMPI_OSC_UCP_CALLED_FREE,
    OMPI_OSC_UCP_CALLED_FINALIZE,
    OMPI_OSC_UCP_CALLED_SET_NUM_NOTIFY, /**< the report has no times of calls from FREE on */
    OMPI_OSC_UCP_CALLED_NOTIFY_WAIT,
    OMPI_OSC_UCP_CALLED_COUNT
} ompi_osc_ucp_called_t;

/** What a call waits for. */
typedef enum ompi_osc_ucp_awaits_t {
    OMPI_OSC_UCP_AWAITS_NOTHING,  /**< the call does not wait, or not yet for long */
    OMPI_OSC_UCP_AWAITS_LOCK,     /**< the lock of the first of `whom` */
    OMPI_OSC_UCP_AWAITS_ANSWER,   /**< the first answer of a process */
    OMPI_OSC_UCP_AWAITS_FLUSH,    /**< processes have to carry out operations */
    OMPI_OSC_UCP_AWAITS_ARRIVE,   /**< a process has to come to the same call */
    OMPI_OSC_UCP_AWAITS_POST,     /**< MPI_Win_post of a process */
    OMPI_OSC_UCP_AWAITS_COMPLETE, /**< MPI_Win_complete of `missing` processes, which are among `whom` */
    OMPI_OSC_UCP_AWAITS_NOTIFIED, /**< operations with notification, of any process */
    OMPI_OSC_UCP_AWAITS_OTHER     /**< not known */
} ompi_osc_ucp_awaits_t;

/** A window, as the job knows it: ids alone are the same in windows without a common member. */
typedef struct ompi_osc_ucp_watched_window_t {
    uint64_t id;
    uint64_t root; /**< process of rank 0 (ompi_osc_ucp_proc_key) */
} ompi_osc_ucp_watched_window_t;

/** An epoch that keeps others waiting. */
typedef enum ompi_osc_ucp_held_t {
    OMPI_OSC_UCP_HELD_NOTHING,
    OMPI_OSC_UCP_HELD_SHARED,
    OMPI_OSC_UCP_HELD_EXCLUSIVE,
    OMPI_OSC_UCP_HELD_ALL,    /**< MPI_Win_lock_all */
    OMPI_OSC_UCP_HELD_STARTED /**< MPI_Win_start */
} ompi_osc_ucp_held_t;

#define OMPI_OSC_UCP_WATCHED_HELD 16 /**< further epochs of a process are not recorded */
#define OMPI_OSC_UCP_WATCHED_WHOM 16 /**< further processes that a call waits for are only counted */

/** The record of a process. Times are of a clock that the processes of a node share, in nanoseconds. */
typedef struct ompi_osc_ucp_watched_t {
    uint64_t key;      /**< the process (ompi_osc_ucp_proc_key); 0: the record is not in use; atomic */
    uint64_t state;    /**< calls begun and ended, times 2^16, plus the last call; odd number: inside of it; atomic */
    uint64_t left;     /**< when the last synchronizing call ended; 0: another call came later; atomic */
    uint64_t claim;    /**< names the last graph that was printed with leave of this process; any process; atomic */
    uint64_t claimed;  /**< and when; any process; atomic */
    uint64_t gap;      /**< nanoseconds between two graphs with leave of this process */
    uint64_t polls;    /**< how often the process has made progress; counted for osc_ucp_report 2; atomic */
    int32_t  pid;
    uint32_t version;  /**< odd while the owner changes what follows; atomic */

    uint32_t                      awaits; /**< ompi_osc_ucp_awaits_t */
    uint32_t                      call;   /**< that waits */
    uint64_t                      since;
    ompi_osc_ucp_watched_window_t window;
    char                          name[MPI_MAX_OBJECT_NAME]; /**< of the window */
    uint32_t                      missing;
    uint32_t                      whoms;  /**< valid ones of `whom` */
    uint64_t                      whom[OMPI_OSC_UCP_WATCHED_WHOM]; /**< processes */
    struct {
        ompi_osc_ucp_watched_window_t window;
        uint64_t                      target; /**< its process; 0: all */
        uint64_t                      since;
        uint64_t                      how;    /**< ompi_osc_ucp_held_t */
    } held[OMPI_OSC_UCP_WATCHED_HELD];
} ompi_osc_ucp_watched_t;

/** What a process answers when it is asked what it does. */
typedef struct ompi_osc_ucp_watched_answer_t {
    ompi_osc_ucp_watched_t record;
    uint64_t               now;     /**< its clock */
    uint32_t               granted; /**< the claim */
    uint32_t               holders;
    struct {
        uint64_t key;
        uint64_t how; /**< ompi_osc_ucp_held_t */
        uint64_t age; /**< for how long, nanoseconds */
    } holder[OMPI_OSC_UCP_WATCHED_WHOM]; /**< of its lock, in the window that was asked about */
} ompi_osc_ucp_watched_answer_t;

/** The call in which a thread is. */
typedef struct ompi_osc_ucp_calling_t {
    struct ompi_osc_ucp_window_t *window;
    int                           call;   /**< ompi_osc_ucp_called_t */
    int                           target; /**< rank in the window; negative: none */
    uint64_t                      since;  /**< 0: it has not waited yet */
    bool                          told;   /**< the record says what this call waits for */
} ompi_osc_ucp_calling_t;

extern _Thread_local __attribute__((tls_model("initial-exec"))) ompi_osc_ucp_calling_t ompi_osc_ucp_calling;

/** The own record; NULL while the watchdog and the report are off. */
extern ompi_osc_ucp_watched_t *ompi_osc_ucp_watched;

/** The time for records: some milliseconds late, but cheap. Nanoseconds. */
static inline uint64_t ompi_osc_ucp_watched_now(void)
{
    struct timespec now;

    (void) clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec;
}

/** A call begins. The record must exist. */
static inline void ompi_osc_ucp_call_begins(struct ompi_osc_ucp_window_t *window, int call, int target)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;

    ompi_osc_ucp_calling = (ompi_osc_ucp_calling_t) { .window = window, .call = call, .target = target };
    __atomic_store_n(&mine->state, (((mine->state >> 16) + 1) | 1) << 16 | (unsigned) call, __ATOMIC_RELAXED);
}

/** The record says no longer what a call waits for. */
void ompi_osc_ucp_watched_clear(void);

/** The call ends. `now` is 0 for calls so short that asking for the time would cost too much. */
static inline void ompi_osc_ucp_call_ends(uint64_t now)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;

    if (OPAL_UNLIKELY(ompi_osc_ucp_calling.told)) {
        ompi_osc_ucp_watched_clear();
    }
    __atomic_store_n(&mine->left, now, __ATOMIC_RELAXED);
    __atomic_store_n(&mine->state, (((mine->state >> 16) | 1) + 1) << 16 | (unsigned) ompi_osc_ucp_calling.call,
                     __ATOMIC_RELAXED);
    ompi_osc_ucp_calling.call = OMPI_OSC_UCP_CALLED_NONE;
}

/** Make the own record, of process `key`, and map those of the node's other processes if that is possible. Nothing if
 *  it exists. `gap` is the record's. */
void ompi_osc_ucp_watched_open(uint64_t key, uint64_t gap);
void ompi_osc_ucp_watched_close(void);

/** Begin and end to change the own record behind `version`. Any thread. */
void ompi_osc_ucp_watched_change(void);
void ompi_osc_ucp_watched_changed(void);

/** The own record tells of an epoch. `target` is a process; 0: all. */
void ompi_osc_ucp_watched_hold(const ompi_osc_ucp_watched_window_t *window, uint64_t target, ompi_osc_ucp_held_t how);

/** The epoch is over; or, all epochs of a window are. */
void ompi_osc_ucp_watched_release(const ompi_osc_ucp_watched_window_t *window, uint64_t target);
void ompi_osc_ucp_watched_forget(const ompi_osc_ucp_watched_window_t *window);

static inline bool ompi_osc_ucp_watched_same(const ompi_osc_ucp_watched_window_t *one,
                                             const ompi_osc_ucp_watched_window_t *two)
{
    return one->id == two->id && one->root == two->root;
}

/** Number of records of the node that may be in use, and one of them; its key may be 0. */
int                     ompi_osc_ucp_watched_count(void);
ompi_osc_ucp_watched_t *ompi_osc_ucp_watched_at(int i);

/** The record of a process; NULL if it is not here. */
ompi_osc_ucp_watched_t *ompi_osc_ucp_watched_find(uint64_t key);

/** Bound the numbers in an answer that came by message. */
void ompi_osc_ucp_watched_bound(ompi_osc_ucp_watched_answer_t *answer);

/** Copy a record. */
void ompi_osc_ucp_watched_copy(ompi_osc_ucp_watched_t *to, const ompi_osc_ucp_watched_t *record);

/** Has the process started an access epoch in the window (MPI_Win_start), and not completed it? */
bool ompi_osc_ucp_watched_started(const ompi_osc_ucp_watched_t *record, const ompi_osc_ucp_watched_window_t *window);

/** Add the processes of this node that hold the target's lock. */
void ompi_osc_ucp_watched_holders(ompi_osc_ucp_watched_answer_t *answer, uint64_t target,
                                  const ompi_osc_ucp_watched_window_t *window);

/** Add one holder, unless it is there. */
void ompi_osc_ucp_watched_holder_add(ompi_osc_ucp_watched_answer_t *answer, uint64_t key, ompi_osc_ucp_held_t how,
                                     uint64_t since);

/** May the caller print a graph that ends at process `end`? Once until that process has made another call, which is
 *  known of the record's own process only, and at most once in its gap. `demand` is a number of requests by the user:
 *  each begins anew. */
bool ompi_osc_ucp_watched_claim(ompi_osc_ucp_watched_t *record, uint64_t end, unsigned demand);

#endif /* OSC_UCP_WATCHED_H */
