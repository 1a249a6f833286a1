/* MPI requests of the R calls. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REQUEST_H
#define OSC_UCP_REQUEST_H

#include "peer/window.h"

/** An active request of the window; completed by ompi_osc_ucp_request_complete. NULL if memory is short. */
ompi_request_t *ompi_osc_ucp_request_new(ompi_osc_ucp_window_t *window);
void ompi_osc_ucp_request_complete(ompi_request_t *request, int status);

/** Give back a request that the caller never saw; NULL is nothing. */
void ompi_osc_ucp_request_discard(ompi_request_t *request);

/** The call that wants a request, if it wants one, is over. */
static inline int ompi_osc_ucp_request_none(ompi_request_t **request_p)
{
    if (NULL != request_p) {
        *request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

#endif /* OSC_UCP_REQUEST_H */
