/* An access: what an operation does to bytes of a window, when, and in which epoch. Processes send them to each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_ACCESS_H
#define OSC_UCP_CHECK_ACCESS_H

#include <stddef.h>
#include <string.h>

#include "check/check.h"
#include "check/clock.h"
#include "check/report.h"

/** How an operation treats memory. */
typedef enum ompi_osc_ucp_does_t {
    OMPI_OSC_UCP_DOES_READ,
    OMPI_OSC_UCP_DOES_WRITE,
    OMPI_OSC_UCP_DOES_ACCUMULATE
} ompi_osc_ucp_does_t;

/** The epoch of an operation. */
typedef enum ompi_osc_ucp_within_t {
    OMPI_OSC_UCP_WITHIN_FENCES,
    OMPI_OSC_UCP_WITHIN_START,
    OMPI_OSC_UCP_WITHIN_SHARED, /**< a shared lock, or MPI_Win_lock_all */
    OMPI_OSC_UCP_WITHIN_EXCLUSIVE
} ompi_osc_ucp_within_t;

/** Accesses of the owner to its own memory. */
typedef enum ompi_osc_ucp_local_t {
    OMPI_OSC_UCP_LOCAL_NOT,
    OMPI_OSC_UCP_LOCAL_PROGRAM, /**< a load or a store of the program */
    OMPI_OSC_UCP_LOCAL_BUFFER   /**< the memory is a buffer of an operation of its owner */
} ompi_osc_ucp_local_t;

/** `count` runs of `len` bytes, `stride` bytes apart. `first` is of the target's memory, and in dynamic windows an
 *  address. */
typedef struct ompi_osc_ucp_runs_t {
    int64_t  first;
    uint64_t len, stride, count; /**< `stride` is 0 if `count` is 1 */
} ompi_osc_ucp_runs_t;

/** An access, or a part of one. */
typedef struct ompi_osc_ucp_access_t {
    ompi_osc_ucp_runs_t runs;
    uint64_t            begin;  /**< when the call began, CLOCK_MONOTONIC, nanoseconds */
    uint64_t            finish; /**< when the call that completes it began; UINT64_MAX: it is pending */
    uint64_t            host;   /**< whose clock that is */
    uint32_t            number; /**< epochs of MPI_Win_start for the target so far; in other epochs: fences so far */
    int32_t             origin, target; /**< ranks */
    ompi_osc_ucp_site_t site;
    uint8_t             call;   /**< ompi_osc_ucp_called_t */
    uint8_t             does;   /**< ompi_osc_ucp_does_t */
    uint8_t             within; /**< ompi_osc_ucp_within_t */
    uint8_t             op;     /**< ompi_osc_ucp_op_code_t; 0: none, or MPI_Compare_and_swap */
    uint8_t             prim;   /**< code of the element type; 0: none, or not known */
    uint8_t             local;  /**< ompi_osc_ucp_local_t. Such an access is a moment: `begin`, or later */
    uint8_t             free;   /**< local: the owner holds no lock of its memory */
    uint8_t             waits;  /**< local: it may wait for what another process writes */
    uint8_t             partial; /**< the operation touches more than its parts */
    uint32_t            print;  /**< of the bytes of a put (check/verify.h); 0: none */
    ompi_osc_ucp_stamp_t stamp; /**< what clocks know of it; the last, see ompi_osc_ucp_access_copy */
} ompi_osc_ucp_access_t;

/** Copy an access. What another process's clock says is most of it, and is left out if nothing is known. */
static inline void ompi_osc_ucp_access_copy(ompi_osc_ucp_access_t *to, const ompi_osc_ucp_access_t *from)
{
    if (from->stamp.process < 0) {
        memcpy(to, from, offsetof(ompi_osc_ucp_access_t, stamp.heard));
    } else {
        memcpy(to, from, sizeof(*to));
    }
}

/** Most accesses that one operation becomes; what is more complicated is covered in part. */
#define OMPI_OSC_UCP_ACCESS_PARTS 16

/** The parts of an operation, which has succeeded. Sets runs, call, does, op, prim, site, origin and target; of the
 *  stamp, that nothing is known. `unit` is the target's. Returns how many there are. Outside the origin side. */
int ompi_osc_ucp_access_parts(const ompi_osc_ucp_check_op_t *op, int64_t unit, ompi_osc_ucp_access_t *parts);

/** Does the standard let the two meet on the same bytes at the same time (MPI-3.1 section 11.7)? */
bool ompi_osc_ucp_access_agree(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two);

/** Are both accumulates of the same type? */
bool ompi_osc_ucp_access_alike(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two);

/** Have the two bytes in common? [*first, *end) are some of them. */
bool ompi_osc_ucp_access_overlap(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two, int64_t *first,
                                 int64_t *end);

/** Were both pending at the same time, as the clock of their host says? */
static inline bool ompi_osc_ucp_access_meet(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two)
{
    return one->host == two->host && one->begin < two->finish && two->begin < one->finish;
}

/** Does it only read? */
bool ompi_osc_ucp_access_reads(const ompi_osc_ucp_access_t *access);

/** The kind of a conflict of two operations. */
const char *ompi_osc_ucp_access_kind(const ompi_osc_ucp_access_t *one, const ompi_osc_ucp_access_t *two);

/** How an operation is told. */
ompi_osc_ucp_check_access_t ompi_osc_ucp_access_told(const ompi_osc_ucp_access_t *access);

/** Tell that two accesses that nothing orders have bytes in common. */
void ompi_osc_ucp_access_tell(ompi_osc_ucp_window_t *window, const ompi_osc_ucp_access_t *one,
                              const ompi_osc_ucp_access_t *two, int64_t first, int64_t end);

#endif /* OSC_UCP_CHECK_ACCESS_H */
