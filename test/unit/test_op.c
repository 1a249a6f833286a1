/* Unit test of operations on window memory: every operation on every element type, misaligned, with gaps.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "ompi_config.h"

#include "op/scalar.h"
#include "unit_random.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

typedef enum kind_t { BITS, BOOL, FLOAT, DOUBLE, LONG_DOUBLE } kind_t;

/** A predefined type: `parts` values of a kind, or one value of it and an int. */
typedef struct type_t {
    MPI_Datatype handle;
    kind_t       kind;
    int          parts;
    bool         pair;
} type_t;

static const type_t types[] = {
    {MPI_BYTE, BITS, 1, false}, {MPI_CHAR, BITS, 1, false}, {MPI_SIGNED_CHAR, BITS, 1, false},
    {MPI_UNSIGNED_CHAR, BITS, 1, false}, {MPI_WCHAR, BITS, 1, false}, {MPI_SHORT, BITS, 1, false},
    {MPI_UNSIGNED_SHORT, BITS, 1, false}, {MPI_INT, BITS, 1, false}, {MPI_UNSIGNED, BITS, 1, false},
    {MPI_LONG, BITS, 1, false}, {MPI_UNSIGNED_LONG, BITS, 1, false}, {MPI_LONG_LONG, BITS, 1, false},
    {MPI_UNSIGNED_LONG_LONG, BITS, 1, false}, {MPI_INT8_T, BITS, 1, false}, {MPI_INT16_T, BITS, 1, false},
    {MPI_INT32_T, BITS, 1, false}, {MPI_INT64_T, BITS, 1, false}, {MPI_UINT8_T, BITS, 1, false},
    {MPI_UINT16_T, BITS, 1, false}, {MPI_UINT32_T, BITS, 1, false}, {MPI_UINT64_T, BITS, 1, false},
    {MPI_AINT, BITS, 1, false}, {MPI_OFFSET, BITS, 1, false}, {MPI_COUNT, BITS, 1, false},
    {MPI_C_BOOL, BOOL, 1, false}, {MPI_CXX_BOOL, BOOL, 1, false}, {MPI_FLOAT, FLOAT, 1, false},
    {MPI_DOUBLE, DOUBLE, 1, false}, {MPI_LONG_DOUBLE, LONG_DOUBLE, 1, false}, {MPI_C_COMPLEX, FLOAT, 2, false},
    {MPI_C_FLOAT_COMPLEX, FLOAT, 2, false}, {MPI_C_DOUBLE_COMPLEX, DOUBLE, 2, false},
    {MPI_C_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 2, false}, {MPI_CXX_FLOAT_COMPLEX, FLOAT, 2, false},
    {MPI_CXX_DOUBLE_COMPLEX, DOUBLE, 2, false}, {MPI_CXX_LONG_DOUBLE_COMPLEX, LONG_DOUBLE, 2, false},
    {MPI_LOGICAL, BITS, 1, false}, {MPI_LOGICAL1, BITS, 1, false}, {MPI_LOGICAL2, BITS, 1, false},
    {MPI_LOGICAL4, BITS, 1, false}, {MPI_LOGICAL8, BITS, 1, false}, {MPI_CHARACTER, BITS, 1, false},
    {MPI_INTEGER, BITS, 1, false}, {MPI_INTEGER1, BITS, 1, false}, {MPI_INTEGER2, BITS, 1, false},
    {MPI_INTEGER4, BITS, 1, false}, {MPI_INTEGER8, BITS, 1, false}, {MPI_REAL, FLOAT, 1, false},
    {MPI_REAL4, FLOAT, 1, false}, {MPI_REAL8, DOUBLE, 1, false}, {MPI_DOUBLE_PRECISION, DOUBLE, 1, false},
    {MPI_COMPLEX, FLOAT, 2, false}, {MPI_COMPLEX8, FLOAT, 2, false}, {MPI_COMPLEX16, DOUBLE, 2, false},
    {MPI_DOUBLE_COMPLEX, DOUBLE, 2, false}, {MPI_2INT, BITS, 2, false}, {MPI_2INTEGER, BITS, 2, false},
    {MPI_2REAL, FLOAT, 2, false}, {MPI_2DOUBLE_PRECISION, DOUBLE, 2, false}, {MPI_2COMPLEX, FLOAT, 4, false},
    {MPI_2DOUBLE_COMPLEX, DOUBLE, 4, false}, {MPI_FLOAT_INT, FLOAT, 1, true}, {MPI_DOUBLE_INT, DOUBLE, 1, true},
    {MPI_LONG_INT, BITS, 1, true}, {MPI_SHORT_INT, BITS, 1, true}, {MPI_LONG_DOUBLE_INT, LONG_DOUBLE, 1, true},
};

