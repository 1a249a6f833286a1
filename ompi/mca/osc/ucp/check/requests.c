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
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "check/report.h"
#include "opal/runtime/opal_progress.h"
#include "peer/pending.h"

typedef struct ompi_osc_ucp_stand_in_t stand_in_t;

/** A request that the program has, and the operation's own. */
struct ompi_osc_ucp_stand_in_t {
    stand_in_t                  *next;    /**< among those that are not complete, or whose `done` is called */
    stand_in_t                  *older, *newer; /**< among those that the program has */
    ompi_osc_ucp_window_t       *window;  /**< NULL: it was freed */
    ompi_request_t              *request, *own;
    ompi_osc_ucp_check_done_fn_t done;
    bool                         pending; /**< it is not complete */
    bool                         freed;   /**< the program does not have it any more */
    ompi_osc_ucp_called_t        call;
    ompi_osc_ucp_site_t          site;
    char                        *name;    /**< of the window that was freed; malloc'd */
    uint64_t                     id;      /**< of that window */
    int                          flavor, rank;
};

/** Guarded by the mutex; the count may be read without. */
static struct {
    pthread_mutex_t mutex;
    stand_in_t     *first, **end; /**< those that are not complete */
    int             n;
    stand_in_t     *finishing;    /**< those whose `done` is called, by any thread */
    stand_in_t     *newest;       /**< those that the program has */
    bool            registered;   /**< `requests_progress` */
} all = { .mutex = PTHREAD_MUTEX_INITIALIZER, .end = &all.first };

/** The function that frees the program's requests; all of ours have the same. */
static ompi_request_free_fn_t request_free;

/** Forget a request that is complete and that the program does not have any more. */
static void forget(stand_in_t *stand_in)
{
    if (!stand_in->pending && stand_in->freed) {
        free(stand_in->name);
        free(stand_in);
    }
}

/** The program frees its request, by MPI_Wait for example. */
static int stand_in_free(ompi_request_t **request_p)
{
    stand_in_t *stand_in = (*request_p)->req_complete_cb_data;

    pthread_mutex_lock(&all.mutex);
    if (NULL != stand_in->newer) {
        stand_in->newer->older = stand_in->older;
    } else {
        all.newest = stand_in->older;
    }
    if (NULL != stand_in->older) {
        stand_in->older->newer = stand_in->newer;
    }
    stand_in->freed = true;
    forget(stand_in);
    pthread_mutex_unlock(&all.mutex);
    return request_free(request_p);
}

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
    if (NULL != found) {
        found->next   = all.finishing;
        all.finishing = found;
    }
    pthread_mutex_unlock(&all.mutex);
    return found;
}

/** `done` has been called. Under the mutex. */
static void finished(const stand_in_t *stand_in)
{
    stand_in_t **at = &all.finishing;

    while (stand_in != *at) {
        at = &(*at)->next;
    }
    *at = stand_in->next;
}

/** Is it called for one of that window? Under the mutex. */
static bool is_finishing(const ompi_osc_ucp_window_t *window)
{
    const stand_in_t *stand_in = all.finishing;

    while (NULL != stand_in && window != stand_in->window) {
        stand_in = stand_in->next;
    }
    return NULL != stand_in;
}

/** The operation is complete: so is the program's request. */
static void complete(stand_in_t *stand_in)
{
    int             status  = stand_in->own->req_status.MPI_ERROR;
    ompi_request_t *request = stand_in->request;

    if (NULL != stand_in->window) {
        stand_in->done(stand_in->window, request);
    }
    (void) ompi_request_free(&stand_in->own);
    pthread_mutex_lock(&all.mutex);
    finished(stand_in);
    stand_in->pending = false;
    forget(stand_in);
    pthread_mutex_unlock(&all.mutex);
    ompi_osc_ucp_enter();
    ompi_osc_ucp_request_complete(request, status, NULL);
    ompi_osc_ucp_leave();
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

ompi_osc_ucp_stand_in_t *ompi_osc_ucp_check_request_new(const ompi_osc_ucp_check_op_t *op,
                                                        ompi_request_t **request_p, ompi_osc_ucp_check_done_fn_t done)
{
    stand_in_t     *stand_in = malloc(sizeof(*stand_in));
    ompi_request_t *request  = ompi_osc_ucp_request_new(op->window);

    if (NULL == stand_in || NULL == request) {
        free(stand_in);
        ompi_osc_ucp_request_discard(request);
        return NULL;
    }
    *stand_in = (stand_in_t) {
        .window = op->window, .request = request, .own = *request_p, .done = done, .pending = true, .call = op->call,
        .site = op->site, .id = op->window->id, .flavor = op->window->flavor, .rank = op->window->rank
    };
    pthread_mutex_lock(&all.mutex);
    request_free                  = request->req_free;
    request->req_free             = stand_in_free;
    request->req_complete_cb_data = stand_in;
    stand_in->older               = all.newest;
    if (NULL != all.newest) {
        all.newest->newer = stand_in;
    }
    all.newest = stand_in;
    pthread_mutex_unlock(&all.mutex);
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

void ompi_osc_ucp_check_requests_end(ompi_osc_ucp_window_t *window)
{
    stand_in_t *stand_in;

    (void) requests_progress();
    pthread_mutex_lock(&all.mutex);
    while (is_finishing(window)) { /* another thread makes progress */
        pthread_mutex_unlock(&all.mutex);
        sched_yield();
        pthread_mutex_lock(&all.mutex);
    }
    for (stand_in = all.newest; NULL != stand_in; stand_in = stand_in->older) {
        if (window == stand_in->window) {
            stand_in->window = NULL;
            stand_in->name   = strdup(window->win->w_name);
        }
    }
    for (stand_in = all.first; NULL != stand_in; stand_in = stand_in->next) {
        stand_in->window = window == stand_in->window ? NULL : stand_in->window;
    }
    pthread_mutex_unlock(&all.mutex);
}

/** Tell that the program has never completed a request. Its window is gone: one of the same name stands for it. */
static void lost_tell(const stand_in_t *stand_in)
{
    const ompi_osc_ucp_finding_t finding = {
        .kind   = "request-lost", .text = "the request of an operation is never completed", .target = -1, .n = 1,
        .access = { { .what = ompi_osc_ucp_called_name(stand_in->call), .rank = stand_in->rank,
                      .site = stand_in->site } },
        .why    = "also operations that a flush or an unlock completes keep their request",
        .cure   = "call MPI_Wait, MPI_Test or the like"
    };
    ompi_osc_ucp_window_t *window = calloc(1, sizeof(*window));
    ompi_win_t            *win    = calloc(1, sizeof(*win));

    if (NULL != window && NULL != win && NULL != stand_in->name) {
        window->win    = win;
        window->id     = stand_in->id;
        window->flavor = stand_in->flavor;
        snprintf(win->w_name, sizeof(win->w_name), "%s", stand_in->name);
        ompi_osc_ucp_check_tell(window, &finding);
    }
    free(window);
    free(win);
}

void ompi_osc_ucp_check_requests_fini(void)
{
    const stand_in_t *stand_in;

    if (all.registered) {
        (void) opal_progress_unregister(requests_progress);
        all.registered = false;
    }
    for (stand_in = all.newest; NULL != stand_in; stand_in = stand_in->older) {
        lost_tell(stand_in);
    }
}
