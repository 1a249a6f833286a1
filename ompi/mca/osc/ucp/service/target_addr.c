/* The window memory that a command names, and operations on it where the processor must not touch it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "service/target_addr.h"

#include "layout/layout.h"

/** Bytes of a device's memory that are updated at once. */
#define CELLS (64 * 1024)

int ompi_osc_ucp_target_addr_find(const ompi_osc_ucp_target_t *target, const ompi_osc_ucp_command_t *command,
                                  int64_t gap, ompi_osc_ucp_target_addr_t *addr_p)
{
    const ompi_osc_ucp_wire_command_t *wire   = &command->wire;
    ompi_osc_ucp_layout_t             *layout = &addr_p->layout;
    bool                               fits;

    if (0 == wire->len) {
        return OMPI_ERR_BAD_PARAM; /* origins send no empty command */
    }
    if (NULL == command->layout) {
        ompi_osc_ucp_layout_contiguous(layout, 0, wire->len);
    } else if (wire->len > OMPI_OSC_UCP_FRAG_MAX || command->shape.pos > INT64_MAX ||
               !ompi_osc_ucp_layout_decode(command->layout, command->shape.len, layout)) {
        return OMPI_ERR_BAD_PARAM;
    }
    if (command->shape.pos > layout->size || wire->len > layout->size - command->shape.pos) {
        ompi_osc_ucp_layout_fini(layout);
        return OMPI_ERR_BAD_PARAM;
    }
    if (NULL != target->regions) {
        fits = ompi_osc_ucp_regions_cover(target->regions, (uint64_t) wire->disp, layout, command->shape.pos, wire->len,
                                          gap);
    } else {
        fits = ompi_osc_ucp_in_range(target->bytes, wire->disp, layout->lb, layout->ub - gap);
    }
    if (!fits) {
        ompi_osc_ucp_layout_fini(layout);
        return OMPI_ERR_RMA_RANGE;
    }
    addr_p->base = (char *) ((uintptr_t) target->base + (uintptr_t) wire->disp); /* the base may be NULL */
    return OMPI_SUCCESS;
}

/* Memory of a device. */

static int copy(void *to, const void *from, uint64_t len)
{
    return opal_common_ucp_devices->copy(to, from, len);
}

/** Copy packed bytes to the window (`write`), or from there. */
static int runs_copy(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command, bool write,
                     char *packed)
{
    ompi_osc_ucp_layout_iter_t iter;
    uint64_t                   left = command->wire.len, len;
    int64_t                    disp;
    int                        rc = OMPI_SUCCESS;

    ompi_osc_ucp_layout_iter_init(&iter, &addr->layout, command->shape.pos);
    while (OMPI_SUCCESS == rc && left > 0 && ompi_osc_ucp_layout_iter_next(&iter, left, &disp, &len)) {
        rc = write ? copy(addr->base + disp, packed, len) : copy(packed, addr->base + disp, len);
        packed += len;
        left   -= len;
    }
    return rc;
}

int ompi_osc_ucp_target_addr_put(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command)
{
    return runs_copy(addr, command, true, (char *) command->data);
}

int ompi_osc_ucp_target_addr_get(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                 char *to)
{
    return runs_copy(addr, command, false, to);
}

int ompi_osc_ucp_target_addr_accumulate(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                        const ompi_osc_ucp_prim_t *prim, char *result)
{
    static _Alignas(64) char   cells[CELLS];
    const uint64_t             most   = CELLS - CELLS % prim->extent, gap = (uint64_t) ompi_osc_ucp_prim_gap(prim);
    const bool                 writes = OMPI_OSC_UCP_OP_NO_OP != command->wire.op;
    uint64_t                   left   = command->wire.len, packed = 0, len;
    ompi_osc_ucp_layout_iter_t iter;
    int64_t                    disp;
    int                        rc = OMPI_SUCCESS;

    ompi_osc_ucp_layout_iter_init(&iter, &addr->layout, command->shape.pos);
    while (OMPI_SUCCESS == rc && left > 0 &&
           ompi_osc_ucp_layout_iter_next(&iter, left < most ? left : most, &disp, &len)) {
        rc = copy(cells, addr->base + disp, len - gap);
        if (OMPI_SUCCESS == rc &&
            ompi_osc_ucp_op_apply_private(command->wire.op, prim, cells, writes ? command->data + packed : NULL,
                                          NULL == result ? NULL : result + packed, len / prim->extent)) {
            rc = copy(addr->base + disp, cells, len - gap);
        }
        packed += len / prim->extent * prim->size;
        left   -= len;
    }
    return rc;
}

int ompi_osc_ucp_target_addr_compare_swap(const ompi_osc_ucp_target_addr_t *addr, const ompi_osc_ucp_command_t *command,
                                          ompi_osc_ucp_stripe_t *stripes, const ompi_osc_ucp_prim_t *prim, char *result)
{
    _Alignas(32) char cell[32];
    int               rc = prim->size <= sizeof(cell) ? copy(cell, addr->base, prim->size) : OMPI_ERR_BAD_PARAM;

    if (OMPI_SUCCESS == rc) {
        ompi_osc_ucp_op_compare_swap(stripes, (uintptr_t) cell, prim, cell, command->data, command->data + prim->size,
                                     result);
        rc = 0 == memcmp(cell, result, prim->size) ? OMPI_SUCCESS : copy(addr->base, cell, prim->size);
    }
    return rc;
}
