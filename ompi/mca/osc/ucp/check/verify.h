/* What a target sees in its own memory when an epoch of others' operations ends.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CHECK_VERIFY_H
#define OSC_UCP_CHECK_VERIFY_H

#include "check/arrived.h"

/** The number that a put sends with its access: of what it puts, if that is one run of bytes at both ends; else 0. */
uint32_t ompi_osc_ucp_verify_print(const ompi_osc_ucp_check_op_t *op, const ompi_osc_ucp_access_t *access);

/** The calls that began and end an epoch in which others may access the own memory. */
typedef struct ompi_osc_ucp_verified_t {
    ompi_osc_ucp_window_t *window;
    ompi_osc_ucp_within_t  within; /**< of fences, or of MPI_Win_start at the origins */
    uint32_t               number; /**< fences before the one that ends it; not of an exposure epoch */
    int                    assert; /**< of the call that began it */
    ompi_osc_ucp_site_t    site;   /**< of that call */
} ompi_osc_ucp_verified_t;

/** All operations of the epoch are complete and known, and none of a later one has begun: tell of puts whose bytes were
 *  changed behind them, and of updates that the assertion has denied. */
void ompi_osc_ucp_verify(const ompi_osc_ucp_arrived_t *arrived, const ompi_osc_ucp_verified_t *epoch);

#endif /* OSC_UCP_CHECK_VERIFY_H */
