/* Applying an MPI_Op to window memory: element types, operations.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "op/scalar.h"

#include "layout/block.h"
#include "op/pairs.h"

#include "opal/datatype/opal_datatype_internal.h"

_Static_assert(OMPI_OSC_UCP_ELEMENT_MAX <= OMPI_OSC_UCP_STRIPE_GRANULE, "an element lies in at most two granules");

/* ---- Element types ---- */

/** The index is the code in messages. Handles with the same id of Open MPI, such as MPI_BYTE and MPI_UINT8_T, use the
 *  same kernels and are one element type. */
static struct ompi_predefined_datatype_t *const prim_handles[] = {
    NULL,
    &ompi_mpi_int8_t, &ompi_mpi_uint8_t, &ompi_mpi_int16_t, &ompi_mpi_uint16_t,
    &ompi_mpi_int32_t, &ompi_mpi_uint32_t, &ompi_mpi_int64_t, &ompi_mpi_uint64_t,
    &ompi_mpi_long, &ompi_mpi_unsigned_long, &ompi_mpi_wchar, &ompi_mpi_c_bool,
    &ompi_mpi_aint, &ompi_mpi_offset, &ompi_mpi_count,
    &ompi_mpi_float, &ompi_mpi_double, &ompi_mpi_long_double,
    &ompi_mpi_c_float_complex, &ompi_mpi_c_double_complex, &ompi_mpi_c_long_double_complex, &ompi_mpi_cxx_cplex,
    &ompi_mpi_logical, &ompi_mpi_character, &ompi_mpi_integer, &ompi_mpi_real, &ompi_mpi_dblprec,
    &ompi_mpi_cplex, &ompi_mpi_dblcplex, &ompi_mpi_ldblcplex,
    &ompi_mpi_complex8, &ompi_mpi_complex16, &ompi_mpi_complex32,
    &ompi_mpi_2int, &ompi_mpi_2integer, &ompi_mpi_2real, &ompi_mpi_2dblprec, &ompi_mpi_2cplex, &ompi_mpi_2dblcplex,
    &ompi_mpi_float_int, &ompi_mpi_double_int, &ompi_mpi_longdbl_int, &ompi_mpi_long_int, &ompi_mpi_short_int,
    /* These have the id of one above, unless Open MPI was built with other default kinds of Fortran. */
    &ompi_mpi_logical1, &ompi_mpi_logical2, &ompi_mpi_logical4, &ompi_mpi_logical8,
    &ompi_mpi_integer1, &ompi_mpi_integer2, &ompi_mpi_integer4, &ompi_mpi_integer8, &ompi_mpi_integer16,
    &ompi_mpi_real2, &ompi_mpi_real4, &ompi_mpi_real8, &ompi_mpi_real16,
};

#define PRIM_COUNT (sizeof(prim_handles) / sizeof(prim_handles[0]))

ompi_osc_ucp_prim_t ompi_osc_ucp_prims[PRIM_COUNT];

uint8_t ompi_osc_ucp_prim_codes[OMPI_DATATYPE_MAX_PREDEFINED];

static bool id_is_known(int id)
{
    return 0 <= id && id < OMPI_DATATYPE_MAX_PREDEFINED;
}

static ompi_osc_ucp_scalar_t scalar_of(const opal_datatype_t *type)
{
    const ddt_elem_desc_t *entry = &type->desc.desc[0].elem;
    bool                   wide  = sizeof(uint64_t) == type->size;

    if (1 != type->desc.used || 1 != entry->count * entry->blocklen ||
        (sizeof(uint32_t) != type->size && !wide)) {
        return OMPI_OSC_UCP_SCALAR_NONE;
    }
    switch (type->flags & OMPI_DATATYPE_FLAG_DATA_TYPE) {
    case OMPI_DATATYPE_FLAG_DATA_INT:
        return wide ? OMPI_OSC_UCP_SCALAR_INT64 : OMPI_OSC_UCP_SCALAR_INT32;
    case OMPI_DATATYPE_FLAG_DATA_FLOAT:
        return wide ? OMPI_OSC_UCP_SCALAR_DOUBLE : OMPI_OSC_UCP_SCALAR_FLOAT;
    default:
        return OMPI_OSC_UCP_SCALAR_NONE;
    }
}

