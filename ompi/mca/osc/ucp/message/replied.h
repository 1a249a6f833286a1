/* Replies, as they come in. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REPLIED_H
#define OSC_UCP_REPLIED_H

#include "opal/mca/common/ucp/common_ucp.h"

/** Replies have arrived: end the parts of pendings that they name, with their data. */
void ompi_osc_ucp_replied(const opal_common_ucp_message_t *message);

#endif /* OSC_UCP_REPLIED_H */
