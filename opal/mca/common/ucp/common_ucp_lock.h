/* The mutex of the service lock, for code of the transport that takes it inline.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OPAL_COMMON_UCP_LOCK_H
#define OPAL_COMMON_UCP_LOCK_H

#include <pthread.h>

/** Guards the service worker. Usable without a transport, too: windows of one process have none. */
extern pthread_mutex_t opal_common_ucp_service_mutex;

#endif /* OPAL_COMMON_UCP_LOCK_H */
