/* The service side as a whole: its sources of progress, and its end.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "base/wait.h"
#include "service/arrival.h"
#include "service/fastbox.h"
#include "service/reply.h"

/** Looks at the fastboxes after each message, because that may be their doorbell. */
void ompi_osc_ucp_service_requested(const opal_common_ucp_message_t *message)
{
    ompi_osc_ucp_arrive(message);
    if (ompi_osc_ucp_fastbox_full()) {
        (void) ompi_osc_ucp_fastboxes_take_locked();
    }
}

/** Tell origins of this node that the program is inside MPI. Of several threads' polls some may not count. */
static void polls_tell(void)
{
    ompi_osc_ucp_chunk_head_t *head = __atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE);

    if (NULL != head) {
        __atomic_store_n(&head->polls, __atomic_load_n(&head->polls, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
    }
}

static unsigned poll(void)
{
    unsigned events = 0;

    polls_tell();
    if (OPAL_UNLIKELY(ompi_osc_ucp_fastbox_full())) {
        events = ompi_osc_ucp_fastboxes_take();
    }
    return events + opal_common_ucp_progress_service();
}

void ompi_osc_ucp_service_init(void)
{
    ompi_osc_ucp_progress_add(OMPI_OSC_UCP_POLLED_OUTSIDE, poll);
}

void ompi_osc_ucp_service_fini(void)
{
    ompi_osc_ucp_targets_fini();
    ompi_osc_ucp_replies_fini();
}
