/* When the calls that osc_ucp_check_schedule keeps are carried out: by the call that completes them, by progress, or
 * when they have waited for too long; in a random order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All functions are called outside the origin side. They serialize themselves. Targets may be OMPI_OSC_UCP_KEPT_ALL.
 */

#ifndef OSC_UCP_CHECK_CARRY_H
#define OSC_UCP_CHECK_CARRY_H

#include "check/kept.h"

/** Keep a call. Its request, if any, is given to the program; if memory is short, the call is carried out. */
int ompi_osc_ucp_carry_later(ompi_osc_ucp_schedule_t *schedule, ompi_osc_ucp_kept_t *call, ompi_win_t *win,
                             ompi_request_t **request_p);

/** Carry out all calls to a target. Returns the first error. */
int ompi_osc_ucp_carry_all(ompi_osc_ucp_schedule_t *schedule, int target);

/** Carry out all calls to a target before one that is not kept. The call that completes them tells their errors. */
void ompi_osc_ucp_carry_before(ompi_osc_ucp_schedule_t *schedule, int target);

/** Let the program have its buffers back: calls that only read are kept on, with a copy. Returns the first error. */
int ompi_osc_ucp_carry_local(ompi_osc_ucp_schedule_t *schedule, int target);

/** The call that completes those to a target has returned `rc`, and the calls before it `carried`: complete the
 *  requests. Returns the first error. */
int ompi_osc_ucp_carry_completed(ompi_osc_ucp_schedule_t *schedule, int target, int carried, int rc);

/** Progress made by this thread carries out none (true), or those that are due (false). A call that returns the buffers
 *  of calls carried out so far must not get further ones. */
void ompi_osc_ucp_carry_none(bool none);

/** The window's calls may be kept from now on. The first window seeds the random numbers. */
void ompi_osc_ucp_carry_begin(ompi_osc_ucp_schedule_t *schedule);

/** The window ends: wait for R calls that are under way, and forget what is kept. */
void ompi_osc_ucp_carry_end(ompi_osc_ucp_schedule_t *schedule);

#endif /* OSC_UCP_CHECK_CARRY_H */
