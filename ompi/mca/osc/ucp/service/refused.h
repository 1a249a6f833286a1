/* Messages that are not executed because they are wrong: counted, and the first is reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_AM_REFUSED_H
#define OSC_UCP_AM_REFUSED_H

#include <stdint.h>

/** What is wrong with a message, as it is reported. */
#define OMPI_OSC_UCP_REFUSED_DAMAGED "it is damaged"
#define OMPI_OSC_UCP_REFUSED_WINDOW  "it names a window that is not there, or comes from no member of it"
#define OMPI_OSC_UCP_REFUSED_RANGE   "it is about memory outside the window"
#define OMPI_OSC_UCP_REFUSED_ANSWER  "it answers nothing that was asked"

/** A message, or a command in one, was not executed. Any thread. */
void ompi_osc_ucp_refused(const char *reason);

/** From here on such messages are no news: a window of others may be gone here. They are counted, but not reported. */
void ompi_osc_ucp_refusals_expect(void);

/** How often that was so in this process. */
uint64_t ompi_osc_ucp_messages_refused(void);

#endif /* OSC_UCP_AM_REFUSED_H */
