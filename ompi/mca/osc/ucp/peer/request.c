/* MPI requests of the R calls.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A request is only the program's handle of an ompi_osc_ucp_pending_t. A program may free it before it is complete,
 * which is erroneous in MPI-3.1 but happens. Then its completion releases it.
 *
 * A program may also wait for it after it has freed the window. If it has failed, MPI_Wait then calls the error handler
 * of the window, for which Open MPI looks in the window's object. So the request gets another object with that handler.
 */

#include "peer/pending.h"

#include <stdlib.h>

#include "base/threads.h"
#include "peer/explain.h"

typedef struct rma_request_t {
    ompi_request_t        super;
    bool                  freed;  /**< by the program, before completion */
    int                   status; /**< error of a failed operation */
    ompi_osc_ucp_peer_t  *peer;   /**< of a failed operation whose error no completing call has returned; else NULL */
    struct rma_request_t *next;   /**< in the list `failed` */
} rma_request_t;

/** Failed requests that the program has not freed. Inside. */
static rma_request_t *failed;

/** An object in the place of those of freed windows, for each error handler that one of them had. No destructor runs
 *  for it, and the handler is not released: Open MPI 5.0 has ended both when it closes components. */
typedef struct substitute_t {
    struct substitute_t *next;
    ompi_win_t           win;
} substitute_t;

static substitute_t *substitutes;

static int request_free(ompi_request_t **request_p);

static int request_cancel(ompi_request_t *request, int complete)
{
    (void) request;
    (void) complete;
    return MPI_ERR_REQUEST; /* erroneous: MPI-3.1 section 11.3.5 */
}

static void request_construct(rma_request_t *request)
{
    request->super.req_type   = OMPI_REQUEST_WIN;
    request->super.req_free   = request_free;
    request->super.req_cancel = request_cancel;
    request->freed            = false;
    request->status           = OMPI_SUCCESS;
    request->peer             = NULL;
}

OBJ_CLASS_INSTANCE(rma_request_t, ompi_request_t, request_construct, NULL);

static void request_release(rma_request_t *request)
{
    OMPI_REQUEST_FINI(&request->super);
    OBJ_RELEASE(request);
}

/** Remove a request from the list, if it is there. */
static void failed_remove(const rma_request_t *request)
{
    rma_request_t **at = &failed;

    while (NULL != *at && request != *at) {
        at = &(*at)->next;
    }
    if (NULL != *at) {
        *at = request->next;
    }
}

int ompi_osc_ucp_requests_take_error(const ompi_osc_ucp_peer_t *peer)
{
    rma_request_t *request;
    int            error = OMPI_SUCCESS;

    for (request = failed; NULL != request; request = request->next) {
        if (peer == request->peer) {
            request->peer = NULL;
            error         = request->status;
        }
    }
    return error;
}

void ompi_osc_ucp_requests_forget(const ompi_osc_ucp_window_t *window)
{
    rma_request_t *request;

    for (request = failed; NULL != request; request = request->next) {
        if (NULL != request->peer && window == request->peer->window) {
            request->peer = NULL;
        }
    }
}

/** The object in the place of a window's. It stays: MPI_Wait frees a request before it calls the handler. */
static ompi_win_t *substitute_for(const ompi_win_t *win)
{
    substitute_t *substitute = substitutes;

    while (NULL != substitute && win->error_handler != substitute->win.error_handler) {
        substitute = substitute->next;
    }
    if (NULL == substitute) {
        substitute = calloc(1, sizeof(*substitute));
        if (NULL == substitute) {
            return &ompi_mpi_win_null.win;
        }
        OBJ_RETAIN(win->error_handler);
        substitute->win.error_handler   = win->error_handler;
        substitute->win.errhandler_type = win->errhandler_type;
        substitute->win.w_flags         = OMPI_WIN_FREED;
        substitute->win.w_f_to_c_index  = ompi_mpi_win_null.win.w_f_to_c_index;
        substitute->next                = substitutes;
        substitutes                     = substitute;
    }
    return &substitute->win;
}

void ompi_osc_ucp_requests_part(ompi_osc_ucp_window_t *window)
{
    const ompi_win_t *win = window->win;
    rma_request_t    *request;

    for (request = failed; NULL != request; request = request->next) {
        if (win == request->super.req_mpi_object.win) {
            request->super.req_mpi_object.win = substitute_for(win);
        }
    }
    if (window->lost) {
        window->win = substitute_for(win);
    }
}

void ompi_osc_ucp_requests_fini(void)
{
    substitute_t *substitute;

    while (NULL != (substitute = substitutes)) {
        substitutes = substitute->next;
        free(substitute);
    }
}

static int request_free(ompi_request_t **request_p)
{
    rma_request_t *request = (rma_request_t *) *request_p;

    ompi_osc_ucp_enter();
    if (REQUEST_COMPLETE(&request->super)) {
        failed_remove(request);
        request_release(request);
    } else {
        request->freed = true;
    }
    ompi_osc_ucp_leave();
    *request_p = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

ompi_request_t *ompi_osc_ucp_request_new(ompi_osc_ucp_window_t *window)
{
    rma_request_t *request = OBJ_NEW(rma_request_t);

    if (NULL == request) {
        return NULL;
    }
    OMPI_REQUEST_INIT(&request->super, false);
    request->super.req_mpi_object.win    = window->win;
    request->super.req_state             = OMPI_REQUEST_ACTIVE;
    request->super.req_status.MPI_ERROR  = MPI_SUCCESS;
    request->super.req_status._cancelled = 0;
    return &request->super;
}

void ompi_osc_ucp_request_complete(ompi_request_t *super, int status, ompi_osc_ucp_peer_t *peer)
{
    rma_request_t *request = (rma_request_t *) super;

    if (OMPI_SUCCESS != status && NULL != peer && request->freed) {
        peer->error = status; /* the program cannot see the request's */
    } else if (OMPI_SUCCESS != status && !request->freed) {
        if (NULL != peer) {
            ompi_osc_ucp_window_explain_code(peer->window, "an operation with a request", peer->rank, status);
            super->req_mpi_object.win = peer->window->win; /* a lost window may have been freed */
        }
        request->status = status;
        request->peer   = peer;
        request->next   = failed;
        failed          = request;
    }
    super->req_status.MPI_ERROR = ompi_errcode_get_mpi_code(status);
    ompi_request_complete(super, true);
    if (request->freed) {
        request_release(request);
    }
}

int ompi_osc_ucp_request_failed(ompi_request_t **request_p)
{
    rma_request_t *request = (rma_request_t *) *request_p;
    int            status  = OMPI_SUCCESS;

    if (request_free != request->super.req_free || !REQUEST_COMPLETE(&request->super)) {
        return OMPI_SUCCESS;
    }
    ompi_osc_ucp_enter();
    if (NULL != request->peer) {
        status = request->status;
        failed_remove(request);
        request_release(request);
        *request_p = MPI_REQUEST_NULL;
    }
    ompi_osc_ucp_leave();
    return status;
}

void ompi_osc_ucp_request_discard(ompi_request_t *request)
{
    if (NULL != request) {
        request_release((rma_request_t *) request);
    }
}
