/* The life of a window: its stages, in order, and their mirror.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Creation is collective. A stage may fail on one process alone; whether to go on is agreed where the next stage is
 * collective, so that all processes undo the same stages.
 */

#include "osc_ucp_check.h"

#include <stdlib.h>

#include "path/am_target.h"

/** The call that creates a window. */
typedef struct creation_t {
    ompi_osc_ucp_window_t *window;
    ompi_communicator_t   *comm;
    opal_info_t           *info;
    char                  *reason; /**< why the transport does not start, malloc'd */
    bool                   report; /**< some member wants a report */
    bool                   nic;    /**< this process can have accumulates in the NIC domain */
    char                  *unregistered; /**< why the memory cannot be registered, malloc'd */
} creation_t;

/** `up` gets the outcome of the stages before it: a local stage runs only if that is OMPI_SUCCESS, a collective one
 *  always, and returns what all processes agree on. */
typedef struct stage_t {
    int  (*up)(creation_t *creation, int rc);
    void (*down)(ompi_osc_ucp_window_t *window); /**< NULL: leaves nothing behind */
    bool collective;
} stage_t;

int ompi_osc_ucp_agree(ompi_communicator_t *comm, int rc)
{
    int lowest = OMPI_ERROR;
    int failed = comm->c_coll->coll_allreduce(&rc, &lowest, 1, MPI_INT, MPI_MIN, comm,
                                              comm->c_coll->coll_allreduce_module);

    return OMPI_SUCCESS != failed ? failed : lowest;
}

/* The stages. */

