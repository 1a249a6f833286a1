/* Buffers of operations that are not complete at the origin.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_BUFFERS_H
#define OSC_UCP_CHECK_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

/** The program is about to load or to store [first, end); `pc` is its return address. Tells if an operation needs these
 *  bytes. Any thread. */
void ompi_osc_ucp_check_touched(uintptr_t first, uintptr_t end, bool stores, const void *pc);

#endif /* OSC_UCP_CHECK_BUFFERS_H */