static void prim_init(uint8_t code, struct ompi_datatype_t *datatype)
{
    const opal_datatype_t *type = &datatype->super;
    ptrdiff_t              extent = type->ub - type->lb;
    ompi_osc_ucp_prim_t   *prim   = &ompi_osc_ucp_prims[code];

    if (!id_is_known(datatype->id) || 0 != ompi_osc_ucp_prim_codes[datatype->id] || !ompi_datatype_is_valid(datatype)
        || 0 == type->size || extent > OMPI_OSC_UCP_ELEMENT_MAX) {
        return;
    }
    prim->align = 0 < type->align ? type->align : 1;
    prim->size = type->size;
    prim->extent = extent;
    prim->value_size = type->size;
    prim->index_offset = 0;
    if (prim->size != prim->extent) {
        prim->value_size = type->size - sizeof(int);
        prim->index_offset = type->desc.desc[1].elem.disp;
    }
    prim->datatype = datatype;
    prim->scalar = scalar_of(type);
    prim->swaps = OMPI_OSC_UCP_SCALAR_INT32 == prim->scalar || OMPI_OSC_UCP_SCALAR_INT64 == prim->scalar;
    prim->code = code;
    ompi_osc_ucp_prim_codes[datatype->id] = code;
}

const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_of(struct ompi_datatype_t *datatype)
{
    /* Types of MPI_Type_create_f90_real and its relatives are marked predefined, with the id of the type they equal. */
    if (!ompi_datatype_is_predefined(datatype)) {
        datatype = ompi_datatype_get_single_predefined_type_from_args(datatype);
    }
    if (NULL == datatype || !id_is_known(datatype->id) || !ompi_datatype_is_valid(datatype)) {
        return NULL;
    }
    return ompi_osc_ucp_prim_by_code(ompi_osc_ucp_prim_codes[datatype->id]);
}

const ompi_osc_ucp_prim_t *ompi_osc_ucp_prim_by_code(uint8_t code)
{
    return code < PRIM_COUNT && 0 != ompi_osc_ucp_prims[code].code ? &ompi_osc_ucp_prims[code] : NULL;
}

/* ---- Operations ---- */

static ompi_predefined_op_t *const op_handles[OMPI_OSC_UCP_OP_COUNT] = {
    [OMPI_OSC_UCP_OP_NO_OP] = &ompi_mpi_op_no_op,   [OMPI_OSC_UCP_OP_REPLACE] = &ompi_mpi_op_replace,
    [OMPI_OSC_UCP_OP_MAX] = &ompi_mpi_op_max,       [OMPI_OSC_UCP_OP_MIN] = &ompi_mpi_op_min,
    [OMPI_OSC_UCP_OP_SUM] = &ompi_mpi_op_sum,       [OMPI_OSC_UCP_OP_PROD] = &ompi_mpi_op_prod,
    [OMPI_OSC_UCP_OP_LAND] = &ompi_mpi_op_land,     [OMPI_OSC_UCP_OP_BAND] = &ompi_mpi_op_band,
    [OMPI_OSC_UCP_OP_LOR] = &ompi_mpi_op_lor,       [OMPI_OSC_UCP_OP_BOR] = &ompi_mpi_op_bor,
    [OMPI_OSC_UCP_OP_LXOR] = &ompi_mpi_op_lxor,     [OMPI_OSC_UCP_OP_BXOR] = &ompi_mpi_op_bxor,
    [OMPI_OSC_UCP_OP_MAXLOC] = &ompi_mpi_op_maxloc, [OMPI_OSC_UCP_OP_MINLOC] = &ompi_mpi_op_minloc,
};

uint8_t ompi_osc_ucp_op_codes[OMPI_OSC_UCP_OPS_BY_INDEX];

