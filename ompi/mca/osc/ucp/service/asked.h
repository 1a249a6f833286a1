/* Questions of the watchdog: what does this process do, and who holds its lock?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_ASKED_H
#define OSC_UCP_ASKED_H

#include "base/watched.h"
#include "service/target.h"

/** Answer a question about the lock of window `about` at this process; 0: about none. Under the service lock. */
void ompi_osc_ucp_asked(uint64_t about, ompi_osc_ucp_watched_answer_t *answer);

/** Answer whether a graph that ends at process `end` may be printed, for the user's request `demand`. */
void ompi_osc_ucp_asked_claim(uint64_t end, unsigned demand, ompi_osc_ucp_watched_answer_t *answer);

/** As ompi_osc_ucp_asked, for the own process: takes the service lock. */
void ompi_osc_ucp_ask_self(uint64_t about, ompi_osc_ucp_watched_answer_t *answer);

#endif /* OSC_UCP_ASKED_H */
