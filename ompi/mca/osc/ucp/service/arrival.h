/* The arrival of packets at the service side, and the order of their execution.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Ordered packets of one origin to one member of a window are applied by sequence number; early ones are queued. All
 * functions run under the service lock, unless they take it themselves.
 */

#ifndef OSC_UCP_ARRIVAL_H
#define OSC_UCP_ARRIVAL_H

#include "memory/fastbox_layout.h"
#include "opal/mca/common/ucp/common_ucp.h"
#include "service/target.h"

/** Apply or queue a packet that arrived as a message. */
void ompi_osc_ucp_arrive(const opal_common_ucp_message_t *message);

/**
 * Apply or queue a packet that arrived by fastbox. Replies that exist at once are left in `box`, and from there on in
 * `more`, if they fit; box->replied is their length, or 0. Returns the target, which the caller then passes to
 * ompi_osc_ucp_target_run, or NULL if the packet was refused.
 */
ompi_osc_ucp_target_t *ompi_osc_ucp_arrive_by_fastbox(const char *bytes, size_t len, ompi_osc_ucp_fastbox_t *box,
                                                      char *more);

/** Resume all runnable sources of a target, and send the replies. */
void ompi_osc_ucp_target_run(ompi_osc_ucp_target_t *target);

/** Look for waiters whose turn has come, after this process has changed its own lock word. Takes the service lock. */
void ompi_osc_ucp_target_look(ompi_osc_ucp_target_t *target);

/** Register the service side as a source of progress. */
void ompi_osc_ucp_service_init(void);

/** A request has arrived on the service worker. */
void ompi_osc_ucp_service_requested(const opal_common_ucp_message_t *message);

/** Free what the service side keeps. No message may arrive any more; takes no lock. */
void ompi_osc_ucp_service_fini(void);

#endif /* OSC_UCP_ARRIVAL_H */