/** Is the operation defined on the type: is there a kernel? */
static bool op_is_defined(uint8_t op, const ompi_osc_ucp_prim_t *prim)
{
    int kernel;

    if (OMPI_OSC_UCP_OP_NO_OP == op || OMPI_OSC_UCP_OP_REPLACE == op) {
        return true;
    }
    if (ompi_osc_ucp_prim_has_gaps(prim)) {
        return NULL != ompi_osc_ucp_pairs_kernel(op, prim);
    }
    kernel = ompi_op_ddt_map[prim->datatype->id];
    return 0 <= kernel && kernel < OMPI_OP_BASE_TYPE_MAX && NULL != op_handles[op]->op.o_func.intrinsic.fns[kernel];
}

void ompi_osc_ucp_op_init(void)
{
    uint8_t code, op;
    int     index;

    for (code = 1; code < PRIM_COUNT; code++) {
        prim_init(code, &prim_handles[code]->dt);
    }
    for (op = 1; op < OMPI_OSC_UCP_OP_COUNT; op++) {
        index = op_handles[op]->op.o_f_to_c_index;
        if (0 <= index && index < OMPI_OSC_UCP_OPS_BY_INDEX) {
            ompi_osc_ucp_op_codes[index] = op;
        }
        for (code = 1; code < PRIM_COUNT; code++) {
            if (0 != ompi_osc_ucp_prims[code].code && op_is_defined(op, &ompi_osc_ucp_prims[code])) {
                ompi_osc_ucp_prims[code].ops |= 1u << op;
            }
        }
    }
}

bool ompi_osc_ucp_op_is_native(uint8_t op, const ompi_osc_ucp_prim_t *prim)
{
    switch (op) {
    case OMPI_OSC_UCP_OP_SUM:
    case OMPI_OSC_UCP_OP_BAND:
    case OMPI_OSC_UCP_OP_BOR:
    case OMPI_OSC_UCP_OP_BXOR:
    case OMPI_OSC_UCP_OP_REPLACE:
    case OMPI_OSC_UCP_OP_NO_OP:
        /* The types with both operations are the integers. */
        return (4 == prim->size || 8 == prim->size) && prim->size == prim->extent &&
               ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_BAND, prim) && ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_SUM, prim);
    default:
        return false;
    }
}

/** See ompi_osc_ucp_domain_witness. Atomic. */
static uint64_t trespasses;

void ompi_osc_ucp_domain_witness(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *address)
{
    if (ompi_osc_ucp_op_is_native(op, prim) && 0 == (uintptr_t) address % prim->size) {
        __atomic_fetch_add(&trespasses, 1, __ATOMIC_RELAXED);
    }
}

uint64_t ompi_osc_ucp_domain_trespasses(void)
{
    return __atomic_load_n(&trespasses, __ATOMIC_RELAXED);
}

/* ---- Copying elements ---- */

/** Cells for one kernel call, aligned for any element type. */
typedef struct scratch_t {
    _Alignas(64) char cells[OMPI_OSC_UCP_STRIPE_GRANULE];
} scratch_t;

static inline bool is_aligned(const ompi_osc_ucp_prim_t *prim, const void *address)
{
    return 0 == (uintptr_t) address % prim->align;
}

/** Copy `n` elements. Gaps of cells are neither read nor written. */
static inline void copy_elements(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t to_form, void *to,
                                 ompi_osc_ucp_form_t from_form, const void *from, size_t n)
{
    if (ompi_osc_ucp_prim_has_gaps(prim)) {
        ompi_osc_ucp_pairs_copy(prim, to_form, to, from_form, from, n);
    } else {
        ompi_osc_ucp_block_copy(to, from, n * prim->size);
    }
}

static inline bool is_same(const ompi_osc_ucp_prim_t *prim, ompi_osc_ucp_form_t form, const void *a, const void *b)
{
    if (ompi_osc_ucp_prim_has_gaps(prim)) {
        return ompi_osc_ucp_pairs_same(prim, form, a, b);
    }
    return 0 == memcmp(a, b, prim->size);
}

/* ---- Applying ---- */

/** Elements without gaps that a kernel can read: in place, or copied to `scratch`. */
static void *kernel_source(const ompi_osc_ucp_prim_t *prim, const void *source, size_t n, scratch_t *scratch)
{
    if (is_aligned(prim, source)) {
        return (void *) source;
    }
    return memcpy(scratch->cells, source, n * prim->size);
}

