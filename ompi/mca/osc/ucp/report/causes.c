/* Report 2: what the members of a window know, added up when it is freed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "report/causes.h"

#include <stdlib.h>

#include "base/params.h"
#include "path/path.h"
#include "peer/peer.h"

/* Fences: whoever was in one for the shortest time came last, and the others waited for it. This needs no clocks that
 * agree. */

/** For how long of a fence, in which this process waited for `late` nanoseconds, want of processors was the reason. */
static uint64_t fence_delay(const ompi_osc_ucp_before_t *last, const ompi_osc_ucp_before_t *mine, uint64_t late)
{
    uint64_t longer = ompi_osc_ucp_work_longer((uint64_t) last->work, (uint64_t) mine->work);

    return ompi_osc_ucp_delay_part(late, longer, (uint64_t) last->delay + (uint64_t) mine->delay);
}

/** Split the time of short fences like one that took `ns`, of which `least` were the fence itself: nobody was long in
 *  them, as they did not poll. */
static void others_split(ompi_osc_ucp_causes_t *causes, uint64_t stands, uint64_t ns, uint64_t least, int rank)
{
    uint64_t itself = 0 == ns ? 0 : (uint64_t) ((double) stands * (double) least / (double) ns);

    ompi_osc_ucp_cause_add(causes, OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_ITSELF, -1, itself);
    ompi_osc_ucp_cause_add(causes, OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_FENCE, rank, stands - itself);
}

/** Split the time of this process's fences. `last` and `used` are of all members; `before` of those who came last, NULL
 *  if no process lacked a processor. */
static void fences_split(ompi_osc_ucp_causes_t *causes, const ompi_osc_ucp_fenced_t *last,
                         const ompi_osc_ucp_before_t *before, const uint8_t *used, int n)
{
    uint64_t ns, least, delay, stands;
    int      i;

    for (i = 0; i < causes->fences; i++) {
        ns     = (uint64_t) causes->fenced[i].ns;
        stands = (uint64_t) causes->stands[i];
        if (i >= n) {
            ompi_osc_ucp_cause_add(causes, OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_UNKNOWN, -1, ns + stands);
            continue;
        }
        least = (uint64_t) last[i].ns < ns ? (uint64_t) last[i].ns : ns;
        delay = NULL == before ? 0 : fence_delay(&before[i], &causes->before[i], ns - least);
        ompi_osc_ucp_cause_add(causes, OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_ITSELF, -1, least);
        ompi_osc_ucp_cause_add(causes, OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_CPU, last[i].rank, delay);
        ompi_osc_ucp_cause_add(causes, OMPI_OSC_UCP_CALLED_FENCE, OMPI_OSC_UCP_CAUSE_FENCE, last[i].rank,
                               ns - least - delay);
        others_split(causes, stands, ns, least, last[i].rank);
        if (i + 1 < n && 0 == used[i] && 0 == used[i + 1]) {
            causes->sums.fences_empty++;
            causes->sums.fences_empty_ns += (int64_t) (ns + stands);
        }
    }
}

/** Have all members know what those did that came last to the first `n` fences. False if the window was lost. */
static bool before_tell(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int n)
{
    ompi_osc_ucp_causes_t *causes = window->causes;
    ompi_osc_ucp_before_t *mine   = causes->last_before + n;
    int                    i;

    for (i = 0; i < n; i++) {
        mine[i] = causes->rank == causes->last_fenced[i].rank ? causes->before[i] : (ompi_osc_ucp_before_t) { 0 };
    }
    return ompi_osc_ucp_reduce(window, comm, mine, causes->last_before, 2 * n, MPI_FLOAT, MPI_SUM, true);
}

/** Have the members compare their first `n` fences, which each has. False if the window was lost; memory of the
 *  accounts may be in use then. */
static bool fences_compare(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int n)
{
    ompi_osc_ucp_causes_t *causes  = window->causes;
    bool                   delayed = false;

    if (n > 0) {
        causes->used[n] = causes->delayed; /* behind those of the fences */
        if (!ompi_osc_ucp_reduce(window, comm, causes->fenced, causes->last_fenced, n, MPI_FLOAT_INT, MPI_MINLOC,
                                 true) ||
            !ompi_osc_ucp_reduce(window, comm, causes->used, causes->last_used, n + 1, MPI_UINT8_T, MPI_MAX, true)) {
            return false;
        }
        delayed = 0 != causes->last_used[n];
    }
    if (delayed && !before_tell(window, comm, n)) {
        return false;
    }
    fences_split(causes, causes->last_fenced, delayed ? causes->last_before : NULL, causes->last_used, n);
    return true;
}

/* Paths. */

/** Why the peer has no load and store; negative: it has. */
static int why(const ompi_osc_ucp_peer_t *peer)
{
    int flavor = peer->window->flavor;

    if (peer->rank == peer->window->rank || (OMPI_OSC_UCP_VIA_DIRECT == peer->path->via && !peer->cma)) {
        return -1;
    }
    if (NULL == peer->control) {
        return peer->known ? OMPI_OSC_UCP_WHY_HOST : -1;
    }
    if (MPI_WIN_FLAVOR_ALLOCATE == flavor || MPI_WIN_FLAVOR_SHARED == flavor) {
        return OMPI_OSC_UCP_WHY_UNMAPPED;
    }
    if (peer->cma) {
        return OMPI_OSC_UCP_WHY_OWN_MEMORY;
    }
    return 0 == ompi_osc_ucp_params.kernel_copy ? OMPI_OSC_UCP_WHY_COPY_OFF : OMPI_OSC_UCP_WHY_COPY_REFUSED;
}

