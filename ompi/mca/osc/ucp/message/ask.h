/* Questions of the watchdog to processes whose records are not on this node. Origin side.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_ASK_H
#define OSC_UCP_ASK_H

#include "base/watched.h"
#include "peer/peer.h"

/** A question that was sent. */
typedef struct ompi_osc_ucp_question_t {
    bool                          done;
    bool                          dropped; /**< nobody waits for the answer any more */
    int                           status;  /**< OMPI_SUCCESS, or why there is no answer; if done */
    ompi_osc_ucp_watched_answer_t answer;
} ompi_osc_ucp_question_t;

/** Ask a peer what it does, and who holds its lock in window `about` (0: in none). Does not wait. NULL: it cannot be
 *  asked. */
ompi_osc_ucp_question_t *ompi_osc_ucp_ask(ompi_osc_ucp_peer_t *peer, uint64_t about);

/** Ask a peer whether the caller may print a graph that ends at process `end` (ompi_osc_ucp_watched_claim). */
ompi_osc_ucp_question_t *ompi_osc_ucp_ask_claim(ompi_osc_ucp_peer_t *peer, uint64_t end, unsigned demand);

/** The caller no longer needs the question, which may be NULL. */
void ompi_osc_ucp_question_drop(ompi_osc_ucp_question_t *question);

#endif /* OSC_UCP_ASK_H */
