/* The checker's part for what processes must agree on: epochs of two kinds at one time, regions that are detached while
 * operations are under way, assertions that all or none must give, info keys that all must give.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The target finds the first two, as it is told of all operations on its memory (check/conflicts.c). An operation was
 * under way from its call to the call that completes it. If that is so when the target makes a call of its own, nothing
 * can have ordered the two.
 */

#include "check/conflicts.h"

#include <stdlib.h>

#include "check/arrived.h"
#include "check/memory.h"
#include "check/parts.h"
#include "epoch/epoch.h"

/** Exposure epochs, and regions that were detached, that are remembered. */
#define EXPOSURES 8u
#define REGIONS   16u

/** An exposure epoch of MPI_Win_post, in the clock of this process. */
typedef struct exposure_t {
    uint64_t            from, to; /**< nanoseconds; `to` is UINT64_MAX while it lasts */
    ompi_osc_ucp_site_t site;     /**< of MPI_Win_post */
} exposure_t;

/** Memory that was detached. */
typedef struct region_t {
    int64_t  first, end; /**< addresses */
    uint64_t when;
} region_t;

/** What is kept for a window. The mutex guards all windows. */
typedef struct ompi_osc_ucp_epochs_t {
    uint32_t              fences;       /**< so far */
    ompi_osc_ucp_access_t fenced[2], locked[2], told[2]; /**< by number of the fence modulo 2: an operation between
                                         *   fences, one under a lock, the left neighbour's fence; numbers tell */
    bool                  used[2][3];   /**< which of them there are */
    exposure_t            exposures[EXPOSURES];
    uint32_t              nexposures;
    region_t              regions[REGIONS];
    uint32_t              nregions;
    bool                  size_differs, unit_differs; /**< info keys, or what they say */
} epochs_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static epochs_t *epochs_of(const ompi_osc_ucp_window_t *window)
{
    return NULL == window->check ? NULL : window->check->epochs;
}

static bool is_lock(const ompi_osc_ucp_access_t *access)
{
    return OMPI_OSC_UCP_WITHIN_SHARED == access->within || OMPI_OSC_UCP_WITHIN_EXCLUSIVE == access->within;
}

/* Locks while the memory is exposed. */

/** Keep the first one of a fence's number, and find the other kind of that number. NULL: there is none. */
static const ompi_osc_ucp_access_t *fence_match(epochs_t *epochs, const ompi_osc_ucp_access_t *access)
{
    uint32_t               slot  = access->number % 2;
    int                    lock  = is_lock(access) ? 1 : 0;
    ompi_osc_ucp_access_t *own   = 0 != lock ? &epochs->locked[slot] : &epochs->fenced[slot];
    ompi_osc_ucp_access_t *other = 0 != lock ? &epochs->fenced[slot] : &epochs->locked[slot];

    if (!epochs->used[slot][lock] || own->number != access->number) {
        ompi_osc_ucp_access_copy(own, access);
        epochs->used[slot][lock] = true;
    }
    return epochs->used[slot][1 - lock] && other->number == access->number ? other : NULL;
}

/** An operation between two fences, and one under a lock between the same two. */
static void fence_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *one,
                       const ompi_osc_ucp_access_t *other)
{
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "locked-and-exposed", .text = "memory is locked that fences expose at the same time",
        .target = window->rank, .n = 2, .access = { ompi_osc_ucp_access_told(one), ompi_osc_ucp_access_told(other) },
        .why    = "both are between the same two calls of MPI_Win_fence, one as their operation and one under a lock",
        .cure   = "another MPI_Win_fence between the two ways, with MPI_MODE_NOSUCCEED"
    };

    ompi_osc_ucp_check_tell(window, &finding);
}

/** The exposure epoch of MPI_Win_post in which an operation under a lock was under way; NULL: none. */
static const exposure_t *exposure_match(const epochs_t *epochs, const ompi_osc_ucp_access_t *access)
{
    const exposure_t *exposure;
    uint32_t          i;

    for (i = 0; i < EXPOSURES && i < epochs->nexposures; i++) {
        exposure = &epochs->exposures[i];
        if (access->begin < exposure->to && access->finish > exposure->from) {
            return exposure;
        }
    }
    return NULL;
}

