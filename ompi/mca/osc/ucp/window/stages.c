/* The stages that make a window, in order, each with its reverse.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Creation is collective. A local stage may fail on one process alone. The next collective stage agrees on the outcome,
 * so that creation fails on all processes or on none.
 */

#include "window/stages.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/params.h"
#include "base/wait.h"
#include "layer/layer.h"
#include "memory/limits.h"
#include "message/message.h"
#include "peer/explain.h"
#include "peer/proc.h"
#include "reach/reach.h"
#include "report/trace.h"
#include "service/target.h"

/** How a stage runs. */
typedef enum together_t {
    LOCAL,      /**< only if the stages before it have succeeded here */
    COLLECTIVE, /**< always; it fails on all processes or on none */
    MEETING     /**< the same, but not at all in windows whose members have met before, or need not meet */
} together_t;

/** One stage. `rc` is the outcome of the stages before it. */
typedef struct stage_t {
    int  (*up)(ompi_osc_ucp_creation_t *creation, int rc);
    void (*down)(ompi_osc_ucp_window_t *window); /**< undoes it; NULL: there is nothing to undo */
    together_t together;
} stage_t;

/** The next window id that this process proposes; atomic. */
static int64_t next_id = 1;

/* The stages. */

static int info_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    const ompi_osc_ucp_window_t *window = creation->window;

    (void) rc;
    if (window->bytes < 0 || (uintptr_t) window->base + (uintptr_t) window->bytes < (uintptr_t) window->base) {
        (void) asprintf(&creation->reason, "a size of %" PRId64 " bytes at %p is negative, or ends behind the last "
                        "address", window->bytes, window->base);
        return MPI_ERR_SIZE;
    }
    if (window->disp_unit <= 0) {
        /* Open MPI does not check it in MPI_Win_allocate_shared. */
        (void) asprintf(&creation->reason, "disp_unit is %" PRId64 ", and must be positive",
                        window->disp_unit);
        return MPI_ERR_DISP;
    }
    if (0 != ompi_osc_ucp_params.survive && MPI_WIN_FLAVOR_SHARED == window->flavor && window->size > 1) {
        creation->reason = strdup("with osc_ucp_survive there is no MPI_Win_allocate_shared, as nobody gives back what "
                                  "a dead process holds in shared memory: use MPI_Win_allocate");
        return OMPI_ERR_RMA_SHARED;
    }
    return ompi_osc_ucp_info_init(creation->window, creation->info);
}

static void info_down(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_info_untell(window->win);
}

/** Does the window send messages, or may it? */
static bool needs_transport(const ompi_osc_ucp_window_t *window)
{
    return window->size > 1 && !window->lean;
}

static int transport_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    char *reason  = NULL;
    int   started = OMPI_SUCCESS;

    (void) rc;
    if (needs_transport(creation->window)) {
        if (OPAL_SUCCESS != opal_common_ucp_service_cpus(ompi_osc_ucp_params.service_cpus)) {
            creation->outside = true;
            (void) asprintf(&creation->reason, "osc_ucp_service_cpus is '%s': it must be 'all', 'program' or a list of "
                            "processors that this node has and the job may use, such as 0-3,8",
                            ompi_osc_ucp_params.service_cpus);
            return OMPI_ERR_BAD_PARAM;
        }
        ompi_osc_ucp_enter();
        started = ompi_osc_ucp_messages_open(&reason);
        ompi_osc_ucp_leave();
        opal_common_ucp_reserve_fill();
        if (OMPI_SUCCESS == started) {
            ompi_osc_ucp_progress_need();
        } else if (NULL != reason) {
            creation->outside = true;
            (void) asprintf(&creation->reason, "%s, or run without osc/ucp: --mca osc ^ucp", reason);
        }
        free(reason);
    }
    return started;
}

static void transport_down(ompi_osc_ucp_window_t *window)
{
    if (needs_transport(window)) {
        ompi_osc_ucp_progress_release();
    }
}

