/* Performance variables (MPI_T): the counters of a window or of the process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/report.h"

#include <stddef.h>

#include "base/events.h"
#include "base/explain.h"
#include "layer/cause.h"
#include "layer/layer.h"
#include "op/op.h"
#include "opal/mca/base/mca_base_pvar.h"
#include "service/fastbox.h"
#include "service/refused.h"
#include "service/reply.h"

#define OPERATIONS(via) offsetof(ompi_osc_ucp_counters_t, operations[OMPI_OSC_UCP_VIA_##via])
#define BYTES(via) offsetof(ompi_osc_ucp_counters_t, bytes[OMPI_OSC_UCP_VIA_##via])

/** A counter of a window, by its offset in ompi_osc_ucp_counters_t. */
static const struct window_pvar_t {
    const char *name;
    size_t      offset;
    const char *help;
} window_pvars[] = {
    { "operations_self", OPERATIONS(SELF), "operations on the process's own window memory" },
    { "operations_direct", OPERATIONS(DIRECT), "operations by load and store in another process's memory" },
    { "operations_rdma", OPERATIONS(RDMA), "operations by the network's own puts, gets and atomics" },
    { "operations_am", OPERATIONS(AM), "operations by messages that the target's CPU handles" },
    { "bytes_self", BYTES(SELF), "bytes of window memory that operations_self moved" },
    { "bytes_direct", BYTES(DIRECT), "bytes of window memory that operations_direct moved" },
    { "bytes_rdma", BYTES(RDMA), "bytes of window memory that operations_rdma moved" },
    { "bytes_am", BYTES(AM), "bytes of window memory that operations_am moved" },
    { "messages", offsetof(ompi_osc_ucp_counters_t, messages), "messages sent to targets" },
    { "message_bytes", offsetof(ompi_osc_ucp_counters_t, message_bytes), "bytes of these messages, with their heads" },
    { "coalesced", offsetof(ompi_osc_ucp_counters_t, coalesced), "operations that shared a message with another" },
    { "round_trips", offsetof(ompi_osc_ucp_counters_t, round_trips), "answers of targets that calls waited for" },
    { "locks", offsetof(ompi_osc_ucp_counters_t, locks), "targets that were locked; MPI_Win_unlock_all adds those that "
      "were touched since MPI_Win_lock_all" },
    { "lock_waits", offsetof(ompi_osc_ucp_counters_t, lock_waits), "locks that could not be had at once" },
    { "atomics", offsetof(ompi_osc_ucp_counters_t, atomics), "the network's own atomics, those of locks included" },
    { "waited_ns", offsetof(ompi_osc_ucp_counters_t, waited_ns), "nanoseconds spent in synchronization calls" },
};

/** osc_free of this component's windows. */
static ompi_osc_base_module_free_fn_t our_free;

/** The window that a handle is bound to; NULL if another component serves it. */
static ompi_osc_ucp_window_t *window_of(void *object)
{
    ompi_osc_ucp_window_t *window = NULL == object ? NULL : ompi_osc_ucp_window((ompi_win_t *) object);

    return NULL != window && our_free == window->super.osc_free ? window : NULL;
}

static int window_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const struct window_pvar_t *wanted = pvar->ctx;
    ompi_osc_ucp_window_t      *window = window_of(object);

    if (NULL != window) {
        ompi_osc_ucp_tally_settle(window);
    }
    *(unsigned long long *) value =
        NULL == window ? 0 : *(const uint64_t *) ((const char *) &window->counters + wanted->offset);
    return OMPI_SUCCESS;
}

/** Instrument a window when a handle of it is started: some counters need that. */
static int window_notify(mca_base_pvar_t *pvar, mca_base_pvar_event_t event, void *object, int *count)
{
    ompi_osc_ucp_window_t *window = window_of(object);

    (void) pvar;
    if (MCA_BASE_PVAR_HANDLE_BIND == event) {
        *count = 1;
    } else if (MCA_BASE_PVAR_HANDLE_START == event && NULL != window) {
        (void) ompi_osc_ucp_instrument(window);
    }
    return OMPI_SUCCESS;
}

