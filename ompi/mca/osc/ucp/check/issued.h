/* The origin's side of conflicts: this process's accesses that are pending, compared with each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The owner serializes all calls.
 */

#ifndef OSC_UCP_CHECK_ISSUED_H
#define OSC_UCP_CHECK_ISSUED_H

#include "check/access.h"

typedef struct ompi_osc_ucp_issued_t ompi_osc_ucp_issued_t;

/** Keep at most `size` pending accesses. NULL: memory is short. */
ompi_osc_ucp_issued_t *ompi_osc_ucp_issued_new(ompi_osc_ucp_window_t *window, uint32_t size);

/** Free it; NULL does nothing. */
void ompi_osc_ucp_issued_free(ompi_osc_ucp_issued_t *issued);

/** An operation has been issued: tell if it does not go with one that is pending. Its `n` parts are pending now.
 *  `request` is that of an R call, or NULL. False: there is no room, and the operation is forgotten. */
bool ompi_osc_ucp_issued_add(ompi_osc_ucp_issued_t *issued, const ompi_osc_ucp_access_t *parts, int n,
                             const ompi_request_t *request);

/** A call that began at `now` completes what is pending on `target`, or on all if that is negative. `local`: only here,
 *  which is all that operations need that bring data. */
void ompi_osc_ucp_issued_complete(ompi_osc_ucp_issued_t *issued, int target, uint64_t now, bool local);

/** The same, for the operation of an R call. */
void ompi_osc_ucp_issued_done(ompi_osc_ucp_issued_t *issued, const ompi_request_t *request, uint64_t now);

/** How many accesses are complete and were not taken. */
uint32_t ompi_osc_ucp_issued_ready(const ompi_osc_ucp_issued_t *issued);

/** Take these, by target. The caller frees them. None and NULL if memory is short: they are forgotten. */
ompi_osc_ucp_access_t *ompi_osc_ucp_issued_take(ompi_osc_ucp_issued_t *issued, uint32_t *n_p);

#endif /* OSC_UCP_CHECK_ISSUED_H */
