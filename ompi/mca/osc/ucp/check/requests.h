/* Requests of checked windows: none is complete before the program could know it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_REQUESTS_H
#define OSC_UCP_CHECK_REQUESTS_H

#include "check/check.h"

/** Called when an operation with a request is complete, before the program can know it. Outside the origin side. */
typedef void (*ompi_osc_ucp_check_done_fn_t)(ompi_osc_ucp_window_t *window, ompi_request_t *request);

/** A request that the program has instead of the operation's own. */
typedef struct ompi_osc_ucp_stand_in_t ompi_osc_ucp_stand_in_t;

/** Give an R call that has succeeded another request, *request_p. NULL if memory is short: it keeps its own. */
ompi_osc_ucp_stand_in_t *ompi_osc_ucp_check_request_new(const ompi_osc_ucp_check_op_t *op,
                                                        ompi_request_t **request_p, ompi_osc_ucp_check_done_fn_t done);

/** From now on it may become complete: after the operation's own, in a later call that makes progress. MPI_Wait does,
 *  or MPI_Test. So `done` comes behind all that the program does before. */
void ompi_osc_ucp_check_request_begin(ompi_osc_ucp_stand_in_t *stand_in);

/** The window is freed: `done` is not called for it any more. Outside the origin side. */
void ompi_osc_ucp_check_requests_end(ompi_osc_ucp_window_t *window);

/** The component ends: tell of requests that the program has never completed. */
void ompi_osc_ucp_check_requests_fini(void);

#endif /* OSC_UCP_CHECK_REQUESTS_H */
