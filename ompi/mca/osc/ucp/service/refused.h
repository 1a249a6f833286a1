/* Messages that are refused because they are wrong. They are counted, and the first one is reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_REFUSED_H
#define OSC_UCP_REFUSED_H

#include <stdint.h>

/** What is wrong with a message, as the report says it. */
#define OMPI_OSC_UCP_REFUSED_DAMAGED "it is damaged"
#define OMPI_OSC_UCP_REFUSED_SECRET  "it comes from no process of this job"
#define OMPI_OSC_UCP_REFUSED_WINDOW  "it names a window that is not there, or comes from no member of it"
#define OMPI_OSC_UCP_REFUSED_RANGE   "it is about memory outside the window"
#define OMPI_OSC_UCP_REFUSED_ANSWER  "it answers nothing that was asked"

/** A message, or a command in one, was refused. Any thread. NULL: it is not reported here, because it is an error of
 *  the program, of which the origin tells. */
void ompi_osc_ucp_refused(const char *reason);

/** Report no refused message from now on: peers may still send to a window that was lost here. Any thread. */
void ompi_osc_ucp_refusals_expect(void);

/** Number of messages and commands that this process has refused: a performance variable. Any thread. */
uint64_t ompi_osc_ucp_messages_refused(void);

#endif /* OSC_UCP_REFUSED_H */