static const MPI_Op ops[] = {
    [OMPI_OSC_UCP_OP_NO_OP] = MPI_NO_OP,   [OMPI_OSC_UCP_OP_REPLACE] = MPI_REPLACE, [OMPI_OSC_UCP_OP_MAX] = MPI_MAX,
    [OMPI_OSC_UCP_OP_MIN] = MPI_MIN,       [OMPI_OSC_UCP_OP_SUM] = MPI_SUM,         [OMPI_OSC_UCP_OP_PROD] = MPI_PROD,
    [OMPI_OSC_UCP_OP_LAND] = MPI_LAND,     [OMPI_OSC_UCP_OP_BAND] = MPI_BAND,       [OMPI_OSC_UCP_OP_LOR] = MPI_LOR,
    [OMPI_OSC_UCP_OP_BOR] = MPI_BOR,       [OMPI_OSC_UCP_OP_LXOR] = MPI_LXOR,       [OMPI_OSC_UCP_OP_BXOR] = MPI_BXOR,
    [OMPI_OSC_UCP_OP_MAXLOC] = MPI_MAXLOC, [OMPI_OSC_UCP_OP_MINLOC] = MPI_MINLOC,
};

static ompi_osc_ucp_stripe_t stripes[OMPI_OSC_UCP_STRIPES];

/** Elements per call: enough to cross several granules. */
#define ELEMENTS 300
#define FEW      (OMPI_OSC_UCP_SCALARS_MAX + 4)
#define CELLS    (ELEMENTS * 32)

static void assert_stripes_free(void)
{
    size_t i;

    for (i = 0; i < OMPI_OSC_UCP_STRIPES; i++) {
        assert_int_equal(stripes[i].locked, 0);
    }
}

/* ---- Tables ---- */

static void test_prims(void **state)
{
    size_t i;
    int    code;

    (void) state;
    for (i = 0; i < COUNT_OF(types); i++) {
        const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(types[i].handle);
        MPI_Aint                   lb, extent;
        int                        size;

        MPI_Type_get_extent(types[i].handle, &lb, &extent);
        MPI_Type_size(types[i].handle, &size);
        assert_non_null(prim);
        assert_int_equal(prim->size, size);
        assert_int_equal(prim->extent, extent);
        assert_ptr_equal(prim, ompi_osc_ucp_prim_by_code(prim->code));
        assert_true(0 < prim->align && 0 == prim->extent % prim->align);
        if (size != extent) {
            assert_int_equal(prim->value_size + sizeof(int), size);
            assert_true(prim->index_offset >= prim->value_size);
            assert_true(prim->index_offset <= extent - (MPI_Aint) sizeof(int));
        }
    }
    assert_null(ompi_osc_ucp_prim_of(MPI_PACKED));
    assert_null(ompi_osc_ucp_prim_of(MPI_DATATYPE_NULL));
    assert_null(ompi_osc_ucp_prim_by_code(0));
    for (code = 0; code < 256; code++) {
        const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_by_code((uint8_t) code);

        assert_true(NULL == prim || prim->code == code);
    }
    /* One element type, whatever the name. */
    assert_ptr_equal(ompi_osc_ucp_prim_of(MPI_INT), ompi_osc_ucp_prim_of(MPI_INT32_T));
    assert_ptr_not_equal(ompi_osc_ucp_prim_of(MPI_INT), ompi_osc_ucp_prim_of(MPI_FLOAT));
    assert_ptr_not_equal(ompi_osc_ucp_prim_of(MPI_2INT), ompi_osc_ucp_prim_of(MPI_INT));
}

