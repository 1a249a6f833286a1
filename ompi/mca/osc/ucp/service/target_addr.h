/* The am path, service side: the memory that a command names.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a window's memory is a device's (target->device), the processor must not load or store it: what a command does
 * there is done to copies, by the second half of these functions. They run under the service lock, as all here, so that
 * nobody comes between.
 */

#ifndef OSC_UCP_TARGET_ADDR_H
#define OSC_UCP_TARGET_ADDR_H

#include "service/apply.h"

/** The memory that a command names, after all checks. */
typedef struct ompi_osc_ucp_target_addr_t {
    char                 *base;
    ompi_osc_ucp_layout_t layout; /**< of bytes or cells, relative to base */
} ompi_osc_ucp_target_addr_t;

/** Find and check it; `gap` bytes of the last cell may lie outside. The caller frees addr_p->layout. */
int ompi_osc_ucp_target_addr_find(const ompi_osc_ucp_target_t *target, const ompi_osc_ucp_command_t *command, int64_t gap,
                            ompi_osc_ucp_target_addr_t *addr_p);

/** Copy a put's data to a device's memory, or what a get asks for from there. */
int ompi_osc_ucp_target_addr_put(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command);
int ompi_osc_ucp_target_addr_get(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command, char *to);

/** Accumulate there; `result` as in ompi_osc_ucp_op_apply. All runs are of whole cells; gaps between elements are
 *  written with what they hold. */
int ompi_osc_ucp_target_addr_accumulate(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                  ompi_osc_ucp_stripe_t *stripes, const ompi_osc_ucp_prim_t *prim, char *result);
int ompi_osc_ucp_target_addr_compare_swap(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                    ompi_osc_ucp_stripe_t *stripes, const ompi_osc_ucp_prim_t *prim, char *result);

#endif /* OSC_UCP_TARGET_ADDR_H */
