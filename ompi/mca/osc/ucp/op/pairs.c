/* Kernels for pairs with gaps. Open MPI's might copy whole structs, and take no packed pairs.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "op/pairs.h"

#include <string.h>

/** Bytes from one pair to the next. */
static inline size_t step_of(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t form)
{
    return OMPI_OSC_UCP_CELLS == form ? prim->extent : prim->size;
}

/** Bytes from a pair's value to its index. */
static inline size_t index_of(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t form)
{
    return OMPI_OSC_UCP_CELLS == form ? prim->index_offset : prim->value_size;
}

/** Always inline: with a constant `value_size`, what is copied for each pair are loads and stores. */
static inline __attribute__((always_inline)) void
copy_pairs(const ompi_osc_ucp_prim_t *prim, size_t value_size, ompi_osc_ucp_form_t to_form, char *to,
           ompi_osc_ucp_form_t from_form, const char *from, size_t n)
{
    const size_t to_index = index_of(prim, to_form), to_step = step_of(prim, to_form);
    const size_t from_index = index_of(prim, from_form), from_step = step_of(prim, from_form);

    for (; n > 0; n--) {
        memcpy(to, from, value_size);
        memcpy(to + to_index, from + from_index, sizeof(int));
        to   += to_step;
        from += from_step;
    }
}

void ompi_osc_ucp_pairs_copy(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t to_form, char *to,
                             ompi_osc_ucp_form_t from_form, const char *from, size_t n)
{
    switch (prim->value_size) {
    case sizeof(short):
        copy_pairs(prim, sizeof(short), to_form, to, from_form, from, n);
        break;
    case sizeof(double):
        copy_pairs(prim, sizeof(double), to_form, to, from_form, from, n);
        break;
    default:
        copy_pairs(prim, prim->value_size, to_form, to, from_form, from, n);
        break;
    }
}

bool ompi_osc_ucp_pairs_same(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t form, const char *a, const char *b)
{
    const size_t index = index_of(prim, form);

    return 0 == memcmp(a, b, prim->value_size) && 0 == memcmp(a + index, b + index, sizeof(int));
}

typedef int index_t __attribute__((aligned(1), may_alias));

/** Define the kernel that keeps the value that is `better`, and of equal ones the lower index (MPI-3.1 section
 *  5.9.4). */
#define PAIRS_KERNEL(name, type, better)                                                                               \
    static bool name(const ompi_osc_ucp_prim_t *prim, char *target, ompi_osc_ucp_form_t source_form,                   \
                     const char *source, size_t n)                                                                     \
    {                                                                                                                  \
        typedef type value_t __attribute__((aligned(1), may_alias));                                                   \
        const size_t to_index = prim->index_offset, to_step = prim->extent;                                            \
        const size_t from_index = index_of(prim, source_form), from_step = step_of(prim, source_form);                 \
        bool         stored = false;                                                                                   \
                                                                                                                       \
        for (; n > 0; n--, target += to_step, source += from_step) {                                                   \
            const value_t *with = (const value_t *) source;                                                            \
            const index_t *with_index = (const index_t *) (source + from_index);                                       \
            value_t       *value = (value_t *) target;                                                                 \
            index_t       *index = (index_t *) (target + to_index);                                                    \
                                                                                                                       \
            if (*with better *value) {                                                                                 \
                *value = *with;                                                                                        \
                *index = *with_index;                                                                                  \
                stored = true;                                                                                         \
            } else if (*with == *value && *with_index < *index) {                                                      \
                *index = *with_index;                                                                                  \
                stored = true;                                                                                         \
            }                                                                                                          \
        }                                                                                                              \
        return stored;                                                                                                 \
    }

PAIRS_KERNEL(max_short, short, >)
PAIRS_KERNEL(min_short, short, <)
PAIRS_KERNEL(max_long, long, >)
PAIRS_KERNEL(min_long, long, <)
PAIRS_KERNEL(max_double, double, >)
PAIRS_KERNEL(min_double, double, <)
PAIRS_KERNEL(max_long_double, long double, >)
PAIRS_KERNEL(min_long_double, long double, <)

ompi_osc_ucp_pairs_kernel_t *ompi_osc_ucp_pairs_kernel(uint8_t op, const ompi_osc_ucp_prim_t *prim)
{
    static const struct {
        struct ompi_predefined_datatype_t *type;
        ompi_osc_ucp_pairs_kernel_t       *max, *min;
    } kernels[] = {
        { &ompi_mpi_short_int, max_short, min_short },
        { &ompi_mpi_long_int, max_long, min_long },
        { &ompi_mpi_double_int, max_double, min_double },
        { &ompi_mpi_longdbl_int, max_long_double, min_long_double },
    };
    size_t i;

    for (i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        if (prim->datatype == &kernels[i].type->dt && ompi_osc_ucp_prim_has_gaps(prim)) {
            return OMPI_OSC_UCP_OP_MAXLOC == op ? kernels[i].max : OMPI_OSC_UCP_OP_MINLOC == op ? kernels[i].min : NULL;
        }
    }
    return NULL;
}
