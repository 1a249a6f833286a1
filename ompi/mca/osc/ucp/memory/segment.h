/* The segment of a window whose members share a node: their control blocks, and memory that MPI allocates.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SEGMENT_H
#define OSC_UCP_SEGMENT_H

#include "base/host.h"
#include "memory/cma.h"
#include "memory/control.h"
#include "op/stripes.h"

typedef struct ompi_osc_ucp_segment_t ompi_osc_ucp_segment_t;

/** What a process wants of the segment, and tells the others. */
typedef struct ompi_osc_ucp_share_t {
    uint64_t memory;     /**< bytes in the segment */
    uint64_t far;        /**< further bytes that lie apart: they take no memory before they are used. Only if all
                          *   members want as much, and if the others are a multiple of 64 bytes */
    uint32_t counters;   /**< room for notification counters. The same in all processes */
    uint64_t alignment;  /**< of that memory; a power of 2, a page at most. The same in all processes */
    bool     uniform;    /**< all processes want as much */
    bool     contiguous; /**< a member's memory begins where the last one's ends */
    bool     must;       /**< there is no window without a segment: it may be on a disk */
    int64_t  size;       /**< of the window's memory, wherever that is; bytes */
    int64_t  disp_unit;  /**< bytes */
    uint64_t base;       /**< address of the window's memory, where that is the program's */
    ompi_osc_ucp_cma_self_t self;
} ompi_osc_ucp_share_t;

/** A member's part of the segment, at this process's addresses. */
typedef struct ompi_osc_ucp_member_t {
    ompi_osc_ucp_control_t *control;
    char                   *memory;    /**< NULL: none */
    char                   *far;       /**< what lies apart; valid if there is some */
    ompi_osc_ucp_stripe_t  *stripes;
    uintptr_t               key_base;  /**< subtracted from an address it gives the stripes' key */
    int64_t                 size;      /**< bytes */
    int64_t                 disp_unit; /**< bytes */
    uint64_t                base;      /**< the member's address of the program's memory */
    uintptr_t               base_key;  /**< key_base for the program's memory, by the member's addresses */
    ompi_osc_ucp_cma_self_t self;
} ompi_osc_ucp_member_t;

/**
 * Make the segment and map it. Collective over comm; all processes return the same code.
 * @param bytes_p  of the whole segment, also if it cannot be made; 0: too many; untouched if that is not known.
 */
int ompi_osc_ucp_segment_share(ompi_communicator_t *comm, const ompi_osc_ucp_share_t *share,
                               ompi_osc_ucp_segment_t **segment_p, uint64_t *bytes_p);

/** Where rank 0 has a segment, and for whom, in numbers that an allreduce for maxima can carry. */
#define OMPI_OSC_UCP_OFFER_WORDS 10

typedef struct ompi_osc_ucp_offer_t {
    int64_t words[OMPI_OSC_UCP_OFFER_WORDS];
} ompi_osc_ucp_offer_t;

/** No offer: each number is less than any other, or the same. */
ompi_osc_ucp_offer_t ompi_osc_ucp_offer_none(void);

/** At rank 0: make a segment as for members that all want the same, before they have agreed on that. NULL, and no
 *  offer: the system gives none. Local. */
ompi_osc_ucp_segment_t *ompi_osc_ucp_segment_offer(int members, const ompi_osc_ucp_share_t *share,
                                                   ompi_osc_ucp_offer_t *offer);

/** Is there an offer, and for what all members want? */
bool ompi_osc_ucp_offer_suits(const ompi_osc_ucp_offer_t *offer, const ompi_osc_ucp_share_t *share);

/**
 * Map a segment that was offered. The members must agree on the outcome before they use it. Local.
 * @param segment_p  at rank 0 the segment that it has made, elsewhere NULL; then the one that is mapped, or NULL.
 */
int ompi_osc_ucp_segment_accept(ompi_communicator_t *comm, const ompi_osc_ucp_offer_t *offer,
                                const ompi_osc_ucp_share_t *share, ompi_osc_ucp_segment_t **segment_p);

/** Unmap a segment, which may be NULL, that no member uses, as some could not map it. No member writes to it any more.
 *  Local. */
void ompi_osc_ucp_segment_discard(ompi_osc_ucp_segment_t *segment);

/** Unmap the segment, which may be NULL, when this process no longer uses it. Local. */
void ompi_osc_ucp_segment_free(ompi_osc_ucp_segment_t *segment);

/** The part of a member. */
ompi_osc_ucp_member_t ompi_osc_ucp_segment_member(const ompi_osc_ucp_segment_t *segment, int rank);

#endif /* OSC_UCP_SEGMENT_H */