static void assert_prim(MPI_Datatype type, MPI_Datatype expected)
{
    const ompi_osc_ucp_prim_t *prim = MPI_DATATYPE_NULL == expected ? NULL : ompi_osc_ucp_prim_of(expected);

    assert_ptr_equal(ompi_osc_ucp_prim_of(type), prim);
    MPI_Type_free(&type);
}

static void test_prim_of_derived(void **state)
{
    const int      lens[] = {1, 2};
    const MPI_Aint disps[] = {0, 64};
    MPI_Datatype   mixed[] = {MPI_INT, MPI_DOUBLE}, same[] = {MPI_DOUBLE_INT, MPI_DATATYPE_NULL}, type, inner;

    (void) state;
    MPI_Type_dup(MPI_INT, &type);
    assert_prim(type, MPI_INT);
    MPI_Type_create_resized(MPI_2INT, -4, 32, &type);
    assert_prim(type, MPI_2INT);
    MPI_Type_vector(3, 2, 4, MPI_LONG_INT, &type);
    assert_prim(type, MPI_LONG_INT);
    MPI_Type_contiguous(0, MPI_DOUBLE, &type);
    assert_prim(type, MPI_DOUBLE);
    MPI_Type_contiguous(3, MPI_PACKED, &type);
    assert_prim(type, MPI_DATATYPE_NULL);
    MPI_Type_create_struct(2, lens, disps, mixed, &inner);
    MPI_Type_dup(inner, &type);
    assert_prim(type, MPI_DATATYPE_NULL);
    MPI_Type_vector(3, 2, 4, inner, &type);
    assert_prim(type, MPI_DATATYPE_NULL);
    assert_prim(inner, MPI_DATATYPE_NULL);
    MPI_Type_contiguous(3, MPI_DOUBLE_INT, &inner);
    same[1] = inner;
    MPI_Type_create_struct(2, lens, disps, same, &type);
    assert_prim(type, MPI_DOUBLE_INT);
    MPI_Type_free(&inner);

    /* Fortran's parameterized types are predefined, and not in any table. */
    MPI_Type_create_f90_real(15, 300, &inner);
    assert_ptr_equal(ompi_osc_ucp_prim_of(inner), ompi_osc_ucp_prim_of(MPI_DOUBLE));
    MPI_Type_contiguous(3, inner, &type);
    assert_prim(type, MPI_DOUBLE);
    MPI_Type_create_f90_integer(9, &inner);
    assert_ptr_equal(ompi_osc_ucp_prim_of(inner), ompi_osc_ucp_prim_of(MPI_INT));
    MPI_Type_create_f90_complex(15, 300, &inner);
    assert_int_equal(ompi_osc_ucp_prim_of(inner)->size, 16);
}

static void user_function(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void) in;
    (void) inout;
    (void) len;
    (void) type;
}