static void paths_count(const ompi_osc_ucp_window_t *window)
{
    const ompi_osc_ucp_peer_t *peer;

    for (peer = window->all_peers; NULL != peer; peer = peer->next) {
        if (why(peer) >= 0) {
            window->causes->sums.why[why(peer)]++;
        }
    }
}

/* Adding up. */

int ompi_osc_ucp_causes_numbers(const ompi_osc_ucp_window_t *window)
{
    return OMPI_OSC_UCP_CAUSES_SUMS + (OMPI_OSC_UCP_CAUSES + 1) * window->size;
}

/** Write this process's numbers. */
static void numbers_write(const ompi_osc_ucp_window_t *window, int64_t *to)
{
    const ompi_osc_ucp_causes_t *causes = window->causes;
    size_t                       whom   = (size_t) OMPI_OSC_UCP_CAUSES * (size_t) window->size;

    memcpy(to, &causes->sums, sizeof(causes->sums));
    memcpy(to + OMPI_OSC_UCP_CAUSES_SUMS, causes->whom, whom * sizeof(*to));
    to[OMPI_OSC_UCP_CAUSES_SUMS + (int64_t) whom + window->rank] = causes->sums.waiting_ns;
}

ompi_osc_ucp_told_t *ompi_osc_ucp_told_make(const ompi_osc_ucp_window_t *window, const int64_t *all)
{
    size_t               size = (size_t) window->size, whom = (OMPI_OSC_UCP_CAUSES + 1) * size;
    ompi_osc_ucp_told_t *told = calloc(1, sizeof(*told));
    int                  rank;

    if (NULL == told) {
        return NULL;
    }
    told->size   = window->size;
    told->flavor = window->flavor;
    told->whom   = malloc(whom * sizeof(*told->whom));
    told->keys   = malloc(size * sizeof(*told->keys));
    if (NULL == told->whom || NULL == told->keys) {
        ompi_osc_ucp_told_free(told);
        return NULL;
    }
    memcpy(&told->sums, all, sizeof(told->sums));
    memcpy(told->whom, all + OMPI_OSC_UCP_CAUSES_SUMS, whom * sizeof(*told->whom));
    told->waiting = told->whom + OMPI_OSC_UCP_CAUSES * size;
    for (rank = 0; rank < window->size; rank++) {
        told->keys[rank] = ompi_osc_ucp_proc_key(window->group, rank);
    }
    return told;
}

bool ompi_osc_ucp_causes_ready(ompi_osc_ucp_window_t *window)
{
    ompi_osc_ucp_causes_t *causes = window->causes;

    causes->last_fenced = malloc((size_t) (causes->fences + 1) * sizeof(*causes->last_fenced));
    causes->last_before = malloc((size_t) (2 * causes->fences + 1) * sizeof(*causes->last_before));
    causes->last_used   = malloc((size_t) causes->fences + 1);
    return NULL != causes->last_fenced && NULL != causes->last_before && NULL != causes->last_used;
}

bool ompi_osc_ucp_causes_end(ompi_osc_ucp_window_t *window, ompi_communicator_t *comm, int fences, int64_t *numbers)
{
    window->causes->sums.life_ns  = (int64_t) (ompi_osc_ucp_ticks_now() - window->causes->begin);
    window->causes->sums.delay_ns = (int64_t) (ompi_osc_ucp_delay_now() - window->causes->delay);
    paths_count(window);
    if (!fences_compare(window, comm, fences)) {
        return false;
    }
    numbers_write(window, numbers);
    return true;
}

void ompi_osc_ucp_told_add(ompi_osc_ucp_told_t **told, ompi_osc_ucp_told_t *more)
{
    int i;

    if (NULL == *told || NULL == more) {
        *told = NULL == *told ? more : *told;
        return;
    }
    for (i = 0; i < OMPI_OSC_UCP_CAUSES_SUMS; i++) {
        ((int64_t *) &(*told)->sums)[i] += ((const int64_t *) &more->sums)[i];
    }
    for (i = 0; i < (OMPI_OSC_UCP_CAUSES + 1) * more->size; i++) {
        (*told)->whom[i] += more->whom[i];
    }
    ompi_osc_ucp_told_free(more);
}

void ompi_osc_ucp_told_free(ompi_osc_ucp_told_t *told)
{
    if (NULL != told) {
        free(told->whom);
        free(told->keys);
        free(told);
    }
}

/* What the text and the rules ask. */

int ompi_osc_ucp_told_culprit(const ompi_osc_ucp_told_t *told, int cause)
{
    const int64_t *whom = told->whom + cause * told->size;
    int            rank, most = -1;

    for (rank = 0; rank < told->size; rank++) {
        if (whom[rank] > (most < 0 ? 0 : whom[most])) {
            most = rank;
        }
    }
    return most;
}

int64_t ompi_osc_ucp_told_cause(const ompi_osc_ucp_told_t *told, int cause)
{
    int64_t sum = 0;
    int     call;

    for (call = 0; call < OMPI_OSC_UCP_CALLED_COUNT; call++) {
        sum += told->sums.times[call][cause];
    }
    return sum;
}

int64_t ompi_osc_ucp_told_operations(const ompi_osc_ucp_told_t *told, int call)
{
    const ompi_osc_ucp_causes_sums_t *sums = &told->sums;

    return 0 == sums->timed[call]
               ? 0
               : (int64_t) ((double) sums->timed_ns[call] / (double) sums->timed[call] * (double) sums->calls[call]);
}
