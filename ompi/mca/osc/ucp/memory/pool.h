/* Pools: small windows of a node share segments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that makes the segment of a window has pools, one or more for each number of members. A segment of a
 * pool consists of a lane for each member, and a window of a piece of each lane, at the same offset. So what a process
 * has of its windows lies close together. What many windows never use lies at the other end of the lanes. Windows whose
 * memory is contiguous, or whose members' sizes differ, have a piece of a pool with a single lane. Any thread may call
 * these functions.
 */

#ifndef OSC_UCP_POOL_H
#define OSC_UCP_POOL_H

#include "memory/sysv.h"

/** Most bytes of a lane. Memory that no window has touched takes none. With many windows in a lane, the pages that it
 *  has begun do not count. */
#define OMPI_OSC_UCP_LANE_MOST (6u << 20)

/** Most bytes of a segment's lanes: each process maps all of them, and limits count what is mapped. */
#define OMPI_OSC_UCP_LANES_MOST (512u << 20)

/** Bytes of each of so many lanes: whole granules. */
static inline uint32_t ompi_osc_ucp_lane_bytes(int lanes)
{
    const uint32_t granules = OMPI_OSC_UCP_LANES_MOST / OMPI_OSC_UCP_STRIPE_GRANULE / (uint32_t) lanes;
    const uint32_t bytes    = granules * OMPI_OSC_UCP_STRIPE_GRANULE;

    return bytes < OMPI_OSC_UCP_LANE_MOST ? bytes : OMPI_OSC_UCP_LANE_MOST;
}

/** Most bytes that a window may have in a lane: enough for a member of any window with memory of the program's. */
#define OMPI_OSC_UCP_POOL_MOST (16u << 10)

typedef struct ompi_osc_ucp_pool_t ompi_osc_ucp_pool_t;

/** What a window has of a pool. */
typedef struct ompi_osc_ucp_lot_t {
    struct ompi_osc_ucp_lot_t *next;
    ompi_osc_ucp_pool_t       *pool;
    ompi_osc_ucp_sysv_t       *sysv;
    uint64_t                   offset; /**< from the segment's head, in the first lane */
    uint64_t                   far;    /**< the same of what lies apart */
    uint32_t                   units, far_units;
    bool                       lasting; /**< the segment is kept until the pools end */
    uint32_t                  *left;   /**< counts the members that no longer use it; atomic */
    uint32_t                   members;
} ompi_osc_ucp_lot_t;

/** Take `bytes` <= OMPI_OSC_UCP_POOL_MOST, and `far` that lie apart, of each of so many lanes; NULL: the system gives
 *  no memory. It may hold what another window has left.
 *  @param members  of the window */
ompi_osc_ucp_lot_t *ompi_osc_ucp_pool_take(int lanes, uint32_t members, uint64_t bytes, uint64_t far);

/** Give it back, when all members have counted themselves at `left`, which lies in it. Nothing if it is NULL. */
void ompi_osc_ucp_pool_give(ompi_osc_ucp_lot_t *lot, uint32_t *left);

/** Free all pools. No window uses them any more. */
void ompi_osc_ucp_pools_fini(void);

#endif /* OSC_UCP_POOL_H */
