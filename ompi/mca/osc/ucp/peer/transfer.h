/* A transfer: a communication call as a path gets it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_TRANSFER_H
#define OSC_UCP_TRANSFER_H

#include "layout/layout.h"
#include "op/op.h"
#include "peer/peer.h"

/** A communication call after its checks. The caller owns all of it; it is valid during the call. */
typedef struct ompi_osc_ucp_transfer_t {
    ompi_osc_ucp_peer_t *peer;

    /** Data for the target: put, the accumulate family. NULL with MPI_NO_OP. */
    const void            *origin;
    ompi_osc_ucp_layout_t *origin_layout;

    /** Result buffer: get, get_accumulate, fetch_and_op, compare_and_swap. NULL if there is none. A path that needs the
     *  layout after the call moves it (ompi_osc_ucp_layout_move). */
    void                  *result;
    ompi_osc_ucp_layout_t *result_layout;

    /** Target memory: bytes from the window's base (dynamic windows: an address), and the layout from there. It is of
     *  cells (op/op.h) for the accumulate family, else of bytes. */
    int64_t                disp;
    ompi_osc_ucp_layout_t *target_layout;
    bool                   in_units; /**< disp counts the target's units, which this process does not know yet: the
                                      *   path is a provisional one */

    uint8_t                    op;      /**< the accumulate family */
    const ompi_osc_ucp_prim_t *prim;    /**< the accumulate family and compare_and_swap */
    const void                *compare; /**< compare_and_swap: one element */

    ompi_request_t **request_p; /**< R calls: set on success; other calls: NULL */
} ompi_osc_ucp_transfer_t;

/** Is all that a command needs its displacement, from packed byte `pos` of the target layout on? Else the layout must
 *  travel with it. */
static inline bool ompi_osc_ucp_transfer_is_bare(const ompi_osc_ucp_transfer_t *transfer, uint64_t pos)
{
    return ompi_osc_ucp_layout_is_contiguous(transfer->target_layout) &&
           (!transfer->in_units || 0 == transfer->target_layout->lb + (int64_t) pos);
}

#endif /* OSC_UCP_TRANSFER_H */