/** A cause for which calls on a window took time: all of ompi_osc_ucp_cause_t. */
static const struct cause_pvar_t {
    const char *name;
    int         cause;
    const char *help;
} cause_pvars[] = {
    { "call_itself_ns", OMPI_OSC_UCP_CAUSE_ITSELF, "nanoseconds for which synchronizing calls did their own work" },
    { "late_fence_ns", OMPI_OSC_UCP_CAUSE_FENCE,
      "nanoseconds in MPI_Win_fence: how much of it waited for late processes is known when the window is freed only" },
    { "lock_holder_ns", OMPI_OSC_UCP_CAUSE_HOLDER,
      "nanoseconds for which calls waited for processes that held a lock" },
    { "late_post_ns", OMPI_OSC_UCP_CAUSE_POST, "nanoseconds for which calls waited for MPI_Win_post of others" },
    { "late_complete_ns", OMPI_OSC_UCP_CAUSE_COMPLETE,
      "nanoseconds for which calls waited for MPI_Win_complete of others" },
    { "target_outside_ns", OMPI_OSC_UCP_CAUSE_TARGET, "nanoseconds for which calls waited for targets outside MPI" },
    { "flow_control_ns", OMPI_OSC_UCP_CAUSE_FLOW, "nanoseconds for which calls waited for targets to take operations" },
    { "first_contact_ns", OMPI_OSC_UCP_CAUSE_CONTACT, "nanoseconds for which calls waited for targets' first answers" },
    { "no_processor_ns", OMPI_OSC_UCP_CAUSE_CPU,
      "nanoseconds for which calls waited for processes that were ready and had no processor" },
    { "another_host_ns", OMPI_OSC_UCP_CAUSE_REMOTE,
      "nanoseconds for which calls waited for transfers to other hosts, or for targets there" },
    { "not_known_ns", OMPI_OSC_UCP_CAUSE_UNKNOWN, "nanoseconds in MPI_Win_fence after the first 65536 of the window" },
};

_Static_assert(OMPI_OSC_UCP_CAUSES == sizeof(cause_pvars) / sizeof(cause_pvars[0]), "a cause has no variable");

/** The time in fences that is not split by cause yet. */
static unsigned long long fenced_ns(const ompi_osc_ucp_causes_t *causes)
{
    unsigned long long ns = 0;
    int                i;

    for (i = 0; i < causes->fences; i++) {
        ns += (unsigned long long) causes->fenced[i].ns;
    }
    return ns;
}

/** 0 without osc_ucp_report 2. */
static int cause_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const struct cause_pvar_t   *wanted = pvar->ctx;
    const ompi_osc_ucp_window_t *window = window_of(object);
    unsigned long long           ns     = 0;
    int                          call;

    for (call = 0; NULL != window && NULL != window->causes && call < OMPI_OSC_UCP_CALLED_COUNT; call++) {
        ns += (unsigned long long) window->causes->sums.times[call][wanted->cause];
    }
    if (OMPI_OSC_UCP_CAUSE_FENCE == wanted->cause && NULL != window && NULL != window->causes) {
        ompi_osc_ucp_enter(); /* the array may move */
        ns += fenced_ns(window->causes);
        ompi_osc_ucp_leave();
    }
    *(unsigned long long *) value = ns;
    return OMPI_SUCCESS;
}