static void test_ops(void **state)
{
    const ompi_osc_ucp_prim_t *integer = ompi_osc_ucp_prim_of(MPI_INT), *real = ompi_osc_ucp_prim_of(MPI_DOUBLE);
    MPI_Op                     user;
    size_t                     i;
    uint8_t                    code;

    (void) state;
    for (code = 1; code < OMPI_OSC_UCP_OP_COUNT; code++) {
        assert_int_equal(ompi_osc_ucp_op_code(ops[code]), code);
        /* What MPI-3.1 section 5.9.2 says of C integers and of floating point. */
        assert_int_equal(ompi_osc_ucp_op_valid(code, integer), code < OMPI_OSC_UCP_OP_MAXLOC);
        assert_int_equal(ompi_osc_ucp_op_valid(code, real), code <= OMPI_OSC_UCP_OP_PROD);
    }
    MPI_Op_create(user_function, 1, &user);
    assert_int_equal(ompi_osc_ucp_op_code(user), 0);
    MPI_Op_free(&user);
    assert_int_equal(ompi_osc_ucp_op_code(MPI_OP_NULL), 0);

    for (i = 0; i < COUNT_OF(types); i++) {
        const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(types[i].handle);

        assert_true(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_NO_OP, prim));
        assert_true(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_REPLACE, prim));
        assert_false(ompi_osc_ucp_op_valid(0, prim));
        assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_COUNT, prim));
        assert_false(ompi_osc_ucp_op_valid(255, prim));
        assert_int_equal(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_MAXLOC, prim),
                         types[i].pair || (2 == types[i].parts && (MPI_2INT == types[i].handle
                         || MPI_2INTEGER == types[i].handle || MPI_2REAL == types[i].handle
                         || MPI_2DOUBLE_PRECISION == types[i].handle)));
    }
    assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_SUM, NULL));
    assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_MAX, ompi_osc_ucp_prim_of(MPI_C_DOUBLE_COMPLEX)));
    assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_SUM, ompi_osc_ucp_prim_of(MPI_C_BOOL)));
    assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_SUM, ompi_osc_ucp_prim_of(MPI_DOUBLE_INT)));
    assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_BAND, ompi_osc_ucp_prim_of(MPI_FLOAT)));
    assert_false(ompi_osc_ucp_op_valid(OMPI_OSC_UCP_OP_SUM, ompi_osc_ucp_prim_of(MPI_2COMPLEX)));
}

/* ---- Every operation on every type, against MPI_Reduce_local ---- */

static void random_value(const type_t *type, unsigned char *value, size_t bytes)
{
    /* Few different values, so that MAXLOC meets ties. */
    int64_t number = random_in(-4, 4);
    size_t  i;

    memset(value, 0, bytes);
    switch (type->kind) {
    case BITS:
        for (i = 0; i < bytes; i++) {
            value[i] = type->pair ? (unsigned char) (number > 0) : (unsigned char) random_u64();
        }
        break;
    case BOOL:
        value[0] = number > 0;
        break;
    case FLOAT:
        memcpy(value, &(float) {(float) number / 4}, sizeof(float));
        break;
    case DOUBLE:
        memcpy(value, &(double) {(double) number / 4}, sizeof(double));
        break;
    case LONG_DOUBLE:
        memcpy(value, &(long double) {(long double) number / 4}, 10);
        break;
    }
}

/** `n` cells of random elements; the gaps are random, too. */
static void random_cells(const type_t *type, const ompi_osc_ucp_prim_t *prim, unsigned char *cells, size_t n)
{
    size_t value_size = type->pair ? prim->size - sizeof(int) : (size_t) prim->size / (size_t) type->parts, i;
    size_t index = prim->size != prim->extent ? prim->index_offset : value_size;
    int    part;

    for (i = 0; i < n * prim->extent; i++) {
        cells[i] = (unsigned char) random_u64();
    }
    for (i = 0; i < n; i++, cells += prim->extent) {
        for (part = 0; part < type->parts; part++) {
            random_value(type, cells + (size_t) part * value_size, value_size);
        }
        if (type->pair) {
            memcpy(cells + index, &(int) {(int) random_in(0, 9)}, sizeof(int));
        }
    }
}

static void pack(const ompi_osc_ucp_prim_t *prim, unsigned char *packed, const unsigned char *cells, size_t n)
{
    for (; 0 < n; n--, packed += prim->size, cells += prim->extent) {
        memcpy(packed, cells, prim->value_size);
        if (prim->size != prim->extent) {
            memcpy(packed + prim->value_size, cells + prim->index_offset, sizeof(int));
        }
    }
}