/** With -O2, which most packages are built with, GCC does not vectorize loops of unknown length. */
#if defined(__GNUC__) && !defined(__clang__)
#define VECTORIZED __attribute__((optimize("O3")))
#else
#define VECTORIZED
#endif

/** Sums of 1- and 2-byte integers, which wrap around as in C. Open MPI's AVX kernels saturate (docs/upstream.md). */
static inline __attribute__((always_inline)) void sum(size_t size, void *target, const void *source, size_t n)
{
    uint8_t        *to8 = target;
    uint16_t       *to16 = target;
    const uint8_t  *from8 = source;
    const uint16_t *from16 = source;

    for (size_t i = 0; sizeof(uint8_t) == size && i < n; i++) {
        to8[i] = (uint8_t) (to8[i] + from8[i]);
    }
    for (size_t i = 0; sizeof(uint16_t) == size && i < n; i++) {
        to16[i] = (uint16_t) (to16[i] + from16[i]);
    }
}

static VECTORIZED void sum_plain(size_t size, void *target, const void *source, size_t n)
{
    sum(size, target, source, n);
}

#ifdef OMPI_OSC_UCP_AVX2
static VECTORIZED __attribute__((target("avx2"))) void sum_avx2(size_t size, void *target, const void *source, size_t n)
{
    sum(size, target, source, n);
}
#endif

static inline void sum_small(size_t size, void *target, const void *source, size_t n)
{
#ifdef OMPI_OSC_UCP_AVX2
    if (__builtin_cpu_supports("avx2")) {
        sum_avx2(size, target, source, n);
        return;
    }
#endif
    sum_plain(size, target, source, n);
}

static inline void run_kernel(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *target, void *cells, size_t n)
{
    /* MPI_BAND tells integers from floating point. */
    if (OMPI_OSC_UCP_OP_SUM == op && 0 != (prim->ops & 1u << OMPI_OSC_UCP_OP_BAND) && prim->size <= sizeof(uint16_t)) {
        sum_small(prim->size, target, cells, n);
    } else {
        ompi_op_reduce(&op_handles[op]->op, cells, target, n, prim->datatype);
    }
}

/** target = source op target, for elements without gaps; kernel_source made `source`. */
static void combine(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *target, void *source, size_t n)
{
    scratch_t scratch;

    if (is_aligned(prim, target)) {
        run_kernel(op, prim, target, source, n);
        return;
    }
    memcpy(scratch.cells, target, n * prim->size);
    run_kernel(op, prim, scratch.cells, source, n);
    memcpy(target, scratch.cells, n * prim->size);
}

void ompi_osc_ucp_op_combine(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *values, const void *source, size_t n)
{
    scratch_t scratch;

    run_kernel(op, prim, values, kernel_source(prim, source, n, &scratch), n);
}

/** combine for one element: it is stored only if it changes, else false. Always inline: `size` is a constant in most
 *  calls, so that no library is called to copy it. */
static inline __attribute__((always_inline)) bool combine_sized(uint8_t op, const ompi_osc_ucp_prim_t *prim,
                                                                void *target, void *source, size_t size)
{
    _Alignas(64) char old[OMPI_OSC_UCP_ELEMENT_MAX], new[OMPI_OSC_UCP_ELEMENT_MAX];

    memcpy(old, target, size);
    memcpy(new, old, size);
    run_kernel(op, prim, new, source, 1);
    if (0 == memcmp(old, new, size)) {
        return false;
    }
    memcpy(target, new, size);
    return true;
}

static bool combine_one(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *target, void *source)
{
    switch (prim->size) {
    case 1:
        return combine_sized(op, prim, target, source, 1);
    case 2:
        return combine_sized(op, prim, target, source, 2);
    case 4:
        return combine_sized(op, prim, target, source, 4);
    case 8:
        return combine_sized(op, prim, target, source, 8);
    case 16:
        return combine_sized(op, prim, target, source, 16);
    default:
        return combine_sized(op, prim, target, source, prim->size);
    }
}

/** Update `n` elements, at most a granule, that nobody else updates meanwhile. For combining elements without gaps
 *  kernel_source made `from` of `source`. False: nothing was stored. */
