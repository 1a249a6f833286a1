/* Questions of the watchdog to other processes.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "message/ask.h"

#include <stdlib.h>

#include "message/message.h"
#include "peer/pending.h"

static void answered(ompi_osc_ucp_pending_t *pending)
{
    ompi_osc_ucp_question_t *question = pending->arg;

    question->status = pending->status;
    question->done   = true;
    if (question->dropped) {
        free(question);
    }
}

static ompi_osc_ucp_question_t *ask(ompi_osc_ucp_peer_t *peer, const ompi_osc_ucp_wire_command_t *wire)
{
    ompi_osc_ucp_question_t *question = calloc(1, sizeof(*question));

    if (NULL != question &&
        !ompi_osc_ucp_query(peer, wire, &question->answer, sizeof(question->answer), answered, question)) {
        free(question);
        question = NULL;
    }
    return question;
}

ompi_osc_ucp_question_t *ompi_osc_ucp_ask(ompi_osc_ucp_peer_t *peer, uint64_t about)
{
    const ompi_osc_ucp_wire_command_t wire = { .kind = OMPI_OSC_UCP_KIND_ASK, .disp = (int64_t) about };

    return ask(peer, &wire);
}

ompi_osc_ucp_question_t *ompi_osc_ucp_ask_claim(ompi_osc_ucp_peer_t *peer, uint64_t end, unsigned demand)
{
    const ompi_osc_ucp_wire_command_t wire = { .kind = OMPI_OSC_UCP_KIND_ASK, .op = 1, .len = demand,
                                               .disp = (int64_t) end };

    return ask(peer, &wire);
}

void ompi_osc_ucp_question_drop(ompi_osc_ucp_question_t *question)
{
    if (NULL != question && question->done) {
        free(question);
    } else if (NULL != question) {
        question->dropped = true;
    }
}
