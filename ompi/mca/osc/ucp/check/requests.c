/* Requests of checked windows: each stands for the one of its operation, and is complete when a later call that makes
 * progress sees that the operation is.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Most operations on one node are complete at once. The program cannot know that before it asks, by MPI_Wait or by
 * MPI_Request_get_status, and all such calls make progress.
 */

#include "check/requests.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/threads.h"
#include "opal/runtime/opal_progress.h"
#include "peer/pending.h"

typedef struct ompi_osc_ucp_stand_in_t stand_in_t;

/** A request that the program has, and the operation's own. */
struct ompi_osc_ucp_stand_in_t {
    stand_in_t                  *next;
    ompi_osc_ucp_window_t       *window;
    ompi_request_t              *request, *own;
    ompi_osc_ucp_check_done_fn_t done;
};

/** Those that are not complete. Guarded by the mutex; the count may be read without. */
static struct {
    pthread_mutex_t mutex;
    stand_in_t     *first, **end;
    int             n;
    bool            registered; /**< `requests_progress` */
} all = { .mutex = PTHREAD_MUTEX_INITIALIZER, .end = &all.first };

/** Take the one at `at`, if there is one. Under the mutex. */
static stand_in_t *taken(stand_in_t **at)
{
    stand_in_t *found = *at;

    if (NULL != found) {
        *at = found->next;
        if (NULL == *at) {
            all.end = at;
        }
        __atomic_store_n(&all.n, all.n - 1, __ATOMIC_RELAXED);
    }
    return found;
}

/** Take the first one whose operation is complete; NULL: there is none. */
static stand_in_t *completed_take(void)
{
    stand_in_t **at = &all.first, *found;

    pthread_mutex_lock(&all.mutex);
    while (NULL != *at && !REQUEST_COMPLETE((*at)->own)) {
        at = &(*at)->next;
    }
    found = taken(at);
    pthread_mutex_unlock(&all.mutex);
    return found;
}

/** The operation is complete: so is the program's request. */
static void complete(stand_in_t *stand_in)
{
    int status = stand_in->own->req_status.MPI_ERROR;

    stand_in->done(stand_in->window, stand_in->request);
    (void) ompi_request_free(&stand_in->own);
    ompi_osc_ucp_enter();
    ompi_osc_ucp_request_complete(stand_in->request, status, NULL);
    ompi_osc_ucp_leave();
    free(stand_in);
}

/** The callback of opal_progress. Nobody calls that inside the origin side. */
static int requests_progress(void)
{
    stand_in_t *stand_in;
    int         events = 0;

    while (__atomic_load_n(&all.n, __ATOMIC_RELAXED) > 0 && NULL != (stand_in = completed_take())) {
        complete(stand_in);
        events++;
    }
    return events;
}

ompi_osc_ucp_stand_in_t *ompi_osc_ucp_check_request_new(ompi_osc_ucp_window_t *window, ompi_request_t **request_p,
                                                        ompi_osc_ucp_check_done_fn_t done)
{
    stand_in_t     *stand_in = malloc(sizeof(*stand_in));
    ompi_request_t *request  = ompi_osc_ucp_request_new(window);

    if (NULL == stand_in || NULL == request) {
        free(stand_in);
        ompi_osc_ucp_request_discard(request);
        return NULL;
    }
    *stand_in  = (stand_in_t) { NULL, window, request, *request_p, done };
    *request_p = request;
    return stand_in;
}

void ompi_osc_ucp_check_request_begin(ompi_osc_ucp_stand_in_t *stand_in)
{
    pthread_mutex_lock(&all.mutex);
    *all.end = stand_in;
    all.end  = &stand_in->next;
    __atomic_store_n(&all.n, all.n + 1, __ATOMIC_RELAXED);
    if (!all.registered) {
        all.registered = true;
        (void) opal_progress_register(requests_progress);
    }
    pthread_mutex_unlock(&all.mutex);
}

/** Take the next one of a window, whether its operation is complete or not. */
static stand_in_t *window_take(const ompi_osc_ucp_window_t *window)
{
    stand_in_t **at = &all.first, *found;

    pthread_mutex_lock(&all.mutex);
    while (NULL != *at && window != (*at)->window) {
        at = &(*at)->next;
    }
    found = taken(at);
    pthread_mutex_unlock(&all.mutex);
    return found;
}

void ompi_osc_ucp_check_requests_end(ompi_osc_ucp_window_t *window)
{
    stand_in_t *stand_in;

    while (NULL != (stand_in = window_take(window))) {
        if (REQUEST_COMPLETE(stand_in->own)) {
            complete(stand_in);
        } else {
            free(stand_in); /* the window is lost; the program's request is never complete */
        }
    }
}

void ompi_osc_ucp_check_requests_fini(void)
{
    if (all.registered) {
        (void) opal_progress_unregister(requests_progress);
        all.registered = false;
    }
}
