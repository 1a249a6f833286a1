/* Accesses to the own memory, of all processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An origin numbers its epochs of MPI_Win_start for this target, and this process its calls of MPI_Win_post for that
 * origin: the same numbers belong together. An access may be known before its MPI_Win_post. It is held until then.
 */

#include "check/arrived.h"

#include <stdlib.h>

#include "check/local.h"
#include "check/order.h"
#include "check/store.h"

/** Posts for an origin whose exposure epochs are remembered. A power of 2. */
#define POSTS 8u

/** Posts for an origin. */
typedef struct posts_t {
    uint32_t n;
    uint32_t exposure[POSTS]; /**< of the own exposure epochs, by number of the post modulo POSTS */
} posts_t;

struct ompi_osc_ucp_arrived_t {
    ompi_osc_ucp_window_t *window;
    ompi_osc_ucp_store_t  *stores[2]; /**< by number of the epoch modulo 2; those of locks are in the first */
    posts_t               *posts;     /**< by rank; NULL before the first */
    uint32_t               exposures; /**< so far */
    ompi_osc_ucp_access_t *held;      /**< malloc'd */
    uint32_t               n, room, size;
};

ompi_osc_ucp_arrived_t *ompi_osc_ucp_arrived_new(ompi_osc_ucp_window_t *window, uint32_t size)
{
    ompi_osc_ucp_arrived_t *arrived = calloc(1, sizeof(*arrived));

    if (NULL == arrived) {
        return NULL;
    }
    arrived->window    = window;
    arrived->size      = size;
    arrived->stores[0] = ompi_osc_ucp_store_new(size);
    arrived->stores[1] = ompi_osc_ucp_store_new(size);
    if (NULL == arrived->stores[0] || NULL == arrived->stores[1]) {
        ompi_osc_ucp_arrived_free(arrived);
        return NULL;
    }
    return arrived;
}

void ompi_osc_ucp_arrived_free(ompi_osc_ucp_arrived_t *arrived)
{
    if (NULL != arrived) {
        ompi_osc_ucp_store_free(arrived->stores[0]);
        ompi_osc_ucp_store_free(arrived->stores[1]);
        free(arrived->posts);
        free(arrived->held);
        free(arrived);
    }
}

/** Is it certain that nothing in the program orders two accesses of two processes? A lock may be granted, and an unlock
 *  begin to wait, long after the call: so nothing is certain of two epochs that an exclusive lock keeps apart. */
static bool unordered(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two)
{
    if (OMPI_OSC_UCP_LOCAL_NOT != one->local || OMPI_OSC_UCP_LOCAL_NOT != two->local) {
        return OMPI_OSC_UCP_LOCAL_NOT != one->local ? ompi_osc_ucp_local_unordered(one, two)
                                                    : ompi_osc_ucp_local_unordered(two, one);
    }
    if (one->origin == two->origin || (one->within != two->within)) {
        return false;
    }
    switch (one->within) {
    case OMPI_OSC_UCP_WITHIN_FENCES:
    case OMPI_OSC_UCP_WITHIN_START:
        return one->number == two->number;
    case OMPI_OSC_UCP_WITHIN_SHARED:
        return ompi_osc_ucp_access_meet(one, two) ||
               ompi_osc_ucp_clock_unordered(&ompi_osc_ucp_check_clock, &one->stamp, &two->stamp);
    default:
        return false;
    }
}

/** Does the window say that only accumulates with the same operation meet, not even MPI_NO_OP? */
static bool denied(const ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *one,
                   const ompi_osc_ucp_access_t *two)
{
    return window->same_op && one->op != two->op && 0 != one->op && 0 != two->op;
}

static void look(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access, void *context)
{
    ompi_osc_ucp_window_t *window = context;
    int64_t                first, end;

    if (unordered(found, access) &&
        (!ompi_osc_ucp_access_agree(found, access) || denied(window, found, access)) &&
        ompi_osc_ucp_access_overlap(found, access, &first, &end)) {
        if (OMPI_OSC_UCP_LOCAL_NOT != found->local) {
            ompi_osc_ucp_local_tell(window, found, access, first, end);
        } else if (OMPI_OSC_UCP_LOCAL_NOT != access->local) {
            ompi_osc_ucp_local_tell(window, access, found, first, end);
        } else {
            ompi_osc_ucp_access_tell(window, found, access, first, end);
        }
    }
}