/** A counter of the process. */
static const struct process_pvar_t {
    const char              *name;
    mca_base_var_info_lvl_t  level;
    uint64_t               (*value)(void);
    const char              *help;
} process_pvars[] = {
    { "service_wakeups", OPAL_INFO_LVL_5, opal_common_ucp_service_wakeups,
      "how often the thread that answers other processes woke up" },
    { "connections", OPAL_INFO_LVL_5, opal_common_ucp_connections,
      "connections to other processes that this one has opened; they stay open until MPI_Finalize" },
    { "replies", OPAL_INFO_LVL_5, ompi_osc_ucp_replies_sent, "messages in which this process has answered others" },
    { "messages_refused", OPAL_INFO_LVL_5, ompi_osc_ucp_messages_refused,
      "messages, and parts of them, that were wrong and not executed: damaged, from no process of the job, for no "
      "window, outside its memory" },
    { "packets_taken", OPAL_INFO_LVL_9, ompi_osc_ucp_fastboxes_taken,
      "small requests of other processes that were handed to this one in shared memory, while it waited in MPI" },
    { "domain_trespasses", OPAL_INFO_LVL_9, ompi_osc_ucp_domain_trespasses,
      "accumulates that were the network's to do, done by a processor: always 0" },
};

static int process_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const struct process_pvar_t *wanted = pvar->ctx;

    (void) object;
    *(unsigned long long *) value = wanted->value();
    return OMPI_SUCCESS;
}

static int error_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    (void) pvar;
    (void) object;
    ompi_osc_ucp_explained(value);
    return OMPI_SUCCESS;
}

static int error_notify(mca_base_pvar_t *pvar, mca_base_pvar_event_t event, void *object, int *count)
{
    (void) pvar;
    (void) object;
    if (MCA_BASE_PVAR_HANDLE_BIND == event) {
        *count = OMPI_OSC_UCP_EXPLAINED_MAX;
    }
    return OMPI_SUCCESS;
}

/** The text that says why the last call failed. */
static int error_register(const mca_base_component_t *component)
{
    return mca_base_component_pvar_register(component, "error", "why the last call on a window that failed did so: one "
                                            "line of text, for programs whose error handlers return",
                                            OPAL_INFO_LVL_3, MCA_BASE_PVAR_CLASS_GENERIC, MCA_BASE_VAR_TYPE_STRING,
                                            NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
                                            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, error_value,
                                            NULL, error_notify, NULL);
}

/** Register a counter of windows. */
static int window_register(const mca_base_component_t *component, const char *name, const char *help,
                           mca_base_get_value_fn_t value, const void *row)
{
    return mca_base_component_pvar_register(component, name, help, OPAL_INFO_LVL_5, MCA_BASE_PVAR_CLASS_COUNTER,
                                            MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_MPI_WIN,
                                            MCA_BASE_PVAR_FLAG_READONLY, value, NULL, window_notify, (void *) row);
}

int ompi_osc_ucp_pvars_register(const mca_base_component_t *component, ompi_osc_base_module_free_fn_t free)
{
    size_t i;
    int    rc;

    our_free = free;
    for (i = 0; i < sizeof(window_pvars) / sizeof(window_pvars[0]); i++) {
        rc = window_register(component, window_pvars[i].name, window_pvars[i].help, window_value, &window_pvars[i]);
        if (rc < 0) {
            return rc;
        }
    }
    for (i = 0; i < sizeof(cause_pvars) / sizeof(cause_pvars[0]); i++) {
        rc = window_register(component, cause_pvars[i].name, cause_pvars[i].help, cause_value, &cause_pvars[i]);
        if (rc < 0) {
            return rc;
        }
    }
    for (i = 0; i < sizeof(process_pvars) / sizeof(process_pvars[0]); i++) {
        rc = mca_base_component_pvar_register(component, process_pvars[i].name, process_pvars[i].help,
                                              process_pvars[i].level, MCA_BASE_PVAR_CLASS_COUNTER,
                                              MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
                                              MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS,
                                              process_value, NULL, NULL, (void *) &process_pvars[i]);
        if (rc < 0) {
            return rc;
        }
    }
    ompi_osc_ucp_events_register(component);
    rc = error_register(component);
    return rc < 0 ? rc : OMPI_SUCCESS;
}
