/* System V shared memory that UCX allocates is for this user only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_SYSV_H
#define OPAL_COMMON_UCP_SYSV_H

#include <stdbool.h>

/** From here on, until opal_common_ucp_sysv_release, UCX makes such memory with mode 0600. False: that cannot be. */
bool opal_common_ucp_sysv_protect(void);
void opal_common_ucp_sysv_release(void);

#endif /* OPAL_COMMON_UCP_SYSV_H */
