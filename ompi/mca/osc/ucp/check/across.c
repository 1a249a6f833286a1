/* Windows that have memory in common: operations on the same bytes by two of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Epochs and locks of one window order nothing of another one. So two operations conflict if both were pending at the
 * same time, in whatever epochs (MPI-3.1 section 11.2.1). As soon as windows have memory in common, the accesses of all
 * windows are kept together, by address. A window's number stands in place of the epoch's.
 */

#include "check/across.h"

#include "base/params.h"
#include "check/memory.h"
#include "check/store.h"
#include "op/op.h"

/** Of the accesses that are kept. The mutex guards the store. */
static pthread_mutex_t       mutex = PTHREAD_MUTEX_INITIALIZER;
static ompi_osc_ucp_store_t *store; /**< NULL: no windows have had memory in common; atomic */

void ompi_osc_ucp_across_exposed(ompi_osc_ucp_window_t *window, void *base, size_t size)
{
    uintptr_t first = (uintptr_t) base;
    uint32_t  kept  = ompi_osc_ucp_params.check_records < 16 ? 16 : (uint32_t) ompi_osc_ucp_params.check_records;

    if (0 == size || !ompi_osc_ucp_check_overlaps(window, first, first + size)) {
        return;
    }
    ompi_osc_ucp_check_lock(&mutex);
    if (NULL == store) {
        __atomic_store_n(&store, ompi_osc_ucp_store_new(kept), __ATOMIC_RELEASE);
    }
    ompi_osc_ucp_check_unlock(&mutex);
}

static bool updates_atomically(const ompi_osc_ucp_access_t *access)
{
    return OMPI_OSC_UCP_DOES_ACCUMULATE == access->does && OMPI_OSC_UCP_OP_NO_OP != access->op;
}

/** Two accesses by two windows that have bytes in common. Both are by address. */
static void across_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *one,
                        const ompi_osc_ucp_access_t *two, int64_t first, int64_t end)
{
    int64_t                base  = (int64_t) (uintptr_t) window->base;
    ompi_osc_ucp_access_t  moved[2];
    ompi_osc_ucp_finding_t finding = {
        .kind   = ompi_osc_ucp_access_kind(one, two),
        .text   = "two windows have memory in common, and nothing orders two operations on the same bytes",
        .target = window->rank, .bytes = true, .first = first - base, .end = end - base, .n = 2,
        .why    = "both were pending at the same time; no call for one window orders operations of the other one",
        .cure   = "complete the first one, and then have a message or MPI_Barrier before the second"
    };
    int                    i;

    for (i = 0; i < 2; i++) {
        ompi_osc_ucp_access_copy(&moved[i], 0 == i ? one : two);
        moved[i].runs.first -= base;
        finding.access[i]    = ompi_osc_ucp_access_told(&moved[i]);
    }
    ompi_osc_ucp_check_tell(window, &finding);
}

static void look(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access, void *context)
{
    int64_t first, end;

    if (found->number != access->number && ompi_osc_ucp_access_meet(found, access) &&
        (!ompi_osc_ucp_access_agree(found, access) || (updates_atomically(found) && updates_atomically(access))) &&
        ompi_osc_ucp_access_overlap(found, access, &first, &end)) {
        across_tell(context, found, access, first, end);
    }
}

void ompi_osc_ucp_across_add(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *access)
{
    ompi_osc_ucp_access_t moved;

    if (NULL == __atomic_load_n(&store, __ATOMIC_ACQUIRE) || OMPI_OSC_UCP_LOCAL_NOT != access->local) {
        return;
    }
    ompi_osc_ucp_access_copy(&moved, access);
    moved.runs.first += (int64_t) (uintptr_t) window->base; /* which is 0 of a dynamic window */
    moved.target      = 0;
    moved.number      = (uint32_t) window->id;
    ompi_osc_ucp_check_lock(&mutex);
    ompi_osc_ucp_store_find(store, &moved, look, window);
    ompi_osc_ucp_store_add(store, &moved);
    ompi_osc_ucp_check_unlock(&mutex);
}
