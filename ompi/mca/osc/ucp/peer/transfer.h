/* A communication call on its way to a path.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_TRANSFER_H
#define OSC_UCP_TRANSFER_H

#include "layout/layout.h"
#include "op/op.h"
#include "peer/peer.h"

/** One communication call after its checks. All belongs to the caller and is valid during the call. */
typedef struct ompi_osc_ucp_transfer_t {
    ompi_osc_ucp_peer_t *peer;

    /** What goes to the target: put, the accumulate family. NULL with MPI_NO_OP. */
    const void            *origin;
    ompi_osc_ucp_layout_t *origin_layout;

    /** What comes back: get, get_accumulate, fetch_and_op, compare_and_swap. NULL if nothing does. A path may take the
     *  layout away (leaving an empty one), if it needs it longer than the call. */
    void                  *result;
    ompi_osc_ucp_layout_t *result_layout;

    /** Where at the target: bytes from the window's base (dynamic windows: an address), and the shape from there; of
     *  cells (op/op.h) for the accumulate family, else of bytes. */
    int64_t                disp;
    ompi_osc_ucp_layout_t *target_layout;

    uint8_t                    op;      /**< the accumulate family */
    const ompi_osc_ucp_prim_t *prim;    /**< the accumulate family and compare_and_swap */
    const void                *compare; /**< compare_and_swap: one element */

    ompi_request_t **request_p; /**< the R calls: to be set, on success; else NULL */
} ompi_osc_ucp_transfer_t;

#endif /* OSC_UCP_TRANSFER_H */