static void exposure_tell(ompi_osc_ucp_window_t *window, const exposure_t *exposure,
                          const ompi_osc_ucp_access_t *access)
{
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "locked-and-exposed", .text = "a process locks memory that MPI_Win_post exposes at the same time",
        .target = window->rank, .n = 2,
        .access = { { .what = ompi_osc_ucp_called_name(OMPI_OSC_UCP_CALLED_POST), .rank = window->rank,
                      .site = exposure->site }, ompi_osc_ucp_access_told(access) },
        .why    = "the operation under the lock was under way between MPI_Win_post and the end of its epoch",
        .cure   = "have the process that locks wait until the exposure epoch has ended, or the other way round"
    };

    ompi_osc_ucp_check_tell(window, &finding);
}

/* Regions that are detached. */

static bool is_detached(const epochs_t *epochs, const ompi_osc_ucp_access_t *access)
{
    ompi_osc_ucp_access_t region = { .target = access->target };
    int64_t               first, end;
    uint32_t              i;

    for (i = 0; i < REGIONS && i < epochs->nregions; i++) {
        region.runs = (ompi_osc_ucp_runs_t) {
            .first = epochs->regions[i].first, .count = 1,
            .len = (uint64_t) (epochs->regions[i].end - epochs->regions[i].first)
        };
        if (access->begin < epochs->regions[i].when && access->finish > epochs->regions[i].when &&
            ompi_osc_ucp_access_overlap(&region, access, &first, &end)) {
            return true;
        }
    }
    return false;
}

static void detached_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *access)
{
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "memory-detached", .text = "memory is detached while an operation on it is not complete",
        .target = window->rank, .n = 1, .access = { ompi_osc_ucp_access_told(access) },
        .why    = "MPI_Win_detach was called between the operation and the call that completes it",
        .cure   = "complete the operation, and tell the process that detaches"
    };

    ompi_osc_ucp_check_tell(window, &finding);
}

static void detaches(ompi_osc_ucp_window_t *window, const void *base)
{
    epochs_t *epochs = epochs_of(window);
    uintptr_t end    = ompi_osc_ucp_check_attached_end(window, (uintptr_t) base);

    if (NULL == epochs || 0 == end) {
        return;
    }
    ompi_osc_ucp_check_lock(&mutex);
    epochs->regions[epochs->nregions++ % REGIONS] = (region_t) {
        .first = (int64_t) (uintptr_t) base, .end = (int64_t) end, .when = opal_common_ucp_now_ns()
    };
    ompi_osc_ucp_check_unlock(&mutex);
}

/* What others tell. */

bool ompi_osc_ucp_epochs_see(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *access)
{
    epochs_t                    *epochs   = epochs_of(window);
    bool                         lock     = is_lock(access), detached, word = OMPI_OSC_UCP_CALLED_FENCE == access->call;
    const ompi_osc_ucp_access_t *other    = NULL;
    const exposure_t            *exposure = NULL;

    if (NULL == epochs || (!word && !lock && 0 == epochs->nregions &&
                           OMPI_OSC_UCP_WITHIN_FENCES != access->within)) {
        return !word;
    }
    ompi_osc_ucp_check_lock(&mutex);
    if (word) {
        ompi_osc_ucp_access_copy(&epochs->told[access->number % 2], access);
        epochs->used[access->number % 2][2] = true;
    } else if (access->number > 0 && OMPI_OSC_UCP_WITHIN_START != access->within) {
        other = fence_match(epochs, access);
    }
    exposure = lock ? exposure_match(epochs, access) : NULL;
    detached = !word && is_detached(epochs, access);
    ompi_osc_ucp_check_unlock(&mutex);
    if (NULL != other) {
        fence_tell(window, other, access);
    }
    if (NULL != exposure) {
        exposure_tell(window, exposure, access);
    }
    if (detached) {
        detached_tell(window, access);
    }
    return !word;
}

