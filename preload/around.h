/* What the functions that stand before MPI's do: find MPI's, and tell the checker (preload/wrap.awk writes them).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All functions are for any thread.
 */

#ifndef OSC_UCP_AROUND_H
#define OSC_UCP_AROUND_H

#include <mpi.h>
#include <stdbool.h>

#include "ompi/mca/osc/ucp/base/order.h"

/** Requests of a call that may complete them, with whom each one's completion lets the process hear. */
typedef struct around_requests_t {
    int n;
    int all; /**< memory is short: hear all */
    struct around_request_t {
        MPI_Request handle;
        int         from;
    } few[32], *at;
} around_requests_t;

/** The checker's functions, or NULL. *found_p is the function of that name behind this library; *next_p keeps it. */
const mca_osc_ucp_order_hooks_t *around_enter(void **next_p, const char *name, void **found_p);

/** A request was made. Its completion lets the process hear `from`. */
void around_note(const mca_osc_ucp_order_hooks_t *hooks, MPI_Request request, int from);

/** Nothing is known of a request: if there is one, its completion counts for all. */
void around_forget(const mca_osc_ucp_order_hooks_t *hooks, const MPI_Request *request);

/** Before and after a call that may complete requests. `some`: it may have completed some of them. */
void around_begin(const mca_osc_ucp_order_hooks_t *hooks, around_requests_t *requests, int n, const MPI_Request *array);
void around_end(const mca_osc_ucp_order_hooks_t *hooks, around_requests_t *requests, const MPI_Request *array, int rc,
                bool some);

/** The process has received from, or was received by, a rank. `status`: whose, if that is MPI_ANY_SOURCE. */
void around_heard(const mca_osc_ucp_order_hooks_t *hooks, int rc, MPI_Comm comm, int rank, const MPI_Status *status);

/** The process has taken part in a collective call. `root` is a rank; `rooted`: 1 if data come from there, -1 if they go
 *  there, 0 if all have them of all. */
void around_collected(const mca_osc_ucp_order_hooks_t *hooks, int rc, MPI_Comm comm, int root, int rooted);

/** The process has made a window with the members of a communicator. */
void around_window(int rc, MPI_Comm comm, const MPI_Win *win);

/** Processes may order themselves in ways that no call shows. */
void around_off(void);

#endif /* OSC_UCP_AROUND_H */