/** What `target` must hold afterwards: the gaps stay as they are. */
static void model(uint8_t op, const ompi_osc_ucp_prim_t *prim, MPI_Datatype type, unsigned char *target,
                  unsigned char *source, size_t n)
{
    static _Alignas(64) unsigned char result[CELLS], packed[CELLS];
    size_t                            i;

    memcpy(result, target, n * prim->extent);
    if (OMPI_OSC_UCP_OP_REPLACE == op) {
        memcpy(result, source, n * prim->extent);
    } else if (OMPI_OSC_UCP_OP_SUM == op && 2 >= prim->size) {
        /* MPI_Reduce_local may saturate here; see op/op.c. */
        for (i = 0; i < n; i++) {
            uint16_t sum = 0, more = 0;

            memcpy(&sum, result + i * prim->size, prim->size);
            memcpy(&more, source + i * prim->size, prim->size);
            sum = (uint16_t) (sum + more);
            memcpy(result + i * prim->size, &sum, prim->size);
        }
    } else if (OMPI_OSC_UCP_OP_NO_OP != op) {
        assert_int_equal(MPI_SUCCESS, MPI_Reduce_local(source, result, (int) n, type, ops[op]));
    }
    pack(prim, packed, result, n);
    for (i = 0; i < n; i++) {
        memcpy(target + i * prim->extent, packed + i * prim->size, prim->value_size);
        if (prim->size != prim->extent) {
            memcpy(target + i * prim->extent + prim->index_offset, packed + i * prim->size + prim->value_size,
                   sizeof(int));
        }
    }
}

/** Source and result as cells: the same as with packed elements, and the result's gaps stay as they are. */
static void check_cells(uint8_t op, const ompi_osc_ucp_prim_t *prim, const unsigned char *before,
                        const unsigned char *source, const unsigned char *expected, size_t n)
{
    static unsigned char target[CELLS + 64], from[CELLS + 64], result[CELLS + 64], old[CELLS], packed[CELLS];
    const size_t         at = (size_t) random_in(0, 17), end = prim->index_offset + sizeof(int);
    uintptr_t            key = random_u64() % 200000;
    size_t               i;

    memcpy(target + at, before, n * prim->extent);
    memcpy(from + at, source, n * prim->extent);
    memset(result, 0x5a, sizeof(result));
    ompi_osc_ucp_op_apply_cells(stripes, key, op, prim, target + at, OMPI_OSC_UCP_OP_NO_OP == op ? NULL : from + at,
                                result + at, n);
    assert_memory_equal(target + at, expected, n * prim->extent);
    pack(prim, old, before, n);
    pack(prim, packed, result + at, n);
    assert_memory_equal(packed, old, n * prim->size);
    for (i = 0; prim->size != prim->extent && i < n * prim->extent; i++) {
        size_t in = i % prim->extent;

        assert_true(in < prim->value_size || (prim->index_offset <= in && in < end) || 0x5a == result[at + i]);
    }
    assert_stripes_free();
}

/** Source, target and key at random alignments, with bytes around the target that must survive. */
static void check_apply(uint8_t op, const type_t *type, size_t n)
{
    static _Alignas(64) unsigned char target[CELLS], source[CELLS], memory[CELLS + 256], before[CELLS + 256];
    static _Alignas(64) unsigned char packed[CELLS + 64], result[CELLS + 64], old[CELLS];
    const ompi_osc_ucp_prim_t        *prim = ompi_osc_ucp_prim_of(type->handle);
    size_t                            at = 64 + (size_t) random_in(0, 1) * (size_t) random_in(0, 63);
    size_t                            from = (size_t) random_in(0, 1) * (size_t) random_in(0, 63);
    size_t                            to = (size_t) random_in(0, 17), i;
    uintptr_t                         astray = (uintptr_t) random_in(0, 1) * (uintptr_t) random_in(0, 7);
    uintptr_t                         key = random_u64() % 25000 * 8 + astray;
    bool                              fetch = 0 == random_in(0, 1);

    random_cells(type, prim, target, n);
    random_cells(type, prim, source, n);
    for (i = 0; i < sizeof(memory); i++) {
        before[i] = memory[i] = (unsigned char) random_u64();
    }
    memcpy(memory + at, target, n * prim->extent);
    pack(prim, packed + from, source, n);
    pack(prim, old, target, n);
    memcpy(before, memory, sizeof(memory));
    memset(result, 0x5a, sizeof(result));

    model(op, prim, type->handle, target, source, n);
    ompi_osc_ucp_op_apply(stripes, key, op, prim, memory + at, OMPI_OSC_UCP_OP_NO_OP == op ? NULL : packed + from,
                          fetch ? result + to : NULL, n);

    assert_memory_equal(memory + at, target, n * prim->extent);
    check_cells(op, prim, before + at, source, target, n);
    memcpy(memory + at, before + at, n * prim->extent);
    assert_memory_equal(memory, before, sizeof(memory));
    if (fetch) {
        assert_memory_equal(result + to, old, n * prim->size);
        assert_true(0 == to || 0x5a == result[to - 1]);
        assert_int_equal(result[to + n * prim->size], 0x5a);
    }
    pack(prim, old, source, n);
    assert_memory_equal(packed + from, old, n * prim->size);
    assert_stripes_free();
}

