/* The life of the copier, which handles memory that a processor must not load or store.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_DEVICE_H
#define OPAL_COMMON_UCP_DEVICE_H

#include <ucs/type/status.h>

/** Start the copier if UCX knows such memory. On failure nothing is left behind. */
ucs_status_t opal_common_ucp_devices_find(void);

/** Start it in any case. */
ucs_status_t opal_common_ucp_copier_create(void);

/** Stop it; nothing if it does not run. */
void opal_common_ucp_copier_destroy(void);

#endif /* OPAL_COMMON_UCP_DEVICE_H */
