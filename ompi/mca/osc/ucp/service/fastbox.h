/* Fastboxes at the target: packets that origins of the same node leave in this process's chunk.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SERVICE_FASTBOX_H
#define OSC_UCP_SERVICE_FASTBOX_H

#include <stdbool.h>

#include "memory/arena.h"

/** Does a fastbox of this process hold a packet? Any thread; needs no lock. */
static inline bool ompi_osc_ucp_fastbox_full(void)
{
    const ompi_osc_ucp_chunk_head_t *head = __atomic_load_n(&ompi_osc_ucp_lasting_head, __ATOMIC_ACQUIRE);
    const ompi_osc_ucp_fastbox_t    *box;
    uint32_t                         i, used;

    if (NULL == head) {
        return false;
    }
    used = __atomic_load_n(&head->fastboxes_used, __ATOMIC_RELAXED);
    for (i = 0; i < used && i < OMPI_OSC_UCP_FASTBOXES; i++) {
        box = &head->fastboxes[i];
        if (__atomic_load_n(&box->taken, __ATOMIC_RELAXED) != __atomic_load_n(&box->posted, __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

/** Apply the packets in all fastboxes, unless another thread holds the service lock. Returns the number of packets. Any
 *  thread that does not hold that lock. */
unsigned ompi_osc_ucp_fastboxes_take(void);

/** The same for the holder of the service lock. */
unsigned ompi_osc_ucp_fastboxes_take_locked(void);

/** Number of packets that ompi_osc_ucp_fastboxes_take has applied: a performance variable. Any thread. */
uint64_t ompi_osc_ucp_fastboxes_taken(void);

#endif /* OSC_UCP_SERVICE_FASTBOX_H */
