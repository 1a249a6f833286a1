/* What the processes of a window agree on when they make it: by allreduces of constant size.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "window/stages.h"

#include <stdlib.h>
#include <string.h>

#include "base/params.h"
#include "base/threads.h"
#include "base/watched.h"
#include "peer/explain.h"
#include "peer/proc.h"
#include "reach/reach.h"
#include "report/trace.h"
#include "service/target.h"

/** The next window id that this process proposes; atomic. */
static int64_t next_id = 1;

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

/** More than any MPI_WIN_FLAVOR_... */
enum { FLAVORS = 16 };

/** A number for a flavor, of which the maximum is taken, with the lowest rank that tells it. */
static int64_t ranked(const ompi_osc_ucp_window_t *window, int flavor)
{
    return ((int64_t) flavor << 32) + window->size - window->rank;
}

/** Have all called the same function? Else each process knows one that has called another: those whose functions have
 *  the largest and the smallest flavor are in `most` and `least`. */
static int flavors_agreed(ompi_osc_ucp_creation_t *creation, int64_t most, int64_t least, int rc)
{
    const ompi_osc_ucp_window_t *window  = creation->window;
    const int                    largest = (int) (most >> 32), smallest = FLAVORS - (int) (least >> 32);
    const bool                   mine    = largest == window->flavor;

    if (OMPI_SUCCESS != rc || largest == smallest) {
        return rc;
    }
    creation->mute = 0 != window->rank;
    (void) asprintf(&creation->reason, "rank %d of it calls %s, and all must call the same function",
                    window->size - (int) ((mine ? least : most) & INT32_MAX),
                    ompi_osc_ucp_flavor_call(mine ? smallest : largest));
    return OMPI_ERR_RMA_FLAVOR;
}

/**
 * What the first agreement is about: have the stages so far succeeded, have all called the same function, may the
 * window be lean, do its processes share processors, do all members have the same size and unit, how do they lie on
 * nodes, must the memory be contiguous and how is it aligned, do they all have UCX open, does one want a report or
 * compare clocks, do all check the program, how many notification counters have room, have all tried the kernel's
 * copies, which id comes next, and where does rank 0 offer a segment (several numbers). Info keys may differ: a segment
 * has one plan for all members.
 */
enum { FAILED, FLAVOR_MAX, FLAVOR_MIN, HEAVY, ROOMY, SIZE_MAX_, SIZE_MIN_, UNIT_MAX_, UNIT_MIN_, NODE_MAX, NODE_MIN,
       CONTIGUOUS, ALIGNMENT, UNKNOWN, REPORT, CLOCKS, UNCHECKED, COUNTERS, UNTRIED, ID, OFFER,
       COMMON = OFFER + OMPI_OSC_UCP_OFFER_WORDS };

static void common_tell(ompi_osc_ucp_creation_t *creation, int rc, int64_t *mine)
{
    const ompi_osc_ucp_window_t *window = creation->window;
    const ompi_osc_ucp_heavy_t   heavy  = OMPI_SUCCESS == rc ? ompi_osc_ucp_lean_against(window, creation->comm)
                                                             : OMPI_OSC_UCP_HEAVY_APART;
    const bool                   lean   = OMPI_OSC_UCP_HEAVY_NOT == heavy;
    const ompi_osc_ucp_offer_t   offer  = lean ? ompi_osc_ucp_segment_propose(creation) : ompi_osc_ucp_offer_none();

    mine[FAILED]     = outcome(window, rc);
    mine[FLAVOR_MAX] = ranked(window, window->flavor);
    mine[FLAVOR_MIN] = ranked(window, FLAVORS - window->flavor);
    mine[HEAVY]      = heavy;
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
    mine[UNTRIED]    = lean && ompi_osc_ucp_copies_untried(window);
    mine[ID]         = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
    memcpy(mine + OFFER, offer.words, sizeof(offer.words));
}

