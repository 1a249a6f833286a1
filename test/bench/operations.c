/* operations.OPERATION.TYPE: an accumulate of so many bytes with its flush, for each operation on each element type.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * One accumulate is compared with what MPI_Reduce_local makes of the same data. The data that follow keep their values
 * normal, however often they are combined.
 */

#include "bench.h"

#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 4096, MOST = 1 << 20 };
enum class { SIGNED, UNSIGNED, BOOL, BYTE, FLOAT, COMPLEX, PAIR, CLASSES };
enum operation { MAX, MIN, SUM, PROD, BAND, BOR, BXOR, LAND, LOR, LXOR, MINLOC, MAXLOC, REPLACE };

/* Which operations a class has (MPI-3.1, section 5.9.2, and MPI_REPLACE), as bits. */
static const unsigned allowed[CLASSES] = {
    [SIGNED] = 1u << REPLACE | 0x3ff,   [UNSIGNED] = 1u << REPLACE | 0x3ff,
    [BOOL] = 1u << REPLACE | 7u << LAND, [BYTE] = 1u << REPLACE | 7u << BAND,
    [FLOAT] = 1u << REPLACE | 15u,       [COMPLEX] = 1u << REPLACE | 1u << SUM | 1u << PROD,
    [PAIR] = 1u << REPLACE | 1u << MINLOC | 1u << MAXLOC,
};

static MPI_Op mpi_operation(enum operation operation)
{
    const MPI_Op all[] = {
        MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC,
        MPI_MAXLOC, MPI_REPLACE,
    };

    return all[operation];
}

struct pair_short { short value; int index; };
struct pair_int { int value, index; };
struct pair_long { long value; int index; };
struct pair_float { float value; int index; };
struct pair_double { double value; int index; };
struct pair_long_double { long double value; int index; };

struct type {
    const char  *name;
    MPI_Datatype type;
    enum class   class;
    size_t       bytes;                 /* its extent */
};

/* Type number i; one with a name that is NULL after the last. Those of fixed width (MPI_INT32_T, ...) and MPI_AINT,
 * MPI_COUNT and MPI_OFFSET are the same as one of these. */
static struct type type_number(int i)
{
    const struct type types[] = {
        { "signed_char", MPI_SIGNED_CHAR, SIGNED, 1 },
        { "unsigned_char", MPI_UNSIGNED_CHAR, UNSIGNED, 1 },
        { "short", MPI_SHORT, SIGNED, sizeof(short) },
        { "unsigned_short", MPI_UNSIGNED_SHORT, UNSIGNED, sizeof(short) },
        { "int", MPI_INT, SIGNED, sizeof(int) },
        { "unsigned", MPI_UNSIGNED, UNSIGNED, sizeof(int) },
        { "long", MPI_LONG, SIGNED, sizeof(long) },
        { "unsigned_long", MPI_UNSIGNED_LONG, UNSIGNED, sizeof(long) },
        { "long_long", MPI_LONG_LONG, SIGNED, sizeof(long long) },
        { "unsigned_long_long", MPI_UNSIGNED_LONG_LONG, UNSIGNED, sizeof(long long) },
        { "bool", MPI_C_BOOL, BOOL, sizeof(bool) },
        { "byte", MPI_BYTE, BYTE, 1 },
        { "float", MPI_FLOAT, FLOAT, sizeof(float) },
        { "double", MPI_DOUBLE, FLOAT, sizeof(double) },
        { "long_double", MPI_LONG_DOUBLE, FLOAT, sizeof(long double) },
        { "float_complex", MPI_C_FLOAT_COMPLEX, COMPLEX, sizeof(float complex) },
        { "double_complex", MPI_C_DOUBLE_COMPLEX, COMPLEX, sizeof(double complex) },
        { "long_double_complex", MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, sizeof(long double complex) },
        { "short_int", MPI_SHORT_INT, PAIR, sizeof(struct pair_short) },
        { "2int", MPI_2INT, PAIR, sizeof(struct pair_int) },
        { "long_int", MPI_LONG_INT, PAIR, sizeof(struct pair_long) },
        { "float_int", MPI_FLOAT_INT, PAIR, sizeof(struct pair_float) },
        { "double_int", MPI_DOUBLE_INT, PAIR, sizeof(struct pair_double) },
        { "long_double_int", MPI_LONG_DOUBLE_INT, PAIR, sizeof(struct pair_long_double) },
        { NULL, MPI_DATATYPE_NULL, CLASSES, 0 },
    };

    return types[i];
}

static void store_whole(const struct type *type, void *at, int value)
{
    switch (type->bytes) {
    case 1: *(int8_t *) at = (int8_t) (BOOL == type->class ? 0 != value : value); break;
    case 2: *(int16_t *) at = (int16_t) value; break;
    case 4: *(int32_t *) at = value; break;
    default: *(int64_t *) at = value;
    }
}

static void store_real(size_t bytes, void *at, int value)
{
    switch (bytes) {
    case sizeof(float): *(float *) at = (float) value; break;
    case sizeof(double): *(double *) at = value; break;
    default: *(long double *) at = value;
    }
}

