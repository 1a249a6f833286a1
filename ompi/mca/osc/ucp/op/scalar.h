/* Inline accumulates of few elements that the processor has instructions for.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_SCALAR_H
#define OSC_UCP_SCALAR_H

#include "op/op.h"

#include <string.h>

/** The sum of two elements, given as bits. */
static inline uint64_t ompi_osc_ucp_scalar_sum(uint8_t scalar, uint64_t bits, uint64_t with)
{
    union {
        uint32_t bits;
        float    value;
    } a = { .bits = (uint32_t) bits }, b = { .bits = (uint32_t) with };
    union {
        uint64_t bits;
        double   value;
    } c = { .bits = bits }, d = { .bits = with };

    switch (scalar) {
    case OMPI_OSC_UCP_SCALAR_FLOAT:
        a.value += b.value;
        return a.bits;
    case OMPI_OSC_UCP_SCALAR_DOUBLE:
        c.value += d.value;
        return c.bits;
    default:
        return bits + with;
    }
}

/* Load and store 4 or 8 bytes. Each branch has a constant size, so that memcpy is inline. */

static inline uint64_t ompi_osc_ucp_scalar_load(const void *from, size_t size)
{
    uint64_t wide;
    uint32_t narrow;

    if (sizeof(wide) == size) {
        memcpy(&wide, from, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, from, sizeof(narrow));
    return narrow;
}

static inline void ompi_osc_ucp_scalar_store(void *to, uint64_t bits, size_t size)
{
    uint32_t narrow = (uint32_t) bits;

    if (sizeof(bits) == size) {
        memcpy(to, &bits, sizeof(bits));
    } else {
        memcpy(to, &narrow, sizeof(narrow));
    }
}

/** Operations that are the same on all bits: they are defined on integers only. */
#define OMPI_OSC_UCP_SCALAR_BITWISE \
    (1u << OMPI_OSC_UCP_OP_BAND | 1u << OMPI_OSC_UCP_OP_BOR | 1u << OMPI_OSC_UCP_OP_BXOR)

/** What an operation that ompi_osc_ucp_is_scalar allows makes of an element, given as bits. */
static inline __attribute__((always_inline)) uint64_t
ompi_osc_ucp_scalar_combine(uint8_t op, uint8_t scalar, uint64_t bits, uint64_t with)
{
    switch (op) {
    case OMPI_OSC_UCP_OP_SUM:
        return ompi_osc_ucp_scalar_sum(scalar, bits, with);
    case OMPI_OSC_UCP_OP_REPLACE:
        return with;
    case OMPI_OSC_UCP_OP_BAND:
        return bits & with;
    case OMPI_OSC_UCP_OP_BOR:
        return bits | with;
    case OMPI_OSC_UCP_OP_BXOR:
        return bits ^ with;
    default:
        return bits;
    }
}

/** Can the functions below apply the operation to the element? It must be aligned, and so must its key. */
static inline bool ompi_osc_ucp_is_scalar(uint8_t op, const ompi_osc_ucp_prim_t *prim, uintptr_t key,
                                          const void *target)
{
    return OMPI_OSC_UCP_SCALAR_NONE != prim->scalar && 0 == ((key | (uintptr_t) target) & (prim->size - 1u)) &&
           0 != (1u << op & (1u << OMPI_OSC_UCP_OP_SUM | 1u << OMPI_OSC_UCP_OP_REPLACE | 1u << OMPI_OSC_UCP_OP_NO_OP |
                             OMPI_OSC_UCP_SCALAR_BITWISE));
}

/** So many elements, at most, are summed here: for few of them the call of a kernel would take longer. */
#define OMPI_OSC_UCP_SCALARS_MAX 32

/** 16 bytes of elements of one type. */
typedef union ompi_osc_ucp_scalars_t {
    uint32_t int32s[4];
    uint64_t int64s[2];
    float    floats[4];
    double   doubles[2];
} ompi_osc_ucp_scalars_t;

/** Add 16 bytes of elements; the compiler makes one instruction of each loop. */
static inline void ompi_osc_ucp_scalars_add(uint8_t scalar, ompi_osc_ucp_scalars_t *to,
                                            const ompi_osc_ucp_scalars_t *with)
{
    size_t i;

    switch (scalar) {
    case OMPI_OSC_UCP_SCALAR_INT32:
        for (i = 0; i < 4; i++) {
            to->int32s[i] += with->int32s[i];
        }
        break;
    case OMPI_OSC_UCP_SCALAR_INT64:
        for (i = 0; i < 2; i++) {
            to->int64s[i] += with->int64s[i];
        }
        break;
    case OMPI_OSC_UCP_SCALAR_FLOAT:
        for (i = 0; i < 4; i++) {
            to->floats[i] += with->floats[i];
        }
        break;
    default:
        for (i = 0; i < 2; i++) {
            to->doubles[i] += with->doubles[i];
        }
        break;
    }
}

/** ompi_osc_ucp_scalars_sum for one type. Always inline: `scalar` and `size` are constants. */
static inline __attribute__((always_inline)) void
ompi_osc_ucp_scalars_apply(uint8_t scalar, size_t size, char *target, const char *source, char *result, size_t n)
{
    ompi_osc_ucp_scalars_t some, with;
    uint64_t               old;
    size_t                 at = 0, end = n * size;

    for (; at + sizeof(some) <= end; at += sizeof(some)) {
        memcpy(&some, target + at, sizeof(some));
        memcpy(&with, source + at, sizeof(with));
        if (NULL != result) {
            memcpy(result + at, &some, sizeof(some));
        }
        ompi_osc_ucp_scalars_add(scalar, &some, &with);
        memcpy(target + at, &some, sizeof(some));
    }
    for (; at < end; at += size) {
        old = ompi_osc_ucp_scalar_load(target + at, size);
        ompi_osc_ucp_scalar_store(
            target + at, ompi_osc_ucp_scalar_sum(scalar, old, ompi_osc_ucp_scalar_load(source + at, size)), size);
        if (NULL != result) {
            ompi_osc_ucp_scalar_store(result + at, old, size);
        }
    }
}

/** Add `n` elements to aligned ones; their old values go to `result` if it is not NULL. The caller holds the stripe. */
static inline void ompi_osc_ucp_scalars_sum(uint8_t scalar, void *target, const void *source, void *result, size_t n)
{
    switch (scalar) {
    case OMPI_OSC_UCP_SCALAR_INT32:
        ompi_osc_ucp_scalars_apply(OMPI_OSC_UCP_SCALAR_INT32, sizeof(uint32_t), target, source, result, n);
        break;
    case OMPI_OSC_UCP_SCALAR_INT64:
        ompi_osc_ucp_scalars_apply(OMPI_OSC_UCP_SCALAR_INT64, sizeof(uint64_t), target, source, result, n);
        break;
    case OMPI_OSC_UCP_SCALAR_FLOAT:
        ompi_osc_ucp_scalars_apply(OMPI_OSC_UCP_SCALAR_FLOAT, sizeof(uint32_t), target, source, result, n);
        break;
    default:
        ompi_osc_ucp_scalars_apply(OMPI_OSC_UCP_SCALAR_DOUBLE, sizeof(uint64_t), target, source, result, n);
        break;
    }
}

/** ompi_osc_ucp_op_apply for one element that ompi_osc_ucp_is_scalar allows. */
static inline __attribute__((always_inline)) void
ompi_osc_ucp_scalar_apply(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                          void *target, const void *source, void *result)
{
    ompi_osc_ucp_stripe_t *stripe = ompi_osc_ucp_stripe_at(stripes, key);
    uint64_t               with   = NULL == source ? 0 : ompi_osc_ucp_scalar_load(source, prim->size), old, new;

    ompi_osc_ucp_stripe_lock(stripe);
    old = ompi_osc_ucp_scalar_load(target, prim->size);
    new = ompi_osc_ucp_scalar_combine(op, prim->scalar, old, with);
    if (new != old) {
        ompi_osc_ucp_scalar_store(target, new, prim->size);
    }
    ompi_osc_ucp_stripe_unlock(stripe);
    if (NULL != result) {
        ompi_osc_ucp_scalar_store(result, old, prim->size);
    }
}

/** ompi_osc_ucp_op_compare_swap for one aligned element of 4 or 8 bytes. */
static inline void ompi_osc_ucp_scalar_swap(ompi_osc_ucp_stripe_t *stripes, uintptr_t key,
                                            const ompi_osc_ucp_prim_t *prim, void *target, const void *source,
                                            const void *compare, void *result)
{
    ompi_osc_ucp_stripe_t *stripe = ompi_osc_ucp_stripe_at(stripes, key);
    uint64_t               with   = ompi_osc_ucp_scalar_load(source, prim->size), old;
    uint64_t               wanted = ompi_osc_ucp_scalar_load(compare, prim->size);

    ompi_osc_ucp_stripe_lock(stripe);
    old = ompi_osc_ucp_scalar_load(target, prim->size);
    if (old == wanted && old != with) {
        ompi_osc_ucp_scalar_store(target, with, prim->size);
    }
    ompi_osc_ucp_stripe_unlock(stripe);
    ompi_osc_ucp_scalar_store(result, old, prim->size);
}

#endif /* OSC_UCP_SCALAR_H */
