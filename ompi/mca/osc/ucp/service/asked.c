/* Questions of the watchdog: what does this process do, and who holds its lock?
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The service side answers while the program computes, and knows whose locks were granted by message.
 */

#include "service/asked.h"

/** Add those whose locks were granted by message. */
static void sources_add(ompi_osc_ucp_target_t *target, const uint64_t *processes, ompi_osc_ucp_watched_answer_t *answer)
{
    const ompi_osc_ucp_source_t *source;
    uint32_t                     rank;

    for (rank = 0; rank < target->members; rank++) {
        source = ompi_osc_ucp_ranks_find(&target->sources, rank);
        if (NULL != source && OMPI_OSC_UCP_HELD_NOTHING != source->holds) {
            ompi_osc_ucp_watched_holder_add(answer, processes[rank], source->holds, source->held_since);
        }
    }
}

void ompi_osc_ucp_asked(uint64_t about, ompi_osc_ucp_watched_answer_t *answer)
{
    ompi_osc_ucp_target_t        *target = ompi_osc_ucp_target_find(about, 0);
    const uint64_t               *processes;
    ompi_osc_ucp_watched_window_t window = { .id = about };

    memset(answer, 0, sizeof(*answer));
    if (NULL == ompi_osc_ucp_watched) {
        return;
    }
    ompi_osc_ucp_watched_copy(&answer->record, ompi_osc_ucp_watched);
    answer->now = ompi_osc_ucp_watched_now();
    processes   = NULL == target ? NULL : __atomic_load_n(&target->processes, __ATOMIC_ACQUIRE);
    if (NULL != processes) {
        window.root = processes[0];
        ompi_osc_ucp_watched_holders(answer, ompi_osc_ucp_watched->key, &window);
        sources_add(target, processes, answer);
    }
}

void ompi_osc_ucp_asked_claim(uint64_t end, unsigned demand, ompi_osc_ucp_watched_answer_t *answer)
{
    memset(answer, 0, sizeof(*answer));
    answer->granted = NULL != ompi_osc_ucp_watched &&
                      ompi_osc_ucp_watched_claim(ompi_osc_ucp_watched, end, demand);
}

void ompi_osc_ucp_ask_self(uint64_t about, ompi_osc_ucp_watched_answer_t *answer)
{
    opal_common_ucp_service_lock();
    ompi_osc_ucp_asked(about, answer);
    opal_common_ucp_service_unlock();
}
