/* Operations with notification: MPI's own, between a check and the notification.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI checks the arguments that it knows, and raises their errors itself.
 */

#include <stddef.h>

#include "ext/find.h"
#include "ext/osc_ucp_ext.h"

/** An operation that begins. */
typedef struct operation_t {
    const mca_osc_ucp_notified_t *table;
    const char                   *call;
    MPI_Win                       win;
    int                           target, index;
    mca_osc_ucp_notice_t          notice;
} operation_t;

/** The window is not known to be the component's: look, and check as `begin` does. */
static __attribute__((noinline)) int begin_look(operation_t *operation)
{
    int rc;

    operation->table = osc_ucp_ext_find(operation->win, operation->call, &rc);
    if (NULL != operation->table) {
        rc = operation->table->check(operation->win, operation->target, operation->index, operation->call,
                                     &operation->notice);
    }
    return MPI_SUCCESS == rc ? rc : osc_ucp_ext_outcome(operation->win, rc);
}

/** Check what MPI does not: the window, the epoch and the index. Raises the error. */
static inline int begin(operation_t *operation, MPI_Win win, int target, int index, const char *call)
{
    int rc;

    operation->table  = __atomic_load_n(&osc_ucp_ext_found, __ATOMIC_ACQUIRE);
    operation->call   = call;
    operation->win    = win;
    operation->target = target;
    operation->index  = index;
    if (NULL == operation->table || MPI_WIN_NULL == win) {
        return begin_look(operation);
    }
    rc = operation->table->check(win, target, index, call, &operation->notice);
    if (MPI_SUCCESS == rc) {
        return rc;
    }
    return MCA_OSC_UCP_NOTIFIED_OTHER == rc ? begin_look(operation) : osc_ucp_ext_outcome(win, rc);
}

/** MPI's function has returned `rc`. If that is no error, notify. */
static inline int end(const operation_t *operation, int rc)
{
    if (MPI_SUCCESS != rc) {
        return rc;
    }
    if (NULL != operation->notice.counter) {
        /* The release lets whoever sees the count read the data. */
        __atomic_fetch_add(operation->notice.counter, 1, __ATOMIC_RELEASE);
        return rc;
    }
    rc = operation->table->raise(operation->win, operation->target, operation->index, operation->call,
                                 operation->notice.begin);
    return MPI_SUCCESS == rc ? rc : osc_ucp_ext_outcome(operation->win, rc);
}

/** The same, with a request: a call that fails leaves none. */
static int end_request(const operation_t *operation, int rc, MPI_Request *request)
{
    if (MPI_SUCCESS != rc) {
        return rc;
    }
    rc = end(operation, rc);
    if (MPI_SUCCESS != rc && MPI_REQUEST_NULL != *request) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
        *request = MPI_REQUEST_NULL;
    }
    return rc;
}

#define COUNT       int
#define FORM(name)  name
#define CALL(words) words
#include "ext/operations.h"
#undef COUNT
#undef FORM
#undef CALL

#ifdef OSC_UCP_EXT_LARGE_COUNTS
#define COUNT       MPI_Count
#define FORM(name)  name##_c
#define CALL(words) words "_c"
#include "ext/operations.h"
#endif
