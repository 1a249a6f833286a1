/* The service side as a whole: what the transport calls when requests arrive, and what polls it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SERVICE_H
#define OSC_UCP_SERVICE_H

#include "opal/mca/common/ucp/common_ucp.h"

/** Have the service side polled with everything else. */
void ompi_osc_ucp_service_init(void);

/** A request has arrived. Under the service lock. */
void ompi_osc_ucp_service_requested(const opal_common_ucp_message_t *message);

/** Free what is kept; no message arrives any more. */
void ompi_osc_ucp_service_fini(void);

#endif /* OSC_UCP_SERVICE_H */
