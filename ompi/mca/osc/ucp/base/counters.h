/* Counters of a window, for the report and the performance variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages and native operations are always counted. Calls by load and store are counted only in instrumented windows
 * (layer/count.c), so that other windows do not pay for it.
 */

#ifndef OSC_UCP_COUNTERS_H
#define OSC_UCP_COUNTERS_H

#include <stdint.h>

/** How an operation reaches the target's memory. */
typedef enum ompi_osc_ucp_via_t {
    OMPI_OSC_UCP_VIA_SELF,   /**< the process's own memory */
    OMPI_OSC_UCP_VIA_DIRECT, /**< another process's mapped memory, by load and store */
    OMPI_OSC_UCP_VIA_RDMA,   /**< native operations of UCX */
    OMPI_OSC_UCP_VIA_AM,     /**< messages */
    OMPI_OSC_UCP_VIAS
} ompi_osc_ucp_via_t;

/** One window, with this process as the origin. All are uint64_t (report/pvars.c relies on that) and never decrease. */
typedef struct ompi_osc_ucp_counters_t {
    uint64_t operations[OMPI_OSC_UCP_VIAS];
    uint64_t bytes[OMPI_OSC_UCP_VIAS]; /**< of target memory */
    uint64_t messages;                 /**< requests sent to targets */
    uint64_t message_bytes;            /**< of these messages */
    uint64_t coalesced;                /**< operations that shared a message with another */
    uint64_t round_trips;              /**< replies that a call waited for */
    uint64_t locks;                    /**< targets that were locked; instrumented windows only */
    uint64_t lock_waits;               /**< locks that were not granted at once */
    uint64_t atomics;                  /**< the network's own, those of locks included */
    uint64_t waited_ns;                /**< time in synchronization calls; instrumented windows only */
} ompi_osc_ucp_counters_t;

static inline void ompi_osc_ucp_count(ompi_osc_ucp_counters_t *counters, ompi_osc_ucp_via_t via, uint64_t bytes)
{
    counters->operations[via]++;
    counters->bytes[via] += bytes;
}

#endif /* OSC_UCP_COUNTERS_H */