/** Where accesses of the same epoch are. */
static ompi_osc_ucp_store_t *store_of(const ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access)
{
    return arrived->stores[access->within <= OMPI_OSC_UCP_WITHIN_START ? access->number % 2 : 0];
}

static void compare(ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access)
{
    ompi_osc_ucp_store_t *store = store_of(arrived, access);

    ompi_osc_ucp_store_find(store, access, look, arrived->window);
    ompi_osc_ucp_store_add(store, access);
}

void ompi_osc_ucp_arrived_find(const ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access,
                               void (*look_at)(const ompi_osc_ucp_access_t *found, const ompi_osc_ucp_access_t *access,
                                               void *context), void *context)
{
    ompi_osc_ucp_store_find(store_of(arrived, access), access, look_at, context);
}

bool ompi_osc_ucp_arrived_each(const ompi_osc_ucp_arrived_t *arrived,
                               void (*look_at)(const ompi_osc_ucp_access_t *access, void *context), void *context)
{
    bool whole = ompi_osc_ucp_store_each(arrived->stores[0], look_at, context);

    return ompi_osc_ucp_store_each(arrived->stores[1], look_at, context) && whole && 0 == arrived->n;
}

uint32_t ompi_osc_ucp_arrived_exposure(const ompi_osc_ucp_arrived_t *arrived)
{
    return arrived->exposures;
}

/** Keep an access until its MPI_Win_post. */
static void hold(ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access)
{
    ompi_osc_ucp_access_t *more;

    if (arrived->n == arrived->room && arrived->room < arrived->size) {
        more = realloc(arrived->held, (2 * (size_t) arrived->room + 64) * sizeof(*more));
        if (NULL != more) {
            arrived->held = more;
            arrived->room = 2 * arrived->room + 64;
        }
    }
    if (arrived->n < arrived->room) {
        arrived->held[arrived->n++] = *access;
    }
}

/** An access in an epoch of MPI_Win_start. */
static void started_add(ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access)
{
    const posts_t        *posts = NULL == arrived->posts ? NULL : &arrived->posts[access->origin];
    ompi_osc_ucp_access_t known = *access;

    if (NULL == posts || access->number > posts->n) {
        hold(arrived, access);
    } else if (posts->n - access->number < POSTS) {
        known.number = posts->exposure[access->number % POSTS];
        compare(arrived, &known);
    }
}

void ompi_osc_ucp_arrived_add(ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_access_t *access)
{
    if (OMPI_OSC_UCP_WITHIN_START == access->within && OMPI_OSC_UCP_LOCAL_NOT == access->local) {
        started_add(arrived, access);
    } else {
        compare(arrived, access);
    }
}

void ompi_osc_ucp_arrived_post(ompi_osc_ucp_arrived_t *arrived, const int *ranks, int n)
{
    uint32_t held = arrived->n, i;
    posts_t *posts;

    if (NULL == arrived->posts) {
        arrived->posts = calloc((size_t) arrived->window->size, sizeof(*arrived->posts));
    }
    if (NULL == arrived->posts) {
        return;
    }
    arrived->exposures++;
    for (i = 0; i < (uint32_t) n; i++) {
        posts = &arrived->posts[ranks[i]];
        posts->exposure[++posts->n % POSTS] = arrived->exposures;
    }
    arrived->n = 0;
    for (i = 0; i < held; i++) { /* those that are held again move down */
        started_add(arrived, &arrived->held[i]);
    }
}

void ompi_osc_ucp_arrived_fence(ompi_osc_ucp_arrived_t *arrived, uint32_t fences)
{
    ompi_osc_ucp_store_clear(arrived->stores[fences % 2]);
}

void ompi_osc_ucp_arrived_wait(ompi_osc_ucp_arrived_t *arrived)
{
    ompi_osc_ucp_store_clear(arrived->stores[arrived->exposures % 2]);
}