static inline bool update(uint8_t op, const ompi_osc_ucp_prim_t *prim, void *target, ompi_osc_ucp_form_t form,
                          const void *source, void *from, void *result, size_t n)
{
    if (NULL != result) {
        copy_elements(prim, form, result, OMPI_OSC_UCP_CELLS, target, n);
    }
    if (OMPI_OSC_UCP_OP_NO_OP == op) {
        return false;
    }
    if (OMPI_OSC_UCP_OP_REPLACE == op) {
        if (1 == n && NULL != result && is_same(prim, form, result, source)) {
            return false;
        }
        copy_elements(prim, OMPI_OSC_UCP_CELLS, target, form, source, n);
        return true;
    }
    if (ompi_osc_ucp_prim_has_gaps(prim)) {
        return ompi_osc_ucp_pairs_kernel(op, prim)(prim, target, form, source, n);
    }
    if (1 == n) {
        return combine_one(op, prim, target, from);
    }
    combine(op, prim, target, from, n);
    return true;
}

/** What update needs as `from`. */
static inline void *update_source(uint8_t op, const ompi_osc_ucp_prim_t *prim, const void *source, size_t n,
                                  scratch_t *scratch)
{
    bool combines = OMPI_OSC_UCP_OP_NO_OP != op && OMPI_OSC_UCP_OP_REPLACE != op;

    return combines && !ompi_osc_ucp_prim_has_gaps(prim) ? kernel_source(prim, source, n, scratch) : NULL;
}

/** Apply to `n` elements of one granule, or to one element that straddles two. */
static void apply_covered(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                          void *target, ompi_osc_ucp_form_t form, const void *source, void *result, size_t n)
{
    scratch_t                  scratch;
    void                      *from  = update_source(op, prim, source, n, &scratch);
    ompi_osc_ucp_stripe_pair_t taken = ompi_osc_ucp_stripe_pair_lock(stripes, key, n * prim->extent);

    update(op, prim, target, form, source, from, result, n);
    ompi_osc_ucp_stripe_pair_unlock(taken);
}

bool ompi_osc_ucp_op_apply_private(uint8_t op, const ompi_osc_ucp_prim_t *prim, char *cells, const char *source,
                                   char *result, size_t n)
{
    scratch_t scratch;
    size_t    run;
    bool      stored = false;

    for (; n > 0; n -= run) {
        run = n < sizeof(scratch) / prim->extent ? n : sizeof(scratch) / prim->extent;
        stored |= update(op, prim, cells, OMPI_OSC_UCP_PACKED, source, update_source(op, prim, source, run, &scratch),
                         result, run);
        cells += run * prim->extent;
        source = NULL == source ? NULL : source + run * prim->size;
        result = NULL == result ? NULL : result + run * prim->size;
    }
    return stored;
}

/** Apply to any number of elements, granule by granule. */
static void apply(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op, const ompi_osc_ucp_prim_t *prim, char *to,
                  ompi_osc_ucp_form_t form, const char *from, char *old, size_t n)
{
    const size_t step = OMPI_OSC_UCP_CELLS == form ? prim->extent : prim->size;

    while (0 < n) {
        size_t run = (OMPI_OSC_UCP_STRIPE_GRANULE - key % OMPI_OSC_UCP_STRIPE_GRANULE) / prim->extent;

        run = 0 == run ? 1 : run < n ? run : n;
        apply_covered(stripes, key, op, prim, to, form, from, old, run);
        key += run * prim->extent;
        to += run * prim->extent;
        from = NULL == from ? NULL : from + run * step;
        old = NULL == old ? NULL : old + run * step;
        n -= run;
    }
}

/** Do elements lie so that a kernel can combine them in place, a granule at a time? */
static inline bool combines_in_place(uint8_t op, const ompi_osc_ucp_prim_t *prim, uintptr_t key, const void *target,
                                     const void *source)
{
    return OMPI_OSC_UCP_OP_NO_OP != op && OMPI_OSC_UCP_OP_REPLACE != op && !ompi_osc_ucp_prim_has_gaps(prim) &&
           is_aligned(prim, target) && is_aligned(prim, source) && 0 == key % prim->size &&
           0 == OMPI_OSC_UCP_STRIPE_GRANULE % prim->size;
}