int ompi_osc_ucp_common_agree(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;
    int64_t                mine[COMMON], all[COMMON];

    common_tell(creation, rc, mine);
    if (OMPI_SUCCESS != maxima(creation->comm, mine, all, COMMON)) {
        return OMPI_ERROR;
    }
    window->heavy             = (ompi_osc_ucp_heavy_t) all[HEAVY];
    window->lean              = OMPI_OSC_UCP_HEAVY_NOT == window->heavy;
    window->crowded           = window->lean && 0 == all[ROOMY];
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
    creation->untried         = 0 != all[UNTRIED];
    memcpy(creation->offer.words, all + OFFER, sizeof(creation->offer.words));
    return flavors_agreed(creation, all[FLAVOR_MAX], all[FLAVOR_MIN], outcome_agreed(creation, all[FAILED], rc));
}

int ompi_osc_ucp_procs_agree(ompi_osc_ucp_creation_t *creation, int rc)
{
    enum { OUTCOME, ADDRESSES, COUNT };
    ompi_osc_ucp_window_t *window = creation->window;
    int64_t                mine[COUNT], all[COUNT];

    mine[OUTCOME]   = outcome(window, rc);
    mine[ADDRESSES] = OMPI_SUCCESS == rc && !procs_known(window);
    if (OMPI_SUCCESS != maxima(creation->comm, mine, all, COUNT)) {
        return OMPI_ERROR;
    }
    rc = outcome_agreed(creation, all[OUTCOME], rc);
    return OMPI_SUCCESS == rc && 0 != all[ADDRESSES] ? ompi_osc_ucp_procs_exchange(creation->comm) : rc;
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

/** All members have published the window, and know all of what they have told. */
static void published(ompi_osc_ucp_creation_t *creation, bool nic, bool explains)
{
    ompi_osc_ucp_window_t *window = creation->window;

    window->nic = nic;
    ompi_osc_ucp_reach_begin(window);
    __atomic_store_n(&window->target->nic, window->nic, __ATOMIC_RELAXED);
    if (explains) {
        explain_unregistered(creation);
    }
}

int ompi_osc_ucp_publish_agree(ompi_osc_ucp_creation_t *creation, int rc)
{
    ompi_osc_ucp_window_t *window = creation->window;
    enum { OUTCOME, NEXT_ID, NO_NIC, UNREGISTERED, AGAIN, COUNT };
    enum { PUBLISHED, TAKEN, REFUSED };
    int64_t                mine[COUNT], all[COUNT];

    mine[NO_NIC]       = !creation->nic;
    mine[UNREGISTERED] = NULL == creation->unregistered ? 0 : window->size - window->rank;
    mine[AGAIN]        = creation->again;
    rc                 = OMPI_OSC_UCP_AGAIN_NOT == creation->again ? rc : OMPI_ERROR;

    for (;;) {
        if (OMPI_SUCCESS == rc || OMPI_EXISTS == rc) {
            rc = ompi_osc_ucp_target_publish(window->target, window->id);
        }
        id_used(window->id);
        mine[OUTCOME] = OMPI_SUCCESS == rc ? PUBLISHED
                                           : OMPI_EXISTS == rc ? TAKEN : REFUSED + window->size - window->rank;
        mine[NEXT_ID] = __atomic_fetch_add(&next_id, 1, __ATOMIC_RELAXED);
        if (OMPI_SUCCESS != maxima(creation->comm, mine, all, COUNT)) {
            all[OUTCOME] = REFUSED + window->size - window->rank;
            all[AGAIN]   = OMPI_OSC_UCP_AGAIN_NOT;
        }
        if (PUBLISHED == all[OUTCOME]) {
            published(creation, 0 == all[NO_NIC],
                      0 != all[UNREGISTERED] && all[UNREGISTERED] == mine[UNREGISTERED]);
            return OMPI_SUCCESS;
        }
        if (PUBLISHED == mine[OUTCOME]) {
            ompi_osc_ucp_target_withdraw(window->target);
        }
        creation->again = (ompi_osc_ucp_again_t) all[AGAIN];
        if (REFUSED <= all[OUTCOME]) {
            creation->failed = (int) (REFUSED + window->size - all[OUTCOME]);
            return REFUSED <= mine[OUTCOME] ? rc : OMPI_ERROR;
        }
        window->id = (uint64_t) all[NEXT_ID];
    }
}