/** Buffers and window memory may be in device memory, which the processor must not touch. */
static int device_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;

    (void) rc;
    if (opal_common_ucp_devices->exist() && !ompi_osc_ucp_devices_serve(window)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    window->device = window->bytes > 0 && NULL != window->base && opal_common_ucp_on_device(window->base);
    if (window->device && 1 == window->size) {
        creation->reason = strdup("it has one process, which cannot reach memory of a GPU: give it the host's, "
                                  "and copy");
        return OMPI_ERR_BAD_PARAM;
    }
    return OMPI_SUCCESS;
}

/** May peers send messages to this process while it computes? */
static bool needs_service(const ompi_osc_ucp_window_t *window)
{
    switch (ompi_osc_ucp_params.async_progress) {
    case OMPI_OSC_UCP_ASYNC_NEVER:
        return false;
    case OMPI_OSC_UCP_ASYNC_ALWAYS:
        return needs_transport(window);
    default: /* without locks a target ends each epoch by a call of its own; shared windows send no messages */
        return needs_transport(window) && !window->no_locks && MPI_WIN_FLAVOR_SHARED != window->flavor;
    }
}

static int service_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    (void) rc;
    rc = OMPI_SUCCESS;
    if (needs_service(creation->window)) {
        rc = opal_common_ucp_service_need();
        creation->window->served = OMPI_SUCCESS == rc;
        if (OMPI_SUCCESS != rc) {
            creation->outside = true;
            creation->reason  = strdup("no thread or event descriptor for the service side");
        }
    }
    return rc;
}

static void service_down(ompi_osc_ucp_window_t *window)
{
    if (window->served) {
        opal_common_ucp_service_release();
    }
}

/** Is UCX open, and are all members' addresses known? */
static bool procs_known(const ompi_osc_ucp_window_t *window)
{
    bool known;

    ompi_osc_ucp_enter();
    known = opal_common_ucp_is_open() && ompi_osc_ucp_procs_known(window->group);
    ompi_osc_ucp_leave();
    return known;
}

/** What a process tells the others of the outcome of its stages, for a maximum: 0 if they have succeeded. */
static int64_t outcome(const ompi_osc_ucp_window_t *window, int rc)
{
    return OMPI_SUCCESS == rc ? 0 : window->size - window->rank;
}

/** The outcome of all, as their maximum tells. */
static int outcome_agreed(ompi_osc_ucp_creation_t *creation, int64_t all, int rc)
{
    const ompi_osc_ucp_window_t *window = creation->window;

    if (0 == all) {
        return OMPI_SUCCESS;
    }
    creation->failed = (int) (window->size - all);
    creation->mute   = window->rank != creation->failed;
    return OMPI_SUCCESS == rc ? OMPI_ERROR : rc;
}

/** The maxima of what all processes tell. Collective. */
static int maxima(ompi_communicator_t *comm, const int64_t *mine, int64_t *all, int n)
{
    return comm->c_coll->coll_allreduce(mine, all, n, MPI_INT64_T, MPI_MAX, comm, comm->c_coll->coll_allreduce_module);
}

/** Do processes of the window share processors, as far as Open MPI knows? Not where calls are watched: the notices of
 *  rounds tell who is missing. */
static bool crowded(const ompi_osc_ucp_window_t *window)
{
    return opal_progress_yield_when_idle && window->size > 2 && !ompi_osc_ucp_watched_wanted();
}

/**
 * Agree: have the stages so far succeeded, can the window be lean, do its processes share processors, do all members
 * have the same size and unit, how do they lie on nodes, must the memory be contiguous and how is it aligned, do they
 * all have UCX open, does one want a report or compare clocks, do all check the program, how many notification counters
 * have room, and which id comes next. Info keys may differ: a segment has one plan for all members.
 */
