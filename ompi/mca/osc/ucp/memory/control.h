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

/** Ranks below this one can post to a mapped control block. A window with others is not lean. A multiple of 64. */
#define OMPI_OSC_UCP_POST_RANKS 1024

/** Lock words of the NIC domain (path/nic_lock.c). Only native atomics access them. */
typedef struct ompi_osc_ucp_nic_words_t {
    uint64_t window; /**< of the whole window; rank 0's is used */
    uint64_t member; /**< of this member */
} ompi_osc_ucp_nic_words_t;

/** Initially zero, at a multiple of 64 bytes. The parts lie in cache lines of their own. */
typedef struct ompi_osc_ucp_control_t {
    ompi_osc_ucp_lockword_t  lock; /**< a window uses this or `nic` */
    ompi_osc_ucp_nic_words_t nic;
    uint32_t                 counters;  /**< notification counters in use; they lie before the control block */
    uint32_t                 vetoed[2]; /**< a process has failed before the barrier of this parity */
    char                     pad[12];
    uint64_t                 posts[OMPI_OSC_UCP_POST_RANKS / 64];  /**< posts not taken yet: a bit for each rank */
    uint32_t                 completes;                            /**< MPI_Win_complete calls for this member */
    uint32_t                 arrived[OMPI_OSC_UCP_BARRIER_ROUNDS]; /**< last barrier with a notice, by round */
    uint32_t                 gathered;      /**< rank 0's: arrivals at all barriers that meet here */
    uint32_t                 released;      /**< rank 0's: the last such barrier at which all have arrived */
    uint32_t                 gather_vetoed[2]; /**< rank 0's: `vetoed` of these barriers, for all */
    char                     gather_pad[48];
} ompi_osc_ucp_control_t;

_Static_assert(6 * 64 == sizeof(ompi_osc_ucp_control_t), "cache lines");

/** Bytes for so many notification counters. They lie before the control block, in cache lines of their own. */
static inline size_t ompi_osc_ucp_counters_bytes(uint32_t counters)
{
    return ((size_t) counters * sizeof(uint64_t) + 63) & ~(size_t) 63;
}

/** The notification counter of that index; `max` counters have room. Atomic. */
static inline uint64_t *ompi_osc_ucp_counter(ompi_osc_ucp_control_t *control, uint32_t max, uint32_t index)
{
    return (uint64_t *) ((char *) control - ompi_osc_ucp_counters_bytes(max)) + index;
}

/** Post to the member, as process `rank`, which has no other post under way to it. False if the rank has
 *  no bit: then a message is needed. */
static inline bool ompi_osc_ucp_control_post(ompi_osc_ucp_control_t *control, uint32_t rank)
{
    if (rank >= OMPI_OSC_UCP_POST_RANKS) {
        return false;
    }
    __atomic_fetch_or(&control->posts[rank / 64], UINT64_C(1) << rank % 64, __ATOMIC_ACQ_REL);
    return true;
}

/** Take the post of process `rank`, as the member; false if there is none. */
static inline bool ompi_osc_ucp_control_take_post(ompi_osc_ucp_control_t *control, uint32_t rank)
{
    uint64_t bit = UINT64_C(1) << rank % 64;

    if (rank >= OMPI_OSC_UCP_POST_RANKS ||
        0 == (__atomic_load_n(&control->posts[rank / 64], __ATOMIC_ACQUIRE) & bit)) {
        return false;
    }
    __atomic_fetch_and(&control->posts[rank / 64], ~bit, __ATOMIC_RELEASE);
    return true;
}

#endif /* OSC_UCP_CONTROL_H */