void ompi_osc_ucp_conflicts_hide(const ompi_osc_ucp_window_t *window, int target)
{
    ompi_osc_ucp_log_t *log = ompi_osc_ucp_conflicts_log(window);
    int                 rank;

    for (rank = 0; NULL != log && rank < window->size; rank++) {
        if (target < 0 || rank == target) {
            ompi_osc_ucp_log_hide(log, rank);
        }
    }
}

/* Fences. */

/** What all processes of a fence must say alike. */
static uint8_t word_of(int assert)
{
    return (uint8_t) ((0 != (assert & MPI_MODE_NOPRECEDE) ? 1 : 0) | (0 != (assert & MPI_MODE_NOSUCCEED) ? 2 : 0));
}

/** Before a fence: the right neighbour hears of what this process says. Silence says nothing. */
static void fences(const ompi_osc_ucp_check_sync_t *sync, uint32_t number)
{
    ompi_osc_ucp_window_t *window = sync->window;
    ompi_osc_ucp_log_t    *log    = ompi_osc_ucp_conflicts_log(window);
    ompi_osc_ucp_access_t  word   = {
        .number = number, .origin = window->rank, .target = (window->rank + 1) % window->size, .site = sync->site,
        .stamp = { .process = -1 }, .call = (uint8_t) sync->call, .does = OMPI_OSC_UCP_DOES_READ,
        .within = OMPI_OSC_UCP_WITHIN_FENCES, .op = word_of(sync->assert)
    };

    if (NULL != log && 0 != word.op) {
        ompi_osc_ucp_log_append(log, word.target, &word, 1);
    }
}

/** Behind a fence: does the left neighbour say the same? */
static void fenced(const ompi_osc_ucp_check_sync_t *sync, epochs_t *epochs, uint32_t number)
{
    static const char *const texts[] = {
        NULL, "MPI_MODE_NOPRECEDE is given by one process, and not by another", "MPI_MODE_NOSUCCEED is given by one "
        "process, and not by another", "MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED are given by one process, and not by "
        "another"
    };
    ompi_osc_ucp_window_t       *window = sync->window;
    const ompi_osc_ucp_log_t    *log    = ompi_osc_ucp_conflicts_log(window);
    const ompi_osc_ucp_access_t *word   = &epochs->told[number % 2];
    bool                         heard  = epochs->used[number % 2][2] && number == word->number;
    uint8_t                      differ = word_of(sync->assert) ^ (heard ? word->op : 0);
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "assert-lies", .text = texts[differ & 3], .target = -1, .n = 2,
        .access = { { .what = ompi_osc_ucp_called_name(sync->call), .rank = window->rank, .site = sync->site },
                    { .what = ompi_osc_ucp_called_name(sync->call),
                      .rank = (window->rank + window->size - 1) % window->size,
                      .site = heard ? word->site : (ompi_osc_ucp_site_t) { 0, 0 } } },
        .why    = "all processes must give this assertion, or none", .cure = "give it in all processes, or in none"
    };

    if (0 != differ && NULL != log && ompi_osc_ucp_log_whole(log)) {
        ompi_osc_ucp_check_tell(window, &finding);
    }
}

/* What the layer calls. */

/** Exposure begins behind MPI_Win_post, and ends before MPI_Win_wait. */
static void exposed(const ompi_osc_ucp_check_sync_t *sync, epochs_t *epochs)
{
    exposure_t *last = &epochs->exposures[(epochs->nexposures + EXPOSURES - 1) % EXPOSURES];

    if (OMPI_OSC_UCP_CALLED_POST == sync->call && ompi_group_size(sync->group) > 0) {
        epochs->exposures[epochs->nexposures++ % EXPOSURES] = (exposure_t) {
            .from = opal_common_ucp_now_ns(), .to = UINT64_MAX, .site = sync->site
        };
    } else if (OMPI_OSC_UCP_CALLED_POST != sync->call && epochs->nexposures > 0 && UINT64_MAX == last->to) {
        last->to = sync->begin;
    }
}