static int common_agree(ompi_osc_ucp_creation_t *creation, int rc)
{
    enum { FAILED, HEAVY, ROOMY, SIZE_MAX_, SIZE_MIN_, UNIT_MAX_, UNIT_MIN_, NODE_MAX, NODE_MIN, CONTIGUOUS, ALIGNMENT,
           UNKNOWN, REPORT, CLOCKS, UNCHECKED, COUNTERS, ID, COUNT };
    ompi_osc_ucp_window_t *window = creation->window;
    int64_t                mine[COUNT], all[COUNT];

    mine[FAILED]     = outcome(window, rc);
    mine[HEAVY]      = OMPI_SUCCESS != rc || !ompi_osc_ucp_lean_possible(window, creation->comm);
    mine[ROOMY]      = !crowded(window);
    mine[SIZE_MAX_]  = window->bytes;
    mine[SIZE_MIN_]  = -window->bytes;
    mine[UNIT_MAX_]  = window->disp_unit;
    mine[UNIT_MIN_]  = -window->disp_unit;
    mine[NODE_MAX]   = OMPI_SUCCESS == rc ? ompi_osc_ucp_nodes_seen(window) : 0;
    mine[NODE_MIN]   = -mine[NODE_MAX];
    mine[CONTIGUOUS] = !window->noncontig;
    mine[ALIGNMENT]  = (int64_t) window->alignment;
    mine[UNKNOWN]    = OMPI_SUCCESS == rc && !procs_known(window);
    mine[REPORT]     = ompi_osc_ucp_params.report;
    mine[CLOCKS]     = ompi_osc_ucp_trace_clock_wanted(creation->comm);
    mine[UNCHECKED]  = 0 == ompi_osc_ucp_params.check || 0 != ompi_osc_ucp_params.survive;
    mine[COUNTERS]   = window->counters_max;
    mine[ID]         = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);

    if (OMPI_SUCCESS != maxima(creation->comm, mine, all, COUNT)) {
        return OMPI_ERROR;
    }
    window->lean              = 0 == all[HEAVY];
    window->crowded           = 0 == all[HEAVY] && 0 == all[ROOMY];
    window->uniform_bytes     = all[SIZE_MAX_] == -all[SIZE_MIN_] ? window->bytes : -1;
    window->uniform_disp_unit = all[UNIT_MAX_] == -all[UNIT_MIN_] ? window->disp_unit : -1;
    ompi_osc_ucp_nodes_set(window, all[NODE_MAX], -all[NODE_MIN]);
    window->noncontig         = 0 == all[CONTIGUOUS];
    window->alignment         = (size_t) all[ALIGNMENT];
    window->counters_max      = (uint32_t) all[COUNTERS];
    window->id                = (uint64_t) all[ID];
    creation->open            = 0 == all[UNKNOWN];
    creation->report          = (int) all[REPORT];
    creation->clocks          = 0 != all[CLOCKS];
    creation->check           = 0 == all[UNCHECKED];
    return outcome_agreed(creation, all[FAILED], rc);
}

/** Agree whether all have opened UCX, and have all know all addresses. */
static int procs_agree(ompi_osc_ucp_creation_t *creation, int rc)
{
    enum { FAILED, UNKNOWN, COUNT };
    ompi_osc_ucp_window_t *window = creation->window;
    int64_t                mine[COUNT], all[COUNT];

    mine[FAILED]  = outcome(window, rc);
    mine[UNKNOWN] = OMPI_SUCCESS == rc && !procs_known(window);
    if (OMPI_SUCCESS != maxima(creation->comm, mine, all, COUNT)) {
        return OMPI_ERROR;
    }
    rc = outcome_agreed(creation, all[FAILED], rc);
    return OMPI_SUCCESS == rc && 0 != all[UNKNOWN] ? ompi_osc_ucp_procs_exchange(creation->comm) : rc;
}

