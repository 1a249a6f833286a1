/* What is counted for the user: which way a window's data went.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages and rdma are always counted, an increment each. What goes by load and store is counted only in a window
 * that is watched (osc_ucp_watch.c), so that it costs nothing in any other.
 */

#ifndef OSC_UCP_COUNTERS_H
#define OSC_UCP_COUNTERS_H

#include <stdint.h>

/** The ways that an operation may go. */
typedef enum ompi_osc_ucp_via_t {
    OMPI_OSC_UCP_VIA_SELF,   /**< the process's own memory */
    OMPI_OSC_UCP_VIA_DIRECT, /**< another process's memory, by load and store */
    OMPI_OSC_UCP_VIA_RDMA,
    OMPI_OSC_UCP_VIA_AM,     /**< messages */
    OMPI_OSC_UCP_VIAS
} ompi_osc_ucp_via_t;

/** Of one window at this process as the origin. All are uint64_t, and only grow. */
typedef struct ompi_osc_ucp_counters_t {
    uint64_t operations[OMPI_OSC_UCP_VIAS];
    uint64_t bytes[OMPI_OSC_UCP_VIAS]; /**< of target memory */
    uint64_t messages;                 /**< requests sent to targets */
    uint64_t coalesced;                /**< operations that shared a message with another */
    uint64_t round_trips;              /**< answers that a call waited for */
    uint64_t lock_waits;               /**< locks that could not be had at once */
    uint64_t waited_ns;                /**< time in synchronization calls; in watched windows only */
} ompi_osc_ucp_counters_t;

static inline void ompi_osc_ucp_count(ompi_osc_ucp_counters_t *counters, ompi_osc_ucp_via_t via, uint64_t bytes)
{
    counters->operations[via]++;
    counters->bytes[via] += bytes;
}

#endif /* OSC_UCP_COUNTERS_H */