static void test_apply(void **state)
{
    size_t  i;
    uint8_t op;
    int     round;

    (void) state;
    for (i = 0; i < COUNT_OF(types); i++) {
        for (op = 1; op < OMPI_OSC_UCP_OP_COUNT; op++) {
            for (round = 0; round < 18 && ompi_osc_ucp_op_valid(op, ompi_osc_ucp_prim_of(types[i].handle)); round++) {
                check_apply(op, &types[i],
                            0 == round ? 0 : (size_t) random_in(1, round < 6 ? 3 : round < 12 ? FEW : ELEMENTS));
            }
        }
    }
}

/* What changes nothing stores nothing: here it could not. */

static char *zeros_map(void)
{
    void *zeros = mmap(NULL, (size_t) sysconf(_SC_PAGESIZE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(zeros, MAP_FAILED);
    return zeros;
}

static void zeros_unmap(char *zeros)
{
    assert_int_equal(munmap(zeros, (size_t) sysconf(_SC_PAGESIZE)), 0);
}

static void test_swap_alike(void **state)
{
    const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(MPI_LONG);
    const long                 zero = 0;
    char                      *zeros = zeros_map();
    long                       old;

    (void) state;
    old = 1;
    ompi_osc_ucp_op_compare_swap(stripes, 0, prim, zeros, &zero, &zero, &old);
    assert_int_equal(old, 0);
    old = 1;
    ompi_osc_ucp_scalar_swap(stripes, 0, prim, zeros, &zero, &zero, &old);
    assert_int_equal(old, 0);
    zeros_unmap(zeros);
}

/** Every operation on 0 and 0 gives 0. */
static void test_apply_alike(void **state)
{
    const char zero[32] = {0};
    char      *zeros = zeros_map(), old[32];
    size_t     i, at;
    uint8_t    op;

    (void) state;
    for (i = 0; i < COUNT_OF(types); i++) {
        const ompi_osc_ucp_prim_t *prim = ompi_osc_ucp_prim_of(types[i].handle);

        for (op = 1; op < OMPI_OSC_UCP_OP_COUNT; op++) {
            for (at = 0; at < 2 && ompi_osc_ucp_op_valid(op, prim); at++) {
                memset(old, 1, sizeof(old));
                ompi_osc_ucp_op_apply(stripes, at, op, prim, zeros + at, zero, old, 1);
                assert_memory_equal(old, zero, prim->size);
                memset(old, 1, sizeof(old));
                ompi_osc_ucp_op_apply_cells(stripes, at, op, prim, zeros + at, zero, old, 1);
                assert_memory_equal(old, zero, prim->value_size);
                if (OMPI_OSC_UCP_OP_REPLACE != op) {
                    ompi_osc_ucp_op_apply(stripes, at, op, prim, zeros + at, zero, NULL, 1);
                }
                assert_false(ompi_osc_ucp_op_apply_private(op, prim, zeros + at, zero, old, 1));
            }
        }
    }
    assert_stripes_free();
    zeros_unmap(zeros);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prims),           cmocka_unit_test(test_prim_of_derived),
        cmocka_unit_test(test_ops),             cmocka_unit_test(test_apply),
        cmocka_unit_test(test_swap_alike),      cmocka_unit_test(test_apply_alike),
    };
    int failed;

    MPI_Init(&argc, &argv);
    ompi_osc_ucp_op_init();
    random_init();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    MPI_Finalize();
    return failed;
}
