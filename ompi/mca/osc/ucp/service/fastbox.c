/* Fastboxes at the target: packets that origins of the same node leave in this process's chunk.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A packet is copied before it is decoded, because its origin can still write to the fastbox.
 */

#include "service/fastbox.h"

#include "service/arrival.h"

static uint64_t taken; /* see ompi_osc_ucp_fastboxes_taken */

/** Apply or queue the packet in a fastbox. Its origin is answered before other sources are resumed. */
static void fastbox_take(ompi_osc_ucp_fastbox_t *box, char *more, uint32_t posted)
{
    char                   packet[OMPI_OSC_UCP_FASTBOX_PACKET + OMPI_OSC_UCP_FASTBOX_MORE];
    uint32_t               len = __atomic_load_n(&box->len, __ATOMIC_RELAXED);
    ompi_osc_ucp_target_t *target;

    len = len <= sizeof(packet) ? len : 0;
    ompi_osc_ucp_fastbox_gather(packet, box->packet, sizeof(box->packet), more, len);
    target = ompi_osc_ucp_arrive_by_fastbox(packet, len, box, more);
    __atomic_store_n(&box->taken, posted, __ATOMIC_RELEASE);
    if (NULL != target) {
        ompi_osc_ucp_target_run(target);
    }
}

unsigned ompi_osc_ucp_fastboxes_take_locked(void)
{
    ompi_osc_ucp_chunk_head_t *head = __atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE);
    unsigned                   mine = 0;
    uint32_t                   i, used, posted;

    if (NULL == head) {
        return 0;
    }
    used = __atomic_load_n(&head->fastboxes_used, __ATOMIC_RELAXED);
    for (i = 0; i < used && i < OMPI_OSC_UCP_FASTBOXES; i++) {
        posted = __atomic_load_n(&head->fastboxes[i].posted, __ATOMIC_ACQUIRE);
        if (posted != __atomic_load_n(&head->fastboxes[i].taken, __ATOMIC_RELAXED)) {
            fastbox_take(&head->fastboxes[i], ompi_osc_ucp_fastbox_more(head, i), posted);
            mine++;
        }
    }
    return mine;
}

unsigned ompi_osc_ucp_fastboxes_take(void)
{
    unsigned mine = 0;

    if (opal_common_ucp_service_trylock()) {
        mine = ompi_osc_ucp_fastboxes_take_locked();
        __atomic_store_n(&taken, taken + mine, __ATOMIC_RELAXED);
        opal_common_ucp_service_unlock();
    }
    return mine;
}

uint64_t ompi_osc_ucp_fastboxes_taken(void)
{
    return __atomic_load_n(&taken, __ATOMIC_RELAXED);
}
