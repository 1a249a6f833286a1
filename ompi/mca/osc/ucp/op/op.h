/* Applying an MPI_Op to window memory, atomically per element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All accumulate-family calls on window memory end here, whether the origin does them itself (direct
 * path) or the target's service side does (am path), so that both meet in the same stripes. Called from
 * the service thread too: no Open MPI object is retained, no progress is made, nothing is allocated.
 */

#ifndef OSC_UCP_OP_H
#define OSC_UCP_OP_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"

/** Operation codes on the wire; ours, so that they do not depend on Open MPI's numbering. */
typedef enum ompi_osc_ucp_op_code_t {
    OMPI_OSC_UCP_OP_NO_OP = 1,
    OMPI_OSC_UCP_OP_REPLACE,
    OMPI_OSC_UCP_OP_MAX,
    OMPI_OSC_UCP_OP_MIN,
    OMPI_OSC_UCP_OP_SUM,
    OMPI_OSC_UCP_OP_PROD,
    OMPI_OSC_UCP_OP_LAND,
    OMPI_OSC_UCP_OP_BAND,
    OMPI_OSC_UCP_OP_LOR,
    OMPI_OSC_UCP_OP_BOR,
    OMPI_OSC_UCP_OP_LXOR,
    OMPI_OSC_UCP_OP_BXOR,
    OMPI_OSC_UCP_OP_MAXLOC,
    OMPI_OSC_UCP_OP_MINLOC,
    OMPI_OSC_UCP_OP_COUNT
} ompi_osc_ucp_op_code_t;

/** Elements that need no kernel call. */
typedef enum ompi_osc_ucp_scalar_t {
    OMPI_OSC_UCP_SCALAR_NONE,
    OMPI_OSC_UCP_SCALAR_INT32, /**< of either sign */
    OMPI_OSC_UCP_SCALAR_INT64,
    OMPI_OSC_UCP_SCALAR_FLOAT,
    OMPI_OSC_UCP_SCALAR_DOUBLE
} ompi_osc_ucp_scalar_t;

/**
 * A predefined type as the element of an accumulate. Elements of the pair types (MPI_DOUBLE_INT ...) have gaps:
 * they take `extent` bytes of memory (a cell) and `size` packed bytes. For all others the two are equal.
 */
typedef struct ompi_osc_ucp_prim_t {
    uint8_t                 code;         /**< on the wire; index into the table; 0 is none */
    uint8_t                 align;        /**< natural alignment that the kernels may assume, bytes */
    uint16_t                size;         /**< packed bytes */
    uint16_t                extent;       /**< bytes from one element to the next */
    uint16_t                value_size;   /**< pair types with gaps: bytes of the value at offset 0; else = size */
    uint16_t                index_offset; /**< pair types with gaps: offset of the int; else 0 */
    uint8_t                 scalar;       /**< ompi_osc_ucp_scalar_t: what the CPU has instructions for */
    bool                    swaps;        /**< a scalar that compare_and_swap allows: an integer */
    uint32_t                ops;          /**< bit i: operation i is defined on it */
    struct ompi_datatype_t *datatype;     /**< the predefined handle, for Open MPI's kernels */
} ompi_osc_ucp_prim_t;

/** No element has more bytes, packed or in memory. */
#define OMPI_OSC_UCP_ELEMENT_MAX 32

/** Bytes at the end of a cell that are not the element's: the last cell may stick out of a window by these. */
static inline int64_t ompi_osc_ucp_prim_gap(const ompi_osc_ucp_prim_t *prim)
{
    return 0 == prim->index_offset ? 0 : prim->extent - (int64_t) (prim->index_offset + sizeof(int));
}

/** Fill the tables; call once, from an MPI thread, before any other function here. */
void ompi_osc_ucp_op_init(void);

/** The element type of a predefined or derived datatype; NULL if it has none or several. */
const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_of(struct ompi_datatype_t *datatype);

/** The tables: element types by code, codes by Open MPI's id of a predefined type. Written once. */
extern ompi_osc_ucp_prim_t ompi_osc_ucp_prims[];
extern uint8_t             ompi_osc_ucp_prim_codes[];