static void store_pair(const struct type *type, void *at, int value)
{
    if (0 == strcmp("short_int", type->name)) {
        *(struct pair_short *) at = (struct pair_short) { (short) value, value };
    } else if (0 == strcmp("2int", type->name)) {
        *(struct pair_int *) at = (struct pair_int) { value, value };
    } else if (0 == strcmp("long_int", type->name)) {
        ((struct pair_long *) at)->value = value;
        ((struct pair_long *) at)->index = value;
    } else if (0 == strcmp("float_int", type->name)) {
        *(struct pair_float *) at = (struct pair_float) { (float) value, value };
    } else if (0 == strcmp("double_int", type->name)) {
        ((struct pair_double *) at)->value = value;
        ((struct pair_double *) at)->index = value;
    } else {
        ((struct pair_long_double *) at)->value = value;
        ((struct pair_long_double *) at)->index = value;
    }
}

/* The element of `buffer` with this index takes `value`, a small one. */
static void store(const struct type *type, void *buffer, size_t index, int value)
{
    char *at = (char *) buffer + index * type->bytes;

    switch (type->class) {
    case FLOAT: store_real(type->bytes, at, value); break;
    case COMPLEX: store_real(type->bytes / 2, at, value); break; /* the imaginary part is zero */
    case PAIR: store_pair(type, at, value); break;
    default: store_whole(type, at, value);
    }
}

struct accumulate {
    struct bench_window window;
    struct type         type;
    MPI_Op              op;
    int                 count;
    void               *data, *expected;
};

static void body(long n, void *context)
{
    struct accumulate *self = context;
    MPI_Aint           disp = bench_disp(&self->window, bench.target, 0);

    for (long i = 0; 0 == bench.rank && i < n; i++) {
        MPI_Accumulate(self->data, self->count, self->type.type, bench.target, disp, self->count, self->type.type,
                       self->op, self->window.win);
        MPI_Win_flush(bench.target, self->window.win);
    }
}

/* Collective: the window holds 0 to 6, the data 3, or -1 where products have to stay small. One accumulate does what
 * MPI_Reduce_local does. */
static bool works(struct accumulate *self)
{
    size_t bytes = (size_t) self->count * self->type.bytes;

    memset(self->data, 0, bytes);
    bench_window_clear(&self->window, bytes);
    for (int i = 0; i < self->count; i++) {
        store(&self->type, self->data, (size_t) i, MPI_PROD == self->op ? -1 : 3);
        store(&self->type, self->window.base, (size_t) i, i % 7);
    }
    memcpy(self->expected, self->window.base, bytes);
    if (MPI_REPLACE == self->op) {
        memcpy(self->expected, self->data, bytes);
    } else {
        MPI_Reduce_local(self->data, self->expected, self->count, self->type.type, self->op);
    }
    MPI_Win_sync(self->window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    body(1, self);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(self->window.win);
    return bench.rank != bench.target || 0 == memcmp(self->window.base, self->expected, bytes);
}

/* All types of one operation, by size. */
static void run(const struct bench_case *self)
{
    enum operation       operation = (enum operation) self->argument;
    struct accumulate    accumulate = { .op = mpi_operation(operation), .data = bench_buffer(),
                                        .expected = bench_buffer() };
    struct bench_measure measure = { .body = body, .context = &accumulate };
    struct type          type;
    char                 name[64];

    bench_window_make(&accumulate.window, BENCH_WINDOW_BYTES);
    MPI_Win_lock_all(0, accumulate.window.win);
    for (int i = 0; NULL != (type = type_number(i)).name; i++) {
        for (int j = 0; j < bench.num_sizes && (allowed[type.class] >> operation & 1); j++) {
            if (bench.sizes[j] < LEAST || bench.sizes[j] > MOST) {
                continue;
            }
            accumulate.type = type;
            accumulate.count = (int) (bench.sizes[j] / type.bytes);
            snprintf(name, sizeof(name), "%s.%s", self->name, type.name);
            bench_turn(0);
            if (bench_right(name, bench.sizes[j], works(&accumulate))) {
                bench_row_us(name, bench.sizes[j], bench_measure(&measure));
            } else {
                bench.part++;
            }
        }
    }
    MPI_Win_unlock_all(accumulate.window.win);
    bench_window_free(&accumulate.window);
    free(accumulate.data);
    free(accumulate.expected);
}

const struct bench_case bench_operations_cases[] = {
    { "operations.max", run, MAX, false },
    { "operations.min", run, MIN, false },
    { "operations.sum", run, SUM, false },
    { "operations.prod", run, PROD, false },
    { "operations.band", run, BAND, false },
    { "operations.bor", run, BOR, false },
    { "operations.bxor", run, BXOR, false },
    { "operations.land", run, LAND, false },
    { "operations.lor", run, LOR, false },
    { "operations.lxor", run, LXOR, false },
    { "operations.minloc", run, MINLOC, false },
    { "operations.maxloc", run, MAXLOC, false },
    { "operations.replace", run, REPLACE, false },
    { NULL, NULL, 0, false },
};
