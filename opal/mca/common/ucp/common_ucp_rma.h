/* The count of operations on peers' memory, for code of the transport that reads it inline.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_RMA_H
#define OPAL_COMMON_UCP_RMA_H

#include <stdint.h>

/** Puts, gets, atomics and flushes under way; see opal_common_ucp_underway. Guarded like the origin worker. */
extern uint32_t opal_common_ucp_operations;

#endif /* OPAL_COMMON_UCP_RMA_H */