/** Element type of a predefined datatype; NULL for others, and for those that are not in the table. */
static inline const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_predefined(const struct ompi_datatype_t *datatype)
{
    uint8_t code;

    if (0 == (datatype->super.flags & OMPI_DATATYPE_FLAG_PREDEFINED) || datatype->id < 0 ||
        datatype->id >= OMPI_DATATYPE_MAX_PREDEFINED) {
        return NULL;
    }
    code = ompi_osc_ucp_prim_codes[datatype->id];
    return 0 != code ? &ompi_osc_ucp_prims[code] : NULL;
}

/** The element type of a code from a message; NULL if there is none such. */
const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_by_code(uint8_t code);

/** Codes by Open MPI's index of predefined operations, of which there are few. */
#define OMPI_OSC_UCP_OPS_BY_INDEX 32
extern uint8_t ompi_osc_ucp_op_codes[OMPI_OSC_UCP_OPS_BY_INDEX];

/** Our code of a predefined operation; 0 for a user-defined one. */
static inline uint8_t ompi_osc_ucp_op_code(const struct ompi_op_t *op)
{
    unsigned index = (unsigned) op->o_f_to_c_index;

    if (0 == (op->o_flags & OMPI_OP_FLAGS_INTRINSIC) || index >= OMPI_OSC_UCP_OPS_BY_INDEX) {
        return 0;
    }
    return ompi_osc_ucp_op_codes[index];
}

/** Is the operation defined on the element type (MPI-3.1 section 5.9.2; NO_OP and REPLACE on all)? */
static inline bool ompi_osc_ucp_op_valid(uint8_t op, const ompi_osc_ucp_prim_t *prim)
{
    return NULL != prim && op < OMPI_OSC_UCP_OP_COUNT && 0 != (prim->ops >> op & 1);
}

/** Is it of the native class: may a network device do it, on an element that lies at a multiple of its size? */
bool ompi_osc_ucp_op_is_native(uint8_t op, const ompi_osc_ucp_prim_t *prim);

/**
 * The processor is about to update elements of a window in the NIC domain. Whether that ever happens to the native
 * class is counted, so that tests can show it does not. Any thread.
 */
void     ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address);
uint64_t ompi_osc_ucp_domain_trespasses(void);

/** Memory of one stripe: one cache line. */
typedef struct ompi_osc_ucp_stripe_t {
    volatile int32_t locked;
    char             pad[60];
} ompi_osc_ucp_stripe_t;

#define OMPI_OSC_UCP_STRIPES 64

/** Bytes of window memory that share a stripe. */
#define OMPI_OSC_UCP_STRIPE_GRANULE 4096

/**
 * Apply `op` to `n` consecutive elements at `target`.
 *
 * @param stripes  OMPI_OSC_UCP_STRIPES of them, zeroed at creation, in memory shared by all that access `target`.
 * @param key      chooses the stripes: an address or offset of `target` on which all accessors agree.
 * @param target   n cells of prim->extent bytes; any alignment; only data bytes are read or written, never gaps.
 * @param source   n packed elements, any alignment; NULL for OMPI_OSC_UCP_OP_NO_OP. Not modified.
 * @param result   receives n packed elements as they were before; NULL if not wanted. Must not overlap the others.
 *
 * Each element is updated atomically with respect to all other calls with the same stripes. `op` must be valid.
 */
void ompi_osc_ucp_op_apply(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op,
                           const ompi_osc_ucp_prim_t *prim, void *target, const void *source, void *result,
                           size_t n);

/** values = source op values, of `n` elements without gaps, at most a granule of them, under no stripe. `values` is aligned
 *  for them, `source` need not be. `op` has a kernel: it is not NO_OP or REPLACE. */
void ompi_osc_ucp_op_combine(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *values, const void *source, size_t n);

/** Compare-and-swap of one gap-free element: `result` gets the old value; swapped if it equals `compare` bytewise. */
void ompi_osc_ucp_op_compare_swap(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, const ompi_osc_ucp_prim_t *prim,
                                  void *target, const void *source, const void *compare, void *result);

#endif /* OSC_UCP_OP_H */
