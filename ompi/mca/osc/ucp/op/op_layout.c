/* Applying an MPI_Op to elements that are not contiguous.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Elements of one granule are updated together under its stripe: packed, combined by one kernel call, unpacked.
 */

#include "op/op_layout.h"

#include <string.h>

#include "op/scalar.h"

/** The next elements; for the members see ompi_osc_ucp_op_apply_layout. */
typedef struct target_t {
    ompi_osc_ucp_stripe_t      *stripes;
    uintptr_t                   key_base;
    char                       *base;
    ompi_osc_ucp_layout_iter_t *iter;
} target_t;

static uintptr_t key_of(const target_t *target, int64_t disp)
{
    return (uintptr_t) target->base + (uintptr_t) disp - target->key_base;
}

/** Apply to the next `bytes` of elements without gaps, which lie in several runs in the granule of `disp`. */
static void apply_scattered(const target_t *target, int64_t disp, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                            const char *source, char *result, size_t bytes)
{
    _Alignas(64) char           values[OMPI_OSC_UCP_STRIPE_GRANULE];
    ompi_osc_ucp_layout_iter_t  read   = *target->iter;
    ompi_osc_ucp_stripe_t      *stripe = ompi_osc_ucp_stripe_at(target->stripes, key_of(target, disp));
    bool                        loads  = NULL != result || OMPI_OSC_UCP_OP_REPLACE != op;

    ompi_osc_ucp_stripe_lock_told(stripe);
    if (loads) {
        ompi_osc_ucp_layout_pack(&read, target->base, values, bytes);
    }
    if (NULL != result) {
        memcpy(result, values, bytes);
    }
    if (OMPI_OSC_UCP_OP_NO_OP == op) {
        *target->iter = read;
    } else if (OMPI_OSC_UCP_OP_REPLACE == op) {
        ompi_osc_ucp_layout_unpack(target->iter, target->base, source, bytes);
    } else {
        ompi_osc_ucp_op_combine(op, prim, values, source, bytes / prim->size);
        ompi_osc_ucp_layout_unpack(target->iter, target->base, values, bytes);
    }
    ompi_osc_ucp_stripe_unlock_told(stripe);
}

/** How many packed bytes, of whole elements without gaps, lie in the granule of the next element; 0 if it straddles
 *  two. *disp_p and *run_p: displacement and length of the next run. */
static size_t granule_bytes(const target_t *target, const ompi_osc_ucp_prim_t *prim, size_t max, int64_t *disp_p,
                            uint64_t *run_p)
{
    ompi_osc_ucp_layout_iter_t peek = *target->iter;
    uintptr_t                  in_granule;
    uint64_t                   bytes;

    if (!ompi_osc_ucp_layout_iter_next(&peek, max, disp_p, run_p)) {
        return 0;
    }
    in_granule = key_of(target, *disp_p) % OMPI_OSC_UCP_STRIPE_GRANULE;
    max        = max < OMPI_OSC_UCP_STRIPE_GRANULE ? max : OMPI_OSC_UCP_STRIPE_GRANULE;
    bytes      = ompi_osc_ucp_layout_iter_within(target->iter, *disp_p - (int64_t) in_granule,
                                                 *disp_p - (int64_t) in_granule + OMPI_OSC_UCP_STRIPE_GRANULE, max);
    return bytes - bytes % prim->size;
}

void ompi_osc_ucp_op_apply_layout(ompi_osc_ucp_stripe_t *stripes, uintptr_t key_base, uint8_t op,
                                  const ompi_osc_ucp_prim_t *prim, char *base, ompi_osc_ucp_layout_iter_t *iter,
                                  const char *source, char *result, size_t n)
{
    target_t target = { .stripes = stripes, .key_base = key_base, .base = base, .iter = iter };
    uint64_t run;
    int64_t  disp;
    size_t   bytes = 0, done;

    for (; n > 0; n -= done) {
        if (prim->size == prim->extent) {
            bytes = granule_bytes(&target, prim, n * prim->size, &disp, &run);
        }
        if (bytes > 0 && bytes > run) {
            apply_scattered(&target, disp, op, prim, source, result, bytes);
            done = bytes / prim->size;
        } else if (ompi_osc_ucp_layout_iter_next(iter, n * prim->extent, &disp, &run)) {
            done = run / prim->extent;
            ompi_osc_ucp_op_apply(stripes, key_of(&target, disp), op, prim, base + disp, source, result, done);
        } else {
            return;
        }
        source = NULL == source ? NULL : source + done * prim->size;
        result = NULL == result ? NULL : result + done * prim->size;
    }
}

bool ompi_osc_ucp_lies_in_cells(const ompi_osc_ucp_layout_t *layout, const ompi_osc_ucp_prim_t *prim)
{
    const ompi_osc_ucp_layout_node_t *loop  = &layout->nodes[0];
    const uint64_t                    value = prim->value_size, cells = layout->size / prim->size;
    ompi_osc_ucp_layout_iter_t        iter;
    uint64_t                          pos, run;
    int64_t                           disp;

    if (!ompi_osc_ucp_prim_has_gaps(prim)) {
        return ompi_osc_ucp_layout_is_contiguous(layout);
    }
    if (cells != 1 && (cells != loop->count || prim->extent != loop->stride || layout->nnodes - 1 != loop->items)) {
        return false;
    }
    ompi_osc_ucp_layout_iter_init(&iter, layout, 0);
    for (pos = 0; pos < prim->size; pos += run) { /* they are iterations, and the others are like the first one */
        if (!ompi_osc_ucp_layout_iter_next(&iter, pos < value ? value - pos : prim->size - pos, &disp, &run) ||
            disp - layout->lb != (int64_t) (pos < value ? pos : prim->index_offset + pos - value)) {
            return false;
        }
    }
    return true;
}