/** apply where combines_in_place: what most programs accumulate, without the checks for each granule. */
static void apply_in_place(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op, const ompi_osc_ucp_prim_t *prim,
                           char *target, const char *source, size_t n)
{
    size_t left, run;

    for (left = n * prim->size; 0 < left; left -= run) {
        ompi_osc_ucp_stripe_t *stripe = ompi_osc_ucp_stripe_at(stripes, key);

        run = OMPI_OSC_UCP_STRIPE_GRANULE - key % OMPI_OSC_UCP_STRIPE_GRANULE;
        run = run < left ? run : left;
        ompi_osc_ucp_stripe_lock_told(stripe);
        run_kernel(op, prim, target, (void *) source, run / prim->size);
        ompi_osc_ucp_stripe_unlock_told(stripe);
        key += run;
        target += run;
        source += run;
    }
}

/** Touch the pages of the program's buffers, of at most two pages each: who faults there holds no stripe. */
static inline void buffers_touch(const void *source, void *result, size_t len)
{
    const volatile char *reads  = source;
    volatile char       *writes = result;

    (void) reads[0];
    (void) reads[len - 1];
    if (NULL != result) {
        writes[0]       = writes[0];
        writes[len - 1] = writes[len - 1];
    }
}

/** The holder of the stripe does not tell who it is: it must not fault here. */
static inline void apply_scalars(ompi_osc_ucp_stripe_t *stripe, const ompi_osc_ucp_prim_t *prim, void *target,
                                 const void *source, void *result, size_t n)
{
    buffers_touch(source, result, n * prim->size);
    ompi_osc_ucp_stripe_lock(stripe);
    ompi_osc_ucp_scalars_sum(prim->scalar, target, source, result, n);
    ompi_osc_ucp_stripe_unlock(stripe);
}

void ompi_osc_ucp_op_apply(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op,
                           const ompi_osc_ucp_prim_t *prim, void *target, const void *source, void *result,
                           size_t n)
{
    if (1 == n && ompi_osc_ucp_is_scalar(op, prim, key, target)) {
        ompi_osc_ucp_scalar_apply(stripes, key, op, prim, target, source, result);
        return;
    }
    if (0 < n && n <= OMPI_OSC_UCP_SCALARS_MAX && OMPI_OSC_UCP_OP_SUM == op &&
        ompi_osc_ucp_is_scalar(op, prim, key, target) &&
        key % OMPI_OSC_UCP_STRIPE_GRANULE + n * prim->size <= OMPI_OSC_UCP_STRIPE_GRANULE) {
        apply_scalars(ompi_osc_ucp_stripe_at(stripes, key), prim, target, source, result, n);
        return;
    }
    if (1 < n && NULL == result && combines_in_place(op, prim, key, target, source)) {
        apply_in_place(stripes, key, op, prim, target, source, n);
        return;
    }
    apply(stripes, key, op, prim, target, OMPI_OSC_UCP_PACKED, source, result, n);
}

void ompi_osc_ucp_op_apply_cells(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, uint8_t op,
                                 const ompi_osc_ucp_prim_t *prim, void *target, const void *source, void *result,
                                 size_t n)
{
    apply(stripes, key, op, prim, target, OMPI_OSC_UCP_CELLS, source, result, n);
}

void ompi_osc_ucp_op_compare_swap(ompi_osc_ucp_stripe_t *stripes, uintptr_t key, const ompi_osc_ucp_prim_t *prim,
                                  void *target, const void *source, const void *compare, void *result)
{
    ompi_osc_ucp_stripe_pair_t taken = ompi_osc_ucp_stripe_pair_lock(stripes, key, prim->size);

    ompi_osc_ucp_block_copy(result, target, prim->size);
    if (0 == memcmp(result, compare, prim->size) && 0 != memcmp(result, source, prim->size)) {
        ompi_osc_ucp_block_copy(target, source, prim->size);
    }
    ompi_osc_ucp_stripe_pair_unlock(taken);
}
