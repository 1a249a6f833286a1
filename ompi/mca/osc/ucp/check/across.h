/* Windows that have memory in common: operations on the same bytes by two of them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_ACROSS_H
#define OSC_UCP_CHECK_ACROSS_H

#include "check/access.h"

/** Others may reach this memory of the process by the window from now on. Any thread. */
void ompi_osc_ucp_across_exposed(ompi_osc_ucp_window_t *window, void *base, size_t size);

/** The owner was told of an access: tell if it does not go with one by another window. Any thread. */
void ompi_osc_ucp_across_add(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *access);

#endif /* OSC_UCP_CHECK_ACROSS_H */
