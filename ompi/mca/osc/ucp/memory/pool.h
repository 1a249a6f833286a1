/* Pools: small windows of a node share segments.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The process that makes the segment of a window has pools, one or more for each number of members. A segment of a
 * pool consists of a lane for each member, and a window of a piece of each lane, at the same offset. So what a process
 * has of its windows lies close together. Windows whose memory is contiguous, or whose members' sizes differ, have a
 * piece of a pool with a single lane. Any thread may call these functions.
 */

#ifndef OSC_UCP_POOL_H
#define OSC_UCP_POOL_H

#include "memory/sysv.h"

/** Bytes of a lane. Memory that no window has touched takes none. */
#define OMPI_OSC_UCP_LANE_BYTES (256u << 10)

/** Most bytes that a window may have in a lane: enough for a member of any window with memory of the program's. */
#define OMPI_OSC_UCP_POOL_MOST (16u << 10)

typedef struct ompi_osc_ucp_pool_t ompi_osc_ucp_pool_t;

/** What a window has of a pool. */
typedef struct ompi_osc_ucp_lot_t {
    struct ompi_osc_ucp_lot_t *next;
    ompi_osc_ucp_pool_t       *pool;
    ompi_osc_ucp_sysv_t       *sysv;
    uint64_t                   offset; /**< from the segment's head, in the first lane */
    uint32_t                   units;
    bool                       lasting; /**< the segment is kept until the pools end */
    uint32_t                  *left;   /**< counts the members that no longer use it; atomic */
    uint32_t                   members;
} ompi_osc_ucp_lot_t;

/** Take `bytes` <= OMPI_OSC_UCP_POOL_MOST of each of so many lanes; NULL: the system gives no memory. It may hold what
 *  another window has left.
 *  @param members  of the window */
ompi_osc_ucp_lot_t *ompi_osc_ucp_pool_take(int lanes, uint32_t members, uint64_t bytes);

/** Give it back, when all members have counted themselves at `left`, which lies in it. Nothing if it is NULL. */
void ompi_osc_ucp_pool_give(ompi_osc_ucp_lot_t *lot, uint32_t *left);

/** Free all pools. No window uses them any more. */
void ompi_osc_ucp_pools_fini(void);

#endif /* OSC_UCP_POOL_H */