static int memory_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;
    const char            *reason;

    if (NULL != window->segment) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_memory_register(window, &creation->unregistered);
    rc     = ompi_osc_ucp_memory_allocate(window);
    reason = ompi_osc_ucp_block_unreachable(&window->block);
    if (NULL == creation->unregistered && NULL != reason) {
        creation->unregistered = strdup(reason);
    }
    if (OMPI_SUCCESS != rc) {
        creation->reason = ompi_osc_ucp_memory_shortage(MPI_WIN_FLAVOR_ALLOCATE == window->flavor
                                                            ? (uint64_t) window->bytes
                                                            : sizeof(*window->control));
        ompi_osc_ucp_memory_free(window);
    }
    return rc;
}

static void memory_down(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_memory_free(window);
}

static int target_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    (void) rc;
    creation->window->target = ompi_osc_ucp_target_new(creation->window);
    return NULL == creation->window->target ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

static void target_down(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_target_free(window->target);
    window->target = NULL;
}

/** The local part of the decision for a domain; publish_agree decides. */
static int domain_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    (void) rc;
    ompi_osc_ucp_enter();
    creation->nic = ompi_osc_ucp_domain_possible(creation->window);
    ompi_osc_ucp_leave();
    return OMPI_SUCCESS;
}

/** Print one line in a process, not one for each window. Called at the first rank whose memory it is. */
static void explain_unregistered(const ompi_osc_ucp_creation_t *creation)
{
    static bool explained;

    if (!__atomic_exchange_n(&explained, true, __ATOMIC_RELAXED)) {
        opal_output(0, "osc/ucp: a window's memory at rank %d is reached by messages, which is slower, because the "
                       "network cannot register it: %s",
                    creation->window->rank, creation->unregistered);
    }
}

static int survive_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    (void) rc;
    return ompi_osc_ucp_survive_begin(creation->window);
}

static void withdraw(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_target_withdraw(window->target);
}

