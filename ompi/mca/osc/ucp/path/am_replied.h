/* What replies bring to an end, and how many results of small operations are awaited. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_AM_REPLIED_H
#define OSC_UCP_AM_REPLIED_H

#include <stdint.h>

/** One more; waits while there are too many. */
void ompi_osc_ucp_fetch_begin(void);

/** One less. */
void ompi_osc_ucp_fetch_end(void);

/** What was to be replied to that cookie will not be: `status` is why. 0, and what has ended, are nobody's. */
void ompi_osc_ucp_reply_lost(uint64_t cookie, int status);

#endif /* OSC_UCP_AM_REPLIED_H */