static void synchronizes(const ompi_osc_ucp_check_sync_t *sync)
{
    const epochs_t *epochs = epochs_of(sync->window);

    if (NULL != epochs && OMPI_OSC_UCP_CALLED_FENCE == sync->call) {
        fences(sync, epochs->fences);
    }
}

static void synchronized(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    epochs_t *epochs = epochs_of(sync->window);

    if (NULL == epochs) {
        return;
    }
    if (OMPI_OSC_UCP_CALLED_FENCE == sync->call && OMPI_ERR_RMA_SYNC != rc) {
        if (OMPI_SUCCESS == rc) {
            fenced(sync, epochs, epochs->fences);
        }
        epochs->fences++;
    } else if (OMPI_SUCCESS == rc && (OMPI_OSC_UCP_CALLED_POST == sync->call ||
                                      OMPI_OSC_UCP_CALLED_WAIT == sync->call ||
                                      (OMPI_OSC_UCP_CALLED_TEST == sync->call && 0 != sync->flag))) {
        ompi_osc_ucp_check_lock(&mutex);
        exposed(sync, epochs);
        ompi_osc_ucp_check_unlock(&mutex);
    }
}

/** After a fence, and after all parts: nobody's operations of the next epoch may begin before all have looked. */
static void fence_ends(const ompi_osc_ucp_check_sync_t *sync, int rc)
{
    if (OMPI_OSC_UCP_CALLED_FENCE == sync->call && OMPI_ERR_RMA_SYNC != rc &&
        NULL != ompi_osc_ucp_conflicts_log(sync->window)) {
        ompi_osc_ucp_enter();
        (void) ompi_osc_ucp_barrier(sync->window, false);
        ompi_osc_ucp_leave();
    }
}

/* The life of a window. */

/** Info keys that are true must be so in all processes, and what they say must be. */
static void keys_compare(const ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, epochs_t *epochs)
{
    uint32_t mine   = (window->same_size ? 1u : 0) | (window->same_disp_unit ? 2u : 0);
    uint32_t own[2] = { mine, ~mine }, all[2];
    bool     sizes  = MPI_WIN_FLAVOR_DYNAMIC != window->flavor;

    if (OMPI_SUCCESS != comm->c_coll->coll_allreduce(own, all, 2, MPI_UINT32_T, MPI_BAND, comm,
                                                     comm->c_coll->coll_allreduce_module) || NULL == epochs) {
        return;
    }
    epochs->size_differs = 0 == (all[1] & 1u) && (0 == (all[0] & 1u) || (sizes && window->uniform_bytes < 0));
    epochs->unit_differs = 0 == (all[1] & 2u) && (0 == (all[0] & 2u) || (sizes && window->uniform_disp_unit < 0));
}

static bool begin(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm)
{
    window->check->epochs = calloc(1, sizeof(epochs_t));
    keys_compare(window, comm, window->check->epochs);
    return NULL != window->check->epochs;
}

static void key_tell(ompi_osc_ucp_window_t *window, const char *text)
{
    const ompi_osc_ucp_finding_t finding = {
        .kind = "info-differs", .text = text, .target = -1,
        .why  = "if a process says so, all must, and it must be true", .cure = "leave out the info key"
    };

    ompi_osc_ucp_check_tell(window, &finding);
}

/** Only now the window has its name. */
static void end(ompi_osc_ucp_window_t *window, bool last)
{
    epochs_t *epochs = epochs_of(window);

    (void) last;
    if (NULL != epochs && 0 == window->rank && epochs->size_differs) {
        key_tell(window, "the info key same_size is true in a process, but not all gave it, or sizes differ");
    }
    if (NULL != epochs && 0 == window->rank && epochs->unit_differs) {
        key_tell(window, "the info key same_disp_unit is true in a process, but not all gave it, or units differ");
    }
    free(epochs);
    window->check->epochs = NULL;
}

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_epochs = {
    .begin        = begin,
    .end          = end,
    .synchronizes = synchronizes,
    .synchronized = synchronized,
    .detaches     = detaches
};

const ompi_osc_ucp_check_part_t ompi_osc_ucp_check_epochs_last = { .synchronized = fence_ends };
