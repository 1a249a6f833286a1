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

static int survive_up(ompi_osc_ucp_creation_t *creation, int rc)
{
    (void) rc;
    return ompi_osc_ucp_survive_begin(creation->window);
}

static void withdraw(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_target_withdraw(window->target);
}

static const stage_t stages[] = {
    { info_up, info_down, LOCAL },
    { ompi_osc_ucp_common_agree, NULL, COLLECTIVE },
    { ompi_osc_ucp_segment_up, ompi_osc_ucp_segment_down, COLLECTIVE },
    { transport_up, transport_down, LOCAL },
    { device_up, NULL, LOCAL },
    { service_up, service_down, LOCAL },
    { ompi_osc_ucp_procs_agree, NULL, MEETING },
    { memory_up, memory_down, LOCAL },
    { target_up, target_down, LOCAL },
    { domain_up, NULL, LOCAL },
    { survive_up, ompi_osc_ucp_survive_end, LOCAL },
    { ompi_osc_ucp_publish_agree, withdraw, COLLECTIVE }
};

#define STAGES ((int) (sizeof(stages) / sizeof(stages[0])))

/** The stage that makes the segment. It and those behind it may be done in another way. */
enum { SEGMENT = 2 };

void ompi_osc_ucp_stages_down(ompi_osc_ucp_window_t *window, unsigned standing)
{
    int i;

    for (i = STAGES - 1; i >= 0; i--) {
        if (0 != (standing >> i & 1) && NULL != stages[i].down) {
            stages[i].down(window);
        }
    }
}

/** Collective. `why` is the error of a stage at this process, or OMPI_SUCCESS if only others failed. */
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
    /* A fatal error at one process ends the others: not before the one that knows the reason has printed it. */
    (void) ompi_osc_ucp_agree(creation->comm, OMPI_SUCCESS);
}

static bool stage_runs(const stage_t *stage, const ompi_osc_ucp_creation_t *creation, int rc)
{
    switch (stage->together) {
    case LOCAL:
        return OMPI_SUCCESS == rc && OMPI_OSC_UCP_AGAIN_NOT == creation->again;
    case MEETING:
        return needs_transport(creation->window) && !creation->open;
    default:
        return true;
    }
}

/** Undo the stages that went the way which some member cannot go. Returns those that still stand. */
static unsigned way_undo(ompi_osc_ucp_creation_t *creation, unsigned standing)
{
    const unsigned before = (1u << SEGMENT) - 1;

    ompi_osc_ucp_enter();
    ompi_osc_ucp_stages_down(creation->window, standing & ~before & ~(1u << SEGMENT));
    ompi_osc_ucp_segment_again(creation);
    ompi_osc_ucp_leave();
    free(creation->reason);
    creation->reason = NULL;
    return standing & before;
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
        } else if (OMPI_OSC_UCP_AGAIN_NOT != creation->again) {
            standing = way_undo(creation, standing);
            rc       = OMPI_SUCCESS;
            i        = SEGMENT - 1;
        } else if (LOCAL != stages[i].together) {
            why = OMPI_ERROR == rc ? why : rc; /* OMPI_ERROR: another process failed */
            break;
        }
        why = rc;
    }
    ompi_osc_ucp_segment_discard(creation->offered);
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
    int                     rc       = ompi_osc_ucp_common_agree(&creation, OMPI_ERR_OUT_OF_RESOURCE);

    creation_failed(&creation, OMPI_ERR_OUT_OF_RESOURCE);
    return rc;
}
