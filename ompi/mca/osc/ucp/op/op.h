/* Element types, and how an MPI_Op is applied to window memory, atomically per element.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * All accumulates that processors do on window memory end here or in op/scalar.h, on the origin (direct path) and on
 * the service side (messages). So all of them lock the same stripes. The service thread calls these functions too: they
 * retain no object of Open MPI, make no progress and allocate nothing.
 */

#ifndef OSC_UCP_OP_H
#define OSC_UCP_OP_H

#include "ompi_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"

#include "op/stripes.h"

/** Operation codes in messages. They do not depend on Open MPI's numbers. */
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

/** Elements that op/scalar.h combines without a kernel of Open MPI. */
typedef enum ompi_osc_ucp_scalar_t {
    OMPI_OSC_UCP_SCALAR_NONE,
    OMPI_OSC_UCP_SCALAR_INT32, /**< signed or unsigned; so is INT64 */
    OMPI_OSC_UCP_SCALAR_INT64,
    OMPI_OSC_UCP_SCALAR_FLOAT,
    OMPI_OSC_UCP_SCALAR_DOUBLE
} ompi_osc_ucp_scalar_t;

/**
 * A prim: a predefined type as the element of an accumulate. An element takes `extent` bytes of memory, its cell, and
 * `size` packed bytes. The two differ for pair types with gaps, such as MPI_DOUBLE_INT.
 */
typedef struct ompi_osc_ucp_prim_t {
    uint8_t                 code;         /**< in messages; index into the table; 0: unused entry */
    uint8_t                 align;        /**< alignment that kernels may assume, bytes */
    uint16_t                size;         /**< packed bytes */
    uint16_t                extent;       /**< bytes of a cell */
    uint16_t                value_size;   /**< pair types with gaps: bytes of the value at offset 0; else `size` */
    uint16_t                index_offset; /**< pair types with gaps: offset of the int; else 0 */
    uint8_t                 scalar;       /**< ompi_osc_ucp_scalar_t */
    bool                    swaps;        /**< compare_and_swap of it may use op/scalar.h: an integer */
    uint32_t                ops;          /**< bit i: operation i is defined on it */
    struct ompi_datatype_t *datatype;     /**< predefined handle, for Open MPI's kernels */
} ompi_osc_ucp_prim_t;

/** How elements lie in memory: as cells, or packed. */
typedef enum ompi_osc_ucp_form_t { OMPI_OSC_UCP_CELLS, OMPI_OSC_UCP_PACKED } ompi_osc_ucp_form_t;

static inline bool ompi_osc_ucp_prim_has_gaps(const ompi_osc_ucp_prim_t *prim)
{
    return prim->size != prim->extent;
}

/** Most bytes of an element, packed or in memory. */
#define OMPI_OSC_UCP_ELEMENT_MAX 32

/** Bytes of the gap at the end of a cell. The last cell may reach beyond its window by these. */
static inline int64_t ompi_osc_ucp_prim_gap(const ompi_osc_ucp_prim_t *prim)
{
    return 0 == prim->index_offset ? 0 : prim->extent - (int64_t) (prim->index_offset + sizeof(int));
}

/** Fill the tables; call once, before any other function here. */
void ompi_osc_ucp_op_init(void);

/** The prim of a predefined or derived datatype; NULL if its elements have none, or differ. Not in the service
 *  thread. */
const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_of(struct ompi_datatype_t *datatype);

/** The tables: prims by code, codes by Open MPI's id of a predefined type. Written by ompi_osc_ucp_op_init. */
extern ompi_osc_ucp_prim_t ompi_osc_ucp_prims[];
extern uint8_t             ompi_osc_ucp_prim_codes[];

/** The prim of a predefined datatype; NULL for other types, and for those that are not in the table. */
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

/** The prim of a code from a message; NULL if the code is invalid. */
const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_by_code(uint8_t code);

/** Codes by Open MPI's index of a predefined operation, which is less than this. */
#define OMPI_OSC_UCP_OPS_BY_INDEX 32
extern uint8_t ompi_osc_ucp_op_codes[OMPI_OSC_UCP_OPS_BY_INDEX];

/** The code of a predefined operation; 0 for a user-defined one. */
static inline uint8_t ompi_osc_ucp_op_code(const struct ompi_op_t *op)
{
    unsigned index = (unsigned) op->o_f_to_c_index;

    if (0 == (op->o_flags & OMPI_OP_FLAGS_INTRINSIC) || index >= OMPI_OSC_UCP_OPS_BY_INDEX) {
        return 0;
    }
    return ompi_osc_ucp_op_codes[index];
}

/** Is the operation defined on the element type (MPI-3.1 section 5.9.2)? NO_OP and REPLACE are on all. */
static inline bool ompi_osc_ucp_op_valid(uint8_t op, const ompi_osc_ucp_prim_t *prim)
{
    return NULL != prim && op < OMPI_OSC_UCP_OP_COUNT && 0 != (prim->ops >> op & 1);
}

/** Is it of the native class, which devices execute in the NIC domain? That holds for elements at multiples of their
 *  size. */
bool ompi_osc_ucp_op_is_native(uint8_t op, const ompi_osc_ucp_prim_t *prim);

/** The processor is about to update elements of a window in the NIC domain. Counts those of the native class, which
 *  would be an error: tests show that the count stays 0. Any thread. */
void     ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address);
uint64_t ompi_osc_ucp_domain_trespasses(void);

/**
 * Apply `op` to `n` consecutive elements at `target`.
 *
 * @param stripes  OMPI_OSC_UCP_STRIPES of them, initially zero, in memory shared by all that access `target`.
 * @param key      chooses the stripes: an address or offset of `target` that is the same in all processes.
 * @param target   n cells of any alignment. Gaps are neither read nor written.
 * @param source   n packed elements of any alignment; NULL for OMPI_OSC_UCP_OP_NO_OP.
 * @param result   receives the n old elements, packed; NULL if not wanted. Must not overlap the others.
 *
 * Each element is updated atomically with respect to all calls with the same stripes. `op` must be valid for `prim`.
 * One element alone that is read and does not change is not stored. Programs poll by such operations while a put to the
 * element may be under way, which a store could undo.
 */
void ompi_osc_ucp_op_apply(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op,
                           const ompi_osc_ucp_prim_t *prim, void *target, const void *source, void *result,
                           size_t n);

/** The same for `source` and `result` that are cells, too. Their gaps are neither read nor written. */
void ompi_osc_ucp_op_apply_cells(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op,
                                 const ompi_osc_ucp_prim_t *prim, void *target, const void *source, void *result,
                                 size_t n);

/** values = source op values, for `n` elements without gaps, at most a granule. Takes no stripe. `values` is aligned,
 *  `source` need not be. `op` is neither NO_OP nor REPLACE. */
void ompi_osc_ucp_op_combine(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *values, const void *source, size_t n);

/** Apply `op` to `n` cells of the caller's own memory: as ompi_osc_ucp_op_apply, but takes no stripe. False: nothing
 *  was stored. */
bool ompi_osc_ucp_op_apply_private(uint8_t op, const ompi_osc_ucp_prim_t *prim, char *cells, const char *source,
                                   char *result, size_t n);

/** Compare and swap one element without gaps. `result` receives the old value. Values are compared bytewise. A swap
 *  that changes nothing stores nothing, as above. */
void ompi_osc_ucp_op_compare_swap(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, const ompi_osc_ucp_prim_t *prim,
                                  void *target, const void *source, const void *compare, void *result);

#endif /* OSC_UCP_OP_H */
