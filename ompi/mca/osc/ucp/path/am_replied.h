/* How many results of small operations are awaited. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_AM_REPLIED_H
#define OSC_UCP_AM_REPLIED_H

/** One more; waits while there are too many. */
void ompi_osc_ucp_fetch_begin(void);

/** One less. */
void ompi_osc_ucp_fetch_end(void);

#endif /* OSC_UCP_AM_REPLIED_H */
