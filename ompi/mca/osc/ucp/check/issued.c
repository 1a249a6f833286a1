/* Pending accesses of this process.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/issued.h"

#include <stdlib.h>
#include <string.h>

#include "check/order.h"
#include "check/store.h"

typedef struct pending_t {
    ompi_osc_ucp_access_t access;
    const ompi_request_t *request; /**< of an R call; else NULL */
} pending_t;

/** How often an operation was the same, in what is ready. */
typedef struct repeated_t {
    ompi_osc_ucp_site_t site;
    int32_t             target;
    int64_t             first;
    uint32_t            times;
} repeated_t;

#define REPEATED       64u /**< operations whose repeats are counted; a power of 2 */
#define REPEATED_WHOLE 16u /**< so many are all told; then fewer and fewer: programs poll */

struct ompi_osc_ucp_issued_t {
    ompi_osc_ucp_window_t *window;
    ompi_osc_ucp_store_t  *store;   /**< of what is pending, to find it */
    pending_t             *pending; /**< in the order of the calls */
    uint32_t               n, size;
    ompi_osc_ucp_access_t *ready;   /**< malloc'd */
    uint32_t               readies, room;
    repeated_t             repeated[REPEATED]; /**< by call site and place */
};

ompi_osc_ucp_issued_t *ompi_osc_ucp_issued_new(ompi_osc_ucp_window_t *window, uint32_t size)
{
    ompi_osc_ucp_issued_t *issued = calloc(1, sizeof(*issued));

    if (NULL == issued) {
        return NULL;
    }
    issued->window  = window;
    issued->size    = size;
    issued->store   = ompi_osc_ucp_store_new(size);
    issued->pending = calloc(size, sizeof(*issued->pending));
    if (NULL == issued->store || NULL == issued->pending) {
        ompi_osc_ucp_issued_free(issued);
        return NULL;
    }
    return issued;
}

void ompi_osc_ucp_issued_free(ompi_osc_ucp_issued_t *issued)
{
    if (NULL != issued) {
        ompi_osc_ucp_store_free(issued->store);
        free(issued->pending);
        free(issued->ready);
        free(issued);
    }
}

/** The store has all that is pending, unless it has forgotten. One process's accumulates of one type have an order. */
static void look(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access, void *context)
{
    ompi_osc_ucp_window_t *window = context;
    int64_t                first, end;

    if (found->target == access->target && !ompi_osc_ucp_access_agree(found, access) &&
        !(ompi_osc_ucp_access_alike(found, access) && !window->unordered) &&
        ompi_osc_ucp_access_overlap(found, access, &first, &end)) {
        ompi_osc_ucp_access_tell(window, found, access, first, end);
    }
}

bool ompi_osc_ucp_issued_add(ompi_osc_ucp_issued_t *issued, const ompi_osc_ucp_access_t *parts, int n,
                             const ompi_request_t *request)
{
    int i;

    for (i = 0; i < n; i++) {
        ompi_osc_ucp_store_find(issued->store, &parts[i], look, issued->window);
    }
    if ((uint32_t) n > issued->size - issued->n) {
        ompi_osc_ucp_check_leaves("osc/ucp: check: more operations are pending than osc_ucp_check_records, so that "
                                  "some are not compared");
        return false;
    }
    for (i = 0; i < n; i++) {
        ompi_osc_ucp_store_add(issued->store, &parts[i]);
        ompi_osc_ucp_access_copy(&issued->pending[issued->n].access, &parts[i]);
        issued->pending[issued->n++].request = request;
    }
    return true;
}

/** Is it worth to tell the owner of the memory of an access, after many that were the same? */
static bool worth(ompi_osc_ucp_issued_t *issued, const ompi_osc_ucp_access_t *access)
{
    uint32_t    slot = (access->site.offset ^ (uint32_t) access->runs.first / 4 ^ (uint32_t) access->target) % REPEATED;
    repeated_t *one  = &issued->repeated[slot];

    if (!ompi_osc_ucp_site_same(one->site, access->site) || one->target != access->target ||
        one->first != access->runs.first) {
        *one = (repeated_t) { .site = access->site, .target = access->target, .first = access->runs.first };
    }
    one->times++;
    return one->times <= REPEATED_WHOLE || 0 == (one->times & (one->times - 1));
}

