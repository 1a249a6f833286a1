/* The predefined datatypes, what the standard lets one do with each, and values of them in memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef TYPES_H
#define TYPES_H

#include "mpitest.h"
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

/** MPI 3.1, section 5.9.2: the groups that predefined operations are allowed for. */
enum type_group { C_INTEGER, MULTI_LANGUAGE, FORTRAN_INTEGER, FLOATING, LOGICAL, COMPLEX, BYTES, PAIR, OTHER };

/** How a number is kept in memory. */
enum number { SIGNED, UNSIGNED, REAL_NUMBER };

struct basic_type {
    const char *name;
    MPI_Datatype type;
    enum type_group group;
    enum number first_kind, second_kind;
    int first_size;             /**< bytes of the value, or of the first of two */
    int second_at, second_size; /**< the second number of complex and pair types; size 0: there is none */
};

#define ONE(mpitype, group, kind, ctype)  {#mpitype, mpitype, group, kind, kind, sizeof(ctype), 0, 0}
#define TWO(mpitype, group, kind, ctype)                                                                    \
    {#mpitype, mpitype, group, kind, kind, sizeof(ctype), sizeof(ctype), sizeof(ctype)}
#define WITH_INT(mpitype, kind, ctype)                                                                     \
    {#mpitype, mpitype, PAIR, kind, SIGNED, sizeof(ctype), offsetof(struct { ctype value; int index; }, index), \
     sizeof(int)}

/** Has this MPI library the type, as large as the C type that stands for it? Optional ones may be MPI_DATATYPE_NULL, or
 *  a handle that is refused. */
static inline int has_type(const struct basic_type *type)
{
    int size = 0;

    if (MPI_DATATYPE_NULL == type->type) {
        return 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_SUCCESS != MPI_Type_size(type->type, &size)) {
        size = 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return type->first_size + type->second_size == size;
}

/** Fill the table of all types that the library has. */
static inline const struct basic_type *basic_types(int *count)
{
    static struct basic_type table[80];
    const struct basic_type all[] = {
        ONE(MPI_SIGNED_CHAR, C_INTEGER, SIGNED, signed char),
        ONE(MPI_UNSIGNED_CHAR, C_INTEGER, UNSIGNED, unsigned char),
        ONE(MPI_SHORT, C_INTEGER, SIGNED, short),
        ONE(MPI_UNSIGNED_SHORT, C_INTEGER, UNSIGNED, unsigned short),
        ONE(MPI_INT, C_INTEGER, SIGNED, int),
        ONE(MPI_UNSIGNED, C_INTEGER, UNSIGNED, unsigned),
        ONE(MPI_LONG, C_INTEGER, SIGNED, long),
        ONE(MPI_UNSIGNED_LONG, C_INTEGER, UNSIGNED, unsigned long),
        ONE(MPI_LONG_LONG, C_INTEGER, SIGNED, long long),
        ONE(MPI_UNSIGNED_LONG_LONG, C_INTEGER, UNSIGNED, unsigned long long),
        ONE(MPI_INT8_T, C_INTEGER, SIGNED, int8_t),
        ONE(MPI_INT16_T, C_INTEGER, SIGNED, int16_t),
        ONE(MPI_INT32_T, C_INTEGER, SIGNED, int32_t),
        ONE(MPI_INT64_T, C_INTEGER, SIGNED, int64_t),
        ONE(MPI_UINT8_T, C_INTEGER, UNSIGNED, uint8_t),
        ONE(MPI_UINT16_T, C_INTEGER, UNSIGNED, uint16_t),
        ONE(MPI_UINT32_T, C_INTEGER, UNSIGNED, uint32_t),
        ONE(MPI_UINT64_T, C_INTEGER, UNSIGNED, uint64_t),
        ONE(MPI_AINT, MULTI_LANGUAGE, SIGNED, MPI_Aint),
        ONE(MPI_OFFSET, MULTI_LANGUAGE, SIGNED, MPI_Offset),
        ONE(MPI_COUNT, MULTI_LANGUAGE, SIGNED, MPI_Count),
        ONE(MPI_INTEGER, FORTRAN_INTEGER, SIGNED, int),
        ONE(MPI_INTEGER1, FORTRAN_INTEGER, SIGNED, int8_t),
        ONE(MPI_INTEGER2, FORTRAN_INTEGER, SIGNED, int16_t),
        ONE(MPI_INTEGER4, FORTRAN_INTEGER, SIGNED, int32_t),
        ONE(MPI_INTEGER8, FORTRAN_INTEGER, SIGNED, int64_t),
        ONE(MPI_FLOAT, FLOATING, REAL_NUMBER, float),
        ONE(MPI_DOUBLE, FLOATING, REAL_NUMBER, double),
        ONE(MPI_LONG_DOUBLE, FLOATING, REAL_NUMBER, long double),
        ONE(MPI_REAL, FLOATING, REAL_NUMBER, float),
        ONE(MPI_DOUBLE_PRECISION, FLOATING, REAL_NUMBER, double),
        ONE(MPI_REAL4, FLOATING, REAL_NUMBER, float),
        ONE(MPI_REAL8, FLOATING, REAL_NUMBER, double),
#ifdef MPI_INTEGER16
        ONE(MPI_INTEGER16, FORTRAN_INTEGER, SIGNED, __int128),
#endif
#ifdef MPI_REAL16
        ONE(MPI_REAL16, FLOATING, REAL_NUMBER, long double),
#endif
#ifdef MPI_LOGICAL1
        ONE(MPI_LOGICAL1, LOGICAL, SIGNED, int8_t),
        ONE(MPI_LOGICAL2, LOGICAL, SIGNED, int16_t),
        ONE(MPI_LOGICAL4, LOGICAL, SIGNED, int32_t),
        ONE(MPI_LOGICAL8, LOGICAL, SIGNED, int64_t),
#endif
        ONE(MPI_C_BOOL, LOGICAL, UNSIGNED, bool),
        ONE(MPI_LOGICAL, LOGICAL, SIGNED, int),
        TWO(MPI_C_FLOAT_COMPLEX, COMPLEX, REAL_NUMBER, float),
        TWO(MPI_C_DOUBLE_COMPLEX, COMPLEX, REAL_NUMBER, double),
        TWO(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, REAL_NUMBER, long double),
        TWO(MPI_COMPLEX, COMPLEX, REAL_NUMBER, float),
        TWO(MPI_DOUBLE_COMPLEX, COMPLEX, REAL_NUMBER, double),
#ifdef MPI_COMPLEX8
        TWO(MPI_COMPLEX8, COMPLEX, REAL_NUMBER, float),
        TWO(MPI_COMPLEX16, COMPLEX, REAL_NUMBER, double),
#endif
#ifdef MPI_COMPLEX32
        TWO(MPI_COMPLEX32, COMPLEX, REAL_NUMBER, long double),
#endif
#ifdef MPI_CXX_BOOL
        ONE(MPI_CXX_BOOL, LOGICAL, UNSIGNED, bool),
        TWO(MPI_CXX_FLOAT_COMPLEX, COMPLEX, REAL_NUMBER, float),
        TWO(MPI_CXX_DOUBLE_COMPLEX, COMPLEX, REAL_NUMBER, double),
        TWO(MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, REAL_NUMBER, long double),
#endif
        ONE(MPI_BYTE, BYTES, UNSIGNED, unsigned char),
        ONE(MPI_CHAR, OTHER, SIGNED, char),
        ONE(MPI_WCHAR, OTHER, SIGNED, wchar_t),
        ONE(MPI_CHARACTER, OTHER, SIGNED, char),
        TWO(MPI_2INT, PAIR, SIGNED, int),
        WITH_INT(MPI_SHORT_INT, SIGNED, short),
        WITH_INT(MPI_LONG_INT, SIGNED, long),
        WITH_INT(MPI_FLOAT_INT, REAL_NUMBER, float),
        WITH_INT(MPI_DOUBLE_INT, REAL_NUMBER, double),
        WITH_INT(MPI_LONG_DOUBLE_INT, REAL_NUMBER, long double),
        TWO(MPI_2INTEGER, PAIR, SIGNED, int),
        TWO(MPI_2REAL, PAIR, REAL_NUMBER, float),
        TWO(MPI_2DOUBLE_PRECISION, PAIR, REAL_NUMBER, double),
    };

    *count = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (has_type(&all[i])) {
            table[(*count)++] = all[i];
        }
    }
    return table;
}

/** May operation `op` (by its place in test_ops) be used on the type? MPI_REPLACE and MPI_NO_OP always may. */
enum op_kind { ARITHMETIC, EXTREME, LOGICAL_OP, BITWISE, LOCATION, ANY };

struct test_op {
    const char *name;
    MPI_Op op;
    enum op_kind kind;
};

static inline const struct test_op *test_ops(int *count)
{
    static struct test_op table[14];
    const struct test_op all[] = {
        {"sum", MPI_SUM, ARITHMETIC},     {"prod", MPI_PROD, ARITHMETIC},  {"max", MPI_MAX, EXTREME},
        {"min", MPI_MIN, EXTREME},        {"land", MPI_LAND, LOGICAL_OP},  {"lor", MPI_LOR, LOGICAL_OP},
        {"lxor", MPI_LXOR, LOGICAL_OP},   {"band", MPI_BAND, BITWISE},     {"bor", MPI_BOR, BITWISE},
        {"bxor", MPI_BXOR, BITWISE},      {"maxloc", MPI_MAXLOC, LOCATION}, {"minloc", MPI_MINLOC, LOCATION},
        {"replace", MPI_REPLACE, ANY},    {"no_op", MPI_NO_OP, ANY},
    };

    memcpy(table, all, sizeof(all));
    *count = sizeof(all) / sizeof(all[0]);
    return table;
}

static inline int op_allowed(const struct test_op *op, const struct basic_type *type)
{
    enum type_group group = type->group;

    switch (op->kind) {
    case ARITHMETIC:
        return group <= FLOATING || COMPLEX == group;
    case EXTREME:
        return group <= FLOATING;
    case LOGICAL_OP:
        return C_INTEGER == group || LOGICAL == group;
    case BITWISE:
        return group <= FORTRAN_INTEGER || BYTES == group;
    case LOCATION:
        return PAIR == group;
    default:
        return 1;
    }
}

static inline void set_number(void *at, enum number kind, int size, int value)
{
    int64_t wide = value;
    float single = value;
    double twice = value;
    long double most = value;

    if (REAL_NUMBER != kind) {
        memset(at, value < 0 ? -1 : 0, size);
        memcpy(at, &wide, size < 8 ? size : 8); /* little endian */
    } else if (sizeof(single) == size) {
        memcpy(at, &single, size);
    } else if (sizeof(twice) == size) {
        memcpy(at, &twice, size);
    } else {
        memcpy(at, &most, 10);
    }
}

/** Write element number `index` of an array; `value` is a small number, and nothing but the type's own bytes change. */
static inline void set_element(const struct basic_type *type, void *array, int index, int value)
{
    MPI_Aint lb, extent;
    char *at = array;

    MPI_Type_get_extent(type->type, &lb, &extent);
    at += index * extent;
    set_number(at, type->first_kind, type->first_size, LOGICAL == type->group ? value % 2 : value);
    if (type->second_size > 0) {
        set_number(at + type->second_at, type->second_kind, type->second_size, value % 3);
    }
}

/** Do two arrays hold the same elements? Padding does not count. Returns the index of the first difference, or -1. */
static inline int elements_differ(const struct basic_type *type, const void *one, const void *other, int count)
{
    int first = 16 == type->first_size && REAL_NUMBER == type->first_kind ? 10 : type->first_size;
    int second = 16 == type->second_size && REAL_NUMBER == type->second_kind ? 10 : type->second_size;
    MPI_Aint lb, extent;

    MPI_Type_get_extent(type->type, &lb, &extent);
    for (int i = 0; i < count; i++) {
        const char *a = (const char *) one + i * extent, *b = (const char *) other + i * extent;

        if (0 != memcmp(a, b, first) || 0 != memcmp(a + type->second_at, b + type->second_at, second)) {
            return i;
        }
    }
    return -1;
}

/** Do the library's own reductions take the pair? MPI_REPLACE and MPI_NO_OP are not for reductions. */
static inline int library_reduces(const struct test_op *op, const struct basic_type *type)
{
    _Alignas(16) char one[32] = {0}, other[32] = {0};
    int rc;

    if (ANY == op->kind) {
        return 1;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    rc = MPI_Reduce_local(one, other, 1, type->type, op->op);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    return MPI_SUCCESS == rc;
}

/** What an accumulate does to the target, as MPI_Reduce_local sees it. */
static inline void apply_op(const struct test_op *op, const struct basic_type *type, const void *origin, void *target,
                            int count)
{
    MPI_Aint lb, extent;

    if (MPI_REPLACE == op->op) {
        MPI_Type_get_extent(type->type, &lb, &extent);
        memcpy(target, origin, count * extent);
    } else if (MPI_NO_OP != op->op) {
        MPI_Reduce_local(origin, target, count, type->type, op->op);
    }
}

#endif /* TYPES_H */