/** From now on propose only ids that are larger than `id`. */
static void id_used(uint64_t id)
{
    int64_t *next_p = &next_id;
    int64_t  next   = __atomic_load_n(next_p, __ATOMIC_RELAXED);

    while (next <= (int64_t) id &&
           !__atomic_compare_exchange_n(next_p, &next, (int64_t) id + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        continue;
    }
}

/**
 * Let messages reach the window at all members, by an id that is free at all of them. Threads that create windows at
 * the same time may have agreed on the same id; they try the next one. On success all members can be reached.
 */
static int publish_agree(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;
    ompi_communicator_t   *comm   = creation->comm;
    enum { OUTCOME, NEXT_ID, NO_NIC, UNREGISTERED, COUNT };
    enum { PUBLISHED, TAKEN, FAILED };
    int64_t                mine[COUNT], all[COUNT];

    mine[NO_NIC]       = !creation->nic;
    mine[UNREGISTERED] = NULL == creation->unregistered ? 0 : window->size - window->rank;

    for (;;) {
        if (OMPI_SUCCESS == rc || OMPI_EXISTS == rc) {
            rc = ompi_osc_ucp_target_publish(window->target, window->id);
        }
        id_used(window->id);
        mine[OUTCOME] = OMPI_SUCCESS == rc ? PUBLISHED
                                           : OMPI_EXISTS == rc ? TAKEN : FAILED + window->size - window->rank;
        mine[NEXT_ID] = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
        if (OMPI_SUCCESS != maxima(comm, mine, all, COUNT)) {
            all[OUTCOME] = FAILED + window->size - window->rank;
        }
        if (PUBLISHED == all[OUTCOME]) {
            window->nic = 0 == all[NO_NIC];
            ompi_osc_ucp_reach_begin(window);
            __atomic_store_n(&window->target->nic, window->nic, __ATOMIC_RELAXED);
            if (0 != all[UNREGISTERED] && all[UNREGISTERED] == mine[UNREGISTERED]) {
                explain_unregistered(creation);
            }
            return OMPI_SUCCESS;
        }
        if (PUBLISHED == mine[OUTCOME]) {
            ompi_osc_ucp_target_withdraw(window->target);
        }
        if (FAILED <= all[OUTCOME]) {
            creation->failed = (int) (FAILED + window->size - all[OUTCOME]);
            return FAILED <= mine[OUTCOME] ? rc : OMPI_ERROR;
        }
        window->id = (uint64_t) all[NEXT_ID];
    }
}

static const stage_t stages[] = {
    { info_up, info_down, LOCAL },
    { common_agree, NULL, COLLECTIVE },
    { ompi_osc_ucp_segment_up, ompi_osc_ucp_segment_down, COLLECTIVE },
    { transport_up, transport_down, LOCAL },
    { device_up, NULL, LOCAL },
    { service_up, service_down, LOCAL },
    { procs_agree, NULL, MEETING },
    { memory_up, memory_down, LOCAL },
    { target_up, target_down, LOCAL },
    { domain_up, NULL, LOCAL },
    { survive_up, ompi_osc_ucp_survive_end, LOCAL },
    { publish_agree, withdraw, COLLECTIVE }
};

#define STAGES ((int) (sizeof(stages) / sizeof(stages[0])))

void ompi_osc_ucp_stages_down(ompi_osc_ucp_window_t *window, unsigned standing)
{
    int i;

    for (i = STAGES - 1; i >= 0; i--) {
        if (0 != (standing >> i & 1) && NULL != stages[i].down) {
            stages[i].down(window);
        }
    }
}

/** `why` is the error of a stage at this process, or OMPI_SUCCESS if only others failed. */
static void creation_failed(const ompi_osc_ucp_creation_t *creation, int why)
{
    const ompi_errhandler_t *handler = creation->comm->error_handler;
    const char              *reason  = NULL != creation->reason ? creation->reason : ompi_osc_ucp_error_text(why);
    char                     other[40];

    if (creation->mute || OMPI_SUCCESS == why) {
        handler = &ompi_mpi_errors_return.eh;
        snprintf(other, sizeof(other), "rank %d of it failed", creation->failed);
        reason = OMPI_SUCCESS == why ? other : reason;
    } else if (creation->outside) {
        handler = &ompi_mpi_errors_are_fatal.eh;
    }
    ompi_osc_ucp_explain(handler, "%s cannot create a window of %d processes: %s",
                         ompi_osc_ucp_flavor_call(creation->window->flavor), creation->window->size,
                         reason);
}

static bool stage_runs(const stage_t *stage, const ompi_osc_ucp_creation_t *creation, int rc)
{
    switch (stage->together) {
    case LOCAL:
        return OMPI_SUCCESS == rc;
    case MEETING:
        return needs_transport(creation->window) && !creation->open;
    default:
        return true;
    }
}

int ompi_osc_ucp_stages_up(ompi_osc_ucp_creation_t *creation)
{
    unsigned standing = 0;
    int      rc = OMPI_SUCCESS, why = OMPI_SUCCESS, i;

    for (i = 0; i < STAGES; i++) {
        if (!stage_runs(&stages[i], creation, rc)) {
            continue;
        }
        rc = stages[i].up(creation, rc);
        if (OMPI_SUCCESS == rc) {
            standing |= 1u << i;
        } else if (LOCAL != stages[i].together) {
            why = OMPI_ERROR == rc ? why : rc; /* OMPI_ERROR: another process failed */
            break;
        }
        why = rc;
    }
    if (OMPI_SUCCESS != rc) {
        creation_failed(creation, why);
        ompi_osc_ucp_enter();
        ompi_osc_ucp_stages_down(creation->window, standing);
        ompi_osc_ucp_leave();
    }
    return rc;
}

int ompi_osc_ucp_stages_absent(ompi_communicator_t *comm, int flavor)
{
    ompi_osc_ucp_window_t   absent   = { .rank = ompi_comm_rank(comm), .size = ompi_comm_size(comm), .flavor = flavor };
    ompi_osc_ucp_creation_t creation = { .comm = comm, .window = &absent };
    int                     rc       = common_agree(&creation, OMPI_ERR_OUT_OF_RESOURCE);

    creation_failed(&creation, OMPI_ERR_OUT_OF_RESOURCE);
    return rc;
}
