/* Counters of a window, for the report and the performance variables.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages and native operations are always counted. Calls by load and store are counted only in instrumented windows
 * (layer/count.c), so that other windows do not pay for it.
 */

#ifndef OSC_UCP_COUNTERS_H
#define OSC_UCP_COUNTERS_H

#include <stdbool.h>
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

/** Calls whose operations a tally counts: ompi_osc_ucp_called_t of less than this. */
#define OMPI_OSC_UCP_TALLY_CALLS 11

/** One operation in a tally. The bytes of 1000 operations of 128 GiB are less. */
#define OMPI_OSC_UCP_TALLY_ONE ((uint64_t) 1 << 47)

/** Most bytes of an operation that is counted before its range is checked. One on mapped memory may have more: only a
 *  thousand such operations in a row would be counted wrongly. */
#define OMPI_OSC_UCP_TALLY_BYTES ((uint64_t) 1 << 37)

/** Operations by load and store that are not in the counters yet (ompi_osc_ucp_tally_settle). To count one takes some
 *  ten instructions: its call, its bytes and its target are one sum. */
typedef struct ompi_osc_ucp_tally_t {
    int64_t  left; /**< operations that may come before one that is counted otherwise; with several threads none */
    uint64_t sums[OMPI_OSC_UCP_TALLY_CALLS][2]; /**< by call, and via SELF and DIRECT: operations times TALLY_ONE, and
                                                     bytes */
} ompi_osc_ucp_tally_t;

/** Most operations in a tally. */
#define OMPI_OSC_UCP_TALLY_MAX 1021

/** Count an operation on the own memory, or on another process's. False: it is not counted. */
static inline bool ompi_osc_ucp_tally(ompi_osc_ucp_tally_t *tally, int call, bool other, uint64_t bytes)
{
    if (__builtin_expect(tally->left <= 0, false)) {
        return false;
    }
    tally->left--;
    tally->sums[call][other] += OMPI_OSC_UCP_TALLY_ONE + bytes;
    return true;
}

#endif /* OSC_UCP_COUNTERS_H */
