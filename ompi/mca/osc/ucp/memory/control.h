/* The control block of a window's member: its synchronization state, in shared memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A peer that has mapped the block updates it with atomics. For other peers the member's service side does the same
 * when their messages arrive. Both ways may be mixed at any time.
 */

#ifndef OSC_UCP_CONTROL_H
#define OSC_UCP_CONTROL_H

#include "memory/lockword.h"

#define OMPI_OSC_UCP_BARRIER_ROUNDS 31
#define OMPI_OSC_UCP_POST_SLOTS     32

/** Lock words of the NIC domain (path/nic_lock.c). Only native atomics access them. */
typedef struct ompi_osc_ucp_nic_words_t {
    uint64_t window; /**< of the whole window; rank 0's is used */
    uint64_t member; /**< of this member */
} ompi_osc_ucp_nic_words_t;

/** Initially zero, at a multiple of 64 bytes. The parts lie in cache lines of their own. */
typedef struct ompi_osc_ucp_control_t {
    ompi_osc_ucp_lockword_t  lock; /**< a window uses this or `nic` */
    ompi_osc_ucp_nic_words_t nic;
    char                     pad[24];
    uint32_t                 posts[OMPI_OSC_UCP_POST_SLOTS];       /**< 1 + rank of the sender of a post; 0: free */
    uint32_t                 completes;                            /**< MPI_Win_complete calls for this member */
    uint32_t                 arrived[OMPI_OSC_UCP_BARRIER_ROUNDS]; /**< last barrier with a notice, by round */
} ompi_osc_ucp_control_t;

_Static_assert(5 * 64 == sizeof(ompi_osc_ucp_control_t), "cache lines");

/** Post to the member, as process `rank`. False if no slot is free: then a message is needed. */
static inline bool ompi_osc_ucp_control_post(ompi_osc_ucp_control_t *control, uint32_t rank)
{
    uint32_t i, at, free;

    for (i = 0; i < OMPI_OSC_UCP_POST_SLOTS; i++) {
        at   = (rank + i) % OMPI_OSC_UCP_POST_SLOTS;
        free = 0;
        if (__atomic_compare_exchange_n(&control->posts[at], &free, rank + 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

/** Take the post from slot `at`: 1 + the rank of its sender, or 0. */
static inline uint32_t ompi_osc_ucp_control_take_post(ompi_osc_ucp_control_t *control, int at)
{
    uint32_t posted = __atomic_load_n(&control->posts[at], __ATOMIC_ACQUIRE);

    if (0 != posted) {
        __atomic_store_n(&control->posts[at], 0, __ATOMIC_RELEASE);
    }
    return posted;
}

#endif /* OSC_UCP_CONTROL_H */