static int info_up(creation_t *creation, int rc)
{
    (void) rc;
    if (creation->window->disp_unit <= 0) {
        return MPI_ERR_DISP; /* Open MPI does not look in MPI_Win_allocate_shared */
    }
    if (0 != mca_osc_ucp_component.survive && MPI_WIN_FLAVOR_SHARED == creation->window->flavor &&
        creation->window->size > 1) {
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

static int transport_up(creation_t *creation, int rc)
{
    int started = OMPI_SUCCESS;

    (void) rc;
    if (creation->window->size > 1) { /* alone, a process needs no transport */
        if (OPAL_SUCCESS != opal_common_ucp_service_cpus(mca_osc_ucp_component.service_cpus)) {
            (void) asprintf(&creation->reason, "osc_ucp_service_cpus is '%s': it must be 'all', 'program' or a list of "
                            "processors such as 0-3,8", mca_osc_ucp_component.service_cpus);
            return OMPI_ERR_BAD_PARAM;
        }
        ompi_osc_ucp_enter();
        started = ompi_osc_ucp_start_transport(&creation->reason);
        ompi_osc_ucp_leave();
        opal_common_ucp_reserve_fill();
        if (OMPI_SUCCESS == started) {
            __atomic_fetch_add(&mca_osc_ucp_component.windows, 1, __ATOMIC_RELAXED);
        }
    }
    return started;
}

static void transport_down(ompi_osc_ucp_window_t *window)
{
    if (window->size > 1) {
        __atomic_fetch_sub(&mca_osc_ucp_component.windows, 1, __ATOMIC_RELAXED);
    }
}

/** Buffers, and the window's own memory, may be in memory that the processor must not touch. */
static int device_up(creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;

    (void) rc;
    if (opal_common_ucp_devices->exist()) {
        ompi_osc_ucp_devices_serve(window);
    }
    window->device = window->bytes > 0 && NULL != window->base && ompi_osc_ucp_on_device(window->base);
    if (window->device && 1 == window->size) {
        creation->reason = strdup("it has one process, which cannot reach memory of a GPU: give it the host's, and copy");
        return OMPI_ERR_BAD_PARAM;
    }
    return OMPI_SUCCESS;
}

/** May others want something of this process while it computes? */
static bool needs_service(const ompi_osc_ucp_window_t *window)
{
    switch (mca_osc_ucp_component.async_progress) {
    case OMPI_OSC_UCP_ASYNC_NEVER:
        return false;
    case OMPI_OSC_UCP_ASYNC_ALWAYS:
        return window->size > 1;
    default: /* without locks, a target is inside MPI when an epoch ends; shared windows need no messages */
        return window->size > 1 && !window->no_locks && MPI_WIN_FLAVOR_SHARED != window->flavor;
    }
}

static int service_up(creation_t *creation, int rc)
{
    (void) rc;
    rc = OMPI_SUCCESS;
    if (needs_service(creation->window)) {
        rc = opal_common_ucp_service_need();
        creation->window->served = OMPI_SUCCESS == rc;
        if (OMPI_SUCCESS != rc) {
            creation->reason = strdup("no thread or event descriptor for the service side");
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

/** One line per job, from the first process that failed. */
static void complain(const creation_t *creation)
{
    if (NULL != creation->reason) {
        opal_output(0, "osc/ucp cannot create a window: %s, or run without osc/ucp: --mca osc ^ucp",
                    creation->reason);
    }
}

static bool procs_known(const ompi_osc_ucp_window_t *window)
{
    bool known;

    ompi_osc_ucp_enter();
    known = ompi_osc_ucp_procs_known(window->group);
    ompi_osc_ucp_leave();
    return known;
}

/**
 * What all must know before the window can be made: did the stages so far succeed, what do the members have in
 * common, are addresses missing, which id is free. One allreduce of maxima.
 */
static int common_agree(creation_t *creation, int rc)
{
    enum { FAILED, SIZE_MAX_, SIZE_MIN_, UNIT_MAX_, UNIT_MIN_, UNKNOWN, REPORT, ID, COUNT };
    ompi_osc_ucp_window_t *window = creation->window;
    ompi_communicator_t   *comm   = creation->comm;
    int64_t                mine[COUNT], all[COUNT];

    mine[FAILED]    = OMPI_SUCCESS == rc ? 0 : window->size - window->rank;
    mine[SIZE_MAX_] = window->bytes;
    mine[SIZE_MIN_] = -window->bytes;
    mine[UNIT_MAX_] = window->disp_unit;
    mine[UNIT_MIN_] = -window->disp_unit;
    mine[UNKNOWN]   = OMPI_SUCCESS == rc && window->size > 1 && !procs_known(window);
    mine[REPORT]    = mca_osc_ucp_component.report;
    mine[ID]        = __atomic_fetch_add(&mca_osc_ucp_component.next_id, 1, __ATOMIC_RELAXED);

    if (OMPI_SUCCESS != comm->c_coll->coll_allreduce(mine, all, COUNT, MPI_INT64_T, MPI_MAX, comm,
                                                     comm->c_coll->coll_allreduce_module)) {
        return OMPI_ERROR;
    }
    if (0 != all[FAILED]) {
        if (all[FAILED] == mine[FAILED]) {
            complain(creation);
        }
        return OMPI_SUCCESS == rc ? OMPI_ERROR : rc;
    }
    window->uniform_bytes     = all[SIZE_MAX_] == -all[SIZE_MIN_] ? window->bytes : -1;
    window->uniform_disp_unit = all[UNIT_MAX_] == -all[UNIT_MIN_] ? window->disp_unit : -1;
    window->id                = (uint64_t) all[ID];
    creation->report          = 0 != all[REPORT];
    return 0 != all[UNKNOWN] ? ompi_osc_ucp_procs_exchange(comm) : OMPI_SUCCESS;
}

static int memory_up(creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;
    const char            *reason;

    if (MPI_WIN_FLAVOR_SHARED == window->flavor) {
        return ompi_osc_ucp_segment_share(window, creation->comm);
    }
    ompi_osc_ucp_memory_register(window, &creation->unregistered);
    rc     = ompi_osc_ucp_memory_allocate(window);
    reason = ompi_osc_ucp_block_unreachable(&window->block);
    if (NULL == creation->unregistered && NULL != reason) {
        creation->unregistered = strdup(reason);
    }
    return rc;
}

static void memory_down(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_memory_free(window);
    ompi_osc_ucp_segment_free(window);
}

static int target_up(creation_t *creation, int rc)
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

/** The local part of a decision that is agreed with the next stage. */
static int domain_up(creation_t *creation, int rc)
{
    (void) rc;
    ompi_osc_ucp_enter();
    creation->nic = ompi_osc_ucp_domain_possible(creation->window);
    ompi_osc_ucp_leave();
    return OMPI_SUCCESS;
}

/** One line per job, from the first process whose memory it is, and not for each of a program's windows. */
static void explain_unregistered(const creation_t *creation)
{
    static bool explained;

    if (!__atomic_exchange_n(&explained, true, __ATOMIC_RELAXED)) {
        opal_output(0, "osc/ucp: a window's memory at rank %d is reached by messages, which is slower, because the "
                       "network cannot register it: %s",
                    creation->window->rank, creation->unregistered);
    }
}

static int survive_up(creation_t *creation, int rc)
{
    (void) rc;
    return ompi_osc_ucp_survive_begin(creation->window);
}

static void withdraw(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_target_withdraw(window->target);
}

/** Ids larger than one in use will be proposed from here on. */
static void id_used(uint64_t id)
{
    int64_t *next_p = &mca_osc_ucp_component.next_id;
    int64_t  next   = __atomic_load_n(next_p, __ATOMIC_RELAXED);

    while (next <= (int64_t) id &&
           !__atomic_compare_exchange_n(next_p, &next, (int64_t) id + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        continue;
    }
}

/**
 * Let messages in, on all processes, under an id that is free on all: threads that create windows at the same time
 * may have agreed on the same one, and try again. `rc` is the outcome so far. When this returns, all can be reached.
 */
static int publish_agree(creation_t *creation, int rc)
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
        mine[OUTCOME] = OMPI_SUCCESS == rc ? PUBLISHED : OMPI_EXISTS == rc ? TAKEN : FAILED;
        mine[NEXT_ID] = __atomic_fetch_add(&mca_osc_ucp_component.next_id, 1, __ATOMIC_RELAXED);
        if (OMPI_SUCCESS != comm->c_coll->coll_allreduce(mine, all, COUNT, MPI_INT64_T, MPI_MAX, comm,
                                                         comm->c_coll->coll_allreduce_module)) {
            all[OUTCOME] = FAILED;
        }
        if (PUBLISHED == all[OUTCOME]) {
            window->nic = 0 == all[NO_NIC];
            __atomic_store_n(&window->target->nic, window->nic, __ATOMIC_RELAXED);
            if (0 != all[UNREGISTERED] && all[UNREGISTERED] == mine[UNREGISTERED]) {
                explain_unregistered(creation);
            }
            return OMPI_SUCCESS;
        }
        if (PUBLISHED == mine[OUTCOME]) {
            ompi_osc_ucp_target_withdraw(window->target);
        }
        if (FAILED == all[OUTCOME]) {
            return FAILED == mine[OUTCOME] ? rc : OMPI_ERROR;
        }
        window->id = (uint64_t) all[NEXT_ID];
    }
}

static const stage_t stages[] = {
    { info_up, info_down, false },
    { transport_up, transport_down, false },
    { device_up, NULL, false },
    { service_up, service_down, false },
    { common_agree, NULL, true },
    { memory_up, memory_down, false },
    { target_up, target_down, false },
    { domain_up, NULL, false },
    { survive_up, ompi_osc_ucp_survive_end, false },
    { publish_agree, withdraw, true }
};

#define STAGES ((int) (sizeof(stages) / sizeof(stages[0])))

/** Undo the stages that stand (bit i: stage i), last first. */
static void stages_down(ompi_osc_ucp_window_t *window, unsigned standing)
{
    int i;

    for (i = STAGES - 1; i >= 0; i--) {
        if (0 != (standing >> i & 1) && NULL != stages[i].down) {
            stages[i].down(window);
        }
    }
}

static int stages_up(creation_t *creation)
{
    unsigned standing = 0;
    int      rc = OMPI_SUCCESS, i;

    for (i = 0; i < STAGES; i++) {
        if (OMPI_SUCCESS != rc && !stages[i].collective) {
            continue;
        }
        rc = stages[i].up(creation, rc);
        if (OMPI_SUCCESS == rc) {
            standing |= 1u << i;
        } else if (stages[i].collective) {
            break;
        }
    }
    if (OMPI_SUCCESS != rc) {
        stages_down(creation->window, standing);
    }
    return rc;
}

static ompi_osc_ucp_window_t *window_new(ompi_win_t *win, ompi_communicator_t *comm, int flavor)
{
    ompi_osc_ucp_window_t *window = calloc(1, sizeof(*window));

    if (NULL == window) {
        return NULL;
    }
    window->super  = ompi_osc_ucp_module_template;
    window->calls  = &ompi_osc_ucp_module_template;
    window->win    = win;
    window->group  = win->w_group;
    window->rank   = ompi_comm_rank(comm);
    window->size   = ompi_comm_size(comm);
    window->flavor = flavor;
    return window;
}

/** A process without memory for its window takes part in the first agreement, so that the others do not make theirs. */
static int select_in_vain(ompi_communicator_t *comm)
{
    ompi_osc_ucp_window_t absent   = { .rank = ompi_comm_rank(comm), .size = ompi_comm_size(comm) };
    creation_t            creation = { .comm = comm, .window = &absent };

    return common_agree(&creation, OMPI_ERR_OUT_OF_RESOURCE);
}

void ompi_osc_ucp_window_delete(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_peers_free(window);
    free(window->started);
    free(window);
}

int ompi_osc_ucp_select(ompi_win_t *win, void **base, size_t size, int disp_unit, ompi_communicator_t *comm,
                        opal_info_t *info, int flavor, int *model)
{
    creation_t creation = { .comm = comm, .info = info };
    int        rc;

    creation.window = window_new(win, comm, flavor);
    if (NULL == creation.window) {
        return select_in_vain(comm);
    }
    creation.window->base      = MPI_WIN_FLAVOR_CREATE == flavor ? *base : NULL;
    creation.window->bytes     = (int64_t) size;
    creation.window->disp_unit = disp_unit;
    win->w_osc_module          = &creation.window->super;
    rc = stages_up(&creation);
    free(creation.reason);
    free(creation.unregistered);
    if (OMPI_SUCCESS != rc) {
        win->w_osc_module = NULL;
        ompi_osc_ucp_window_delete(creation.window);
        return rc;
    }
    if (MPI_WIN_FLAVOR_ALLOCATE == flavor || MPI_WIN_FLAVOR_SHARED == flavor) {
        *base = creation.window->base;
    }
    if (creation.report && 0 == mca_osc_ucp_component.survive) { /* it would wait for the dead */
        (void) ompi_osc_ucp_report_begin(creation.window, comm);
    }
    *model = MPI_WIN_UNIFIED;
    ompi_osc_ucp_announce(creation.window);
    return OMPI_SUCCESS;
}

/** Nobody may lose the window while another still talks to it (MPI-3.1 section 11.2.5). Unless somebody has died: then
 *  there is nobody to wait for. */
static void window_finish(ompi_osc_ucp_window_t *window)
{
    if (!window->lost) {
        (void) ompi_osc_ucp_complete_all(window);
    }
    if (!window->lost) {
        ompi_osc_ucp_leave();
        ompi_osc_ucp_report_end(window);
        ompi_osc_ucp_enter();
        (void) ompi_osc_ucp_barrier(window, true);
    }
}

int ompi_osc_ucp_free(ompi_win_t *win)
{
    ompi_osc_ucp_window_t *window = ompi_osc_ucp_window(win);
    int                    rc     = OMPI_ERR_RMA_SYNC;
    bool                   lost;

    if (NULL == window) {
        return OMPI_SUCCESS; /* creation failed */
    }
    ompi_osc_ucp_enter();
    lost = ompi_osc_ucp_survive_lost(window);
    if (ompi_osc_ucp_finalizing() && !lost) {
        ompi_osc_ucp_epochs_end(window);
    }
    if (lost || (!window->exposed && ompi_osc_ucp_may_begin(window))) {
        window_finish(window);
        lost = ompi_osc_ucp_survive_lost(window);
        stages_down(window, ~0u);
        win->w_osc_module = NULL;
        if (lost) {
            ompi_osc_ucp_survive_bury(window);
        } else {
            ompi_osc_ucp_window_delete(window);
        }
        rc = OMPI_SUCCESS;
    } else {
        ompi_osc_ucp_info_keep(win);
    }
    ompi_osc_ucp_leave();
    return rc;
}