/** It is complete: whoever owns the memory may compare it. One for which memory is short is forgotten. */
static void ready_add(ompi_osc_ucp_issued_t *issued, const ompi_osc_ucp_access_t *access, uint64_t now)
{
    ompi_osc_ucp_access_t *more;

    if (!worth(issued, access)) {
        return;
    }
    if (issued->readies == issued->room) {
        more = realloc(issued->ready, (2 * (size_t) issued->room + 64) * sizeof(*more));
        if (NULL == more) {
            return;
        }
        memset(more + issued->room, 0, (issued->room + 64) * sizeof(*more)); /* it is sent with what is not copied */
        issued->ready = more;
        issued->room  = 2 * issued->room + 64;
    }
    ompi_osc_ucp_access_copy(&issued->ready[issued->readies], access);
    issued->ready[issued->readies].stamp.step = ompi_osc_ucp_check_step();
    issued->ready[issued->readies++].finish   = now;
}

/** Does a call that completes locally complete an operation, as it brings data? */
static bool brings(const ompi_osc_ucp_access_t *access)
{
    return OMPI_OSC_UCP_DOES_READ == access->does || OMPI_OSC_UCP_CALLED_GET_ACCUMULATE == access->call ||
           OMPI_OSC_UCP_CALLED_RGET_ACCUMULATE == access->call || OMPI_OSC_UCP_CALLED_FETCH_AND_OP == access->call ||
           OMPI_OSC_UCP_CALLED_COMPARE_AND_SWAP == access->call;
}

/** Keep the first `n` as pending, after the rest has moved to them. */
static void pending_keep(ompi_osc_ucp_issued_t *issued, uint32_t n)
{
    uint32_t i;

    if (n == issued->n) {
        return;
    }
    issued->n = n;
    ompi_osc_ucp_store_clear(issued->store);
    for (i = 0; i < n; i++) {
        ompi_osc_ucp_store_add(issued->store, &issued->pending[i].access);
    }
}

void ompi_osc_ucp_issued_complete(ompi_osc_ucp_issued_t *issued, int target, uint64_t now, bool local)
{
    const pending_t *one;
    uint32_t         i, kept = 0;

    for (i = 0; i < issued->n; i++) {
        one = &issued->pending[i];
        if ((target < 0 || target == one->access.target) && (!local || brings(&one->access))) {
            ready_add(issued, &one->access, now);
        } else {
            issued->pending[kept++] = *one;
        }
    }
    pending_keep(issued, kept);
}

void ompi_osc_ucp_issued_done(ompi_osc_ucp_issued_t *issued, const ompi_request_t *request, uint64_t now)
{
    const pending_t *one;
    uint32_t         i, kept = 0;

    for (i = 0; i < issued->n; i++) {
        one = &issued->pending[i];
        if (request == one->request && brings(&one->access)) {
            ready_add(issued, &one->access, now);
        } else {
            issued->pending[kept]           = *one;
            issued->pending[kept++].request = request == one->request ? NULL : one->request;
        }
    }
    pending_keep(issued, kept);
}

uint32_t ompi_osc_ucp_issued_ready(const ompi_osc_ucp_issued_t *issued)
{
    return issued->readies;
}

static int by_number(const void *left, const void *right)
{
    const uint64_t *one = left, *two = right;

    return (*one > *two) - (*one < *two);
}

/** A copy, sorted by target; the accesses are long, so their numbers are sorted. NULL: memory is short. */
static ompi_osc_ucp_access_t *sorted(const ompi_osc_ucp_access_t *ready, uint32_t n)
{
    uint64_t              *order = malloc(n * sizeof(*order));
    ompi_osc_ucp_access_t *copy  = calloc(n, sizeof(*copy));
    uint32_t               i;

    for (i = 0; NULL != order && NULL != copy && i < n; i++) {
        order[i] = (uint64_t) ready[i].target << 32 | i;
    }
    if (NULL != order && NULL != copy) {
        qsort(order, n, sizeof(*order), by_number);
        for (i = 0; i < n; i++) {
            ompi_osc_ucp_access_copy(&copy[i], &ready[(uint32_t) order[i]]);
        }
    } else {
        free(copy);
        copy = NULL;
    }
    free(order);
    return copy;
}

ompi_osc_ucp_access_t *ompi_osc_ucp_issued_take(ompi_osc_ucp_issued_t *issued, uint32_t *n_p)
{
    ompi_osc_ucp_access_t *taken = sorted(issued->ready, issued->readies);

    *n_p            = NULL == taken ? 0 : issued->readies;
    issued->readies = 0;
    memset(issued->repeated, 0, sizeof(issued->repeated));
    return taken;
}
