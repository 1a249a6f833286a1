/* What a process does in calls on windows, where other processes of its node can read it: for osc_ucp_watchdog,
 * osc_ucp_status and osc_ucp_report 2.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process has a record in a file that all processes of a job on one node have mapped. Only its owner writes it,
 * except for `claim`. Without these there is no record, and nothing here is called.
 */

#ifndef OSC_UCP_WATCHED_H
#define OSC_UCP_WATCHED_H

#include "base/host.h"
#include "base/record.h"
#include "base/threads.h"

/** The call in which a thread is. */
typedef struct ompi_osc_ucp_calling_t {
    struct ompi_osc_ucp_window_t *window;
    int                           call;   /**< ompi_osc_ucp_called_t */
    int                           target; /**< rank in the window; negative: none */
    uint64_t                      since;  /**< 0: it has not waited yet */
    bool                          told;   /**< the record says what this call waits for */
} ompi_osc_ucp_calling_t;

extern _Thread_local __attribute__((tls_model("initial-exec"))) ompi_osc_ucp_calling_t ompi_osc_ucp_calling;

/** The own record; NULL while all that needs it is off. */
extern ompi_osc_ucp_watched_t *ompi_osc_ucp_watched;

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

/** An operation was begun, of so many bytes at its target. */
static inline void ompi_osc_ucp_watched_operation(uint64_t bytes)
{
    ompi_osc_ucp_watched_t *mine = ompi_osc_ucp_watched;

    if (OPAL_UNLIKELY(ompi_osc_ucp_threaded())) {
        __atomic_fetch_add(&mine->operations, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&mine->bytes, bytes, __ATOMIC_RELAXED);
    } else {
        __atomic_store_n(&mine->operations, mine->operations + 1, __ATOMIC_RELAXED);
        __atomic_store_n(&mine->bytes, mine->bytes + bytes, __ATOMIC_RELAXED);
    }
}

/** Make the own record, of process `key`, and map those of the node's other processes if that is possible. Nothing if
 *  it exists. `gap` and `whole` are the record's. */
void ompi_osc_ucp_watched_open(uint64_t key, uint64_t gap, bool whole);
void ompi_osc_ucp_watched_close(void);

/** Can others see the own record? */
bool ompi_osc_ucp_watched_shared(void);

/** Begin and end to change the own record behind `version`. Any thread. */
void ompi_osc_ucp_watched_change(void);
void ompi_osc_ucp_watched_changed(void);

/** The own record tells of an epoch. `target` is a process; 0: all. */
void ompi_osc_ucp_watched_hold(const ompi_osc_ucp_watched_window_t *window, uint64_t target, ompi_osc_ucp_held_t how);

/** The epoch is over; or, all epochs of a window are. */
void ompi_osc_ucp_watched_release(const ompi_osc_ucp_watched_window_t *window, uint64_t target);
void ompi_osc_ucp_watched_forget(const ompi_osc_ucp_watched_window_t *window);

/** Number of records of the node that may be in use, and one of them; its key may be 0. */
int                     ompi_osc_ucp_watched_count(void);
ompi_osc_ucp_watched_t *ompi_osc_ucp_watched_at(int i);

/** The record of a process; NULL if it is not here. */
ompi_osc_ucp_watched_t *ompi_osc_ucp_watched_find(uint64_t key);

/** Add the processes of this node that hold the target's lock. */
void ompi_osc_ucp_watched_holders(ompi_osc_ucp_watched_answer_t *answer, uint64_t target,
                                  const ompi_osc_ucp_watched_window_t *window);

/** May the caller print a graph that ends at process `end`? Once until that process has made another call, which is
 *  known of the record's own process only, and at most once in its gap. `demand` is a number of requests by the user:
 *  each begins anew. */
bool ompi_osc_ucp_watched_claim(ompi_osc_ucp_watched_t *record, uint64_t end, unsigned demand);

#endif /* OSC_UCP_WATCHED_H */
