/* The window memory that a command names.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The processor must not load or store memory of a device (target->device). There the functions in the second half copy
 * elements to the host, update them, and copy them back. The service lock, under which all of this runs, makes that
 * atomic.
 */

#ifndef OSC_UCP_TARGET_ADDR_H
#define OSC_UCP_TARGET_ADDR_H

#include "op/op.h"
#include "service/apply.h"

/** Window memory, after all checks. */
typedef struct ompi_osc_ucp_target_addr_t {
    char                 *base;
    ompi_osc_ucp_layout_t layout; /**< of bytes or cells, relative to base */
} ompi_osc_ucp_target_addr_t;

/**
 * Find the memory that a command names, and check it against the window. `gap` bytes of the last cell may lie outside.
 * On success the caller frees addr_p->layout. OMPI_ERR_RMA_RANGE: outside; OMPI_ERR_BAD_PARAM: the command is damaged.
 */
int ompi_osc_ucp_target_addr_find(const ompi_osc_ucp_target_t *target, const ompi_osc_ucp_command_t *command,
                                  int64_t gap, ompi_osc_ucp_target_addr_t *addr_p);

/** Put to, and get from, a device's memory. */
int ompi_osc_ucp_target_addr_put(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command);
int ompi_osc_ucp_target_addr_get(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                 char *to);

/** Accumulate on a device's memory; `result` as in ompi_osc_ucp_op_apply. All runs consist of whole cells. Gaps between
 *  elements are written back unchanged, and one element that does not change is not written. */
int ompi_osc_ucp_target_addr_accumulate(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                        const ompi_osc_ucp_prim_t *prim, char *result);
int ompi_osc_ucp_target_addr_compare_swap(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                          ompi_osc_ucp_stripe_t *stripes, const ompi_osc_ucp_prim_t *prim,
                                          char *result);

#endif /* OSC_UCP_TARGET_ADDR_H */
