/* The arrival of packets at the service side, and their order.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Packets of one origin to one member of a window are applied in their order; one that comes early is queued. Everything
 * here runs under the service lock, but for what says that it takes it.
 */

#ifndef OSC_UCP_ARRIVAL_H
#define OSC_UCP_ARRIVAL_H

#include "memory/fastbox_layout.h"
#include "opal/mca/common/ucp/common_ucp.h"
#include "service/target.h"

/** A message has come. */
void ompi_osc_ucp_arrive(const opal_common_ucp_message_t *message);

/** A packet has come by fastbox. Replies that are there at once go to `box` and its room `more`, if they fit, and their
 *  length there, or 0. Returns what ompi_osc_ucp_target_run is still to be called with, or NULL. */
ompi_osc_ucp_target_t *ompi_osc_ucp_arrive_by_fastbox(const char *bytes, size_t len, ompi_osc_ucp_fastbox_t *box,
                                                      char *more);

/** Let all sources go on that may, and send the replies. */
void ompi_osc_ucp_target_run(ompi_osc_ucp_target_t *target);

/** The owner has released the lock, or passed the turn on: look who waits for it. Takes the service lock. */
void ompi_osc_ucp_target_look(ompi_osc_ucp_target_t *target);

/** Have the service side polled with everything else. */
void ompi_osc_ucp_service_init(void);

/** A request has arrived. Under the service lock. */
void ompi_osc_ucp_service_requested(const opal_common_ucp_message_t *message);

/** Free what is kept; no message arrives any more. */
void ompi_osc_ucp_service_fini(void);

#endif /* OSC_UCP_ARRIVAL_H */
