/* types.*: 1000 doubles that are not contiguous, at both ends, in one operation with its flush; and as many that are.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "bench.h"

enum { COUNT = 1000, STRIDE = 8 };
enum shape { CONTIGUOUS, VECTOR, INDEXED };

struct transfer {
    struct bench_operation operation; /* its window, buffers and target; the calls are ours */
    MPI_Datatype           type;
};

/* Element i's place, in doubles: in the indexed type blocks of 1 to 4 elements with gaps of 1 to 7. */
static int place(enum shape shape, int i)
{
    static int places[COUNT];

    if (INDEXED != shape) {
        return CONTIGUOUS == shape ? i : i * STRIDE;
    }
    if (0 == places[1]) {
        for (int next = 0, at = 0, block = 0; next < COUNT; block++) {
            for (int j = 0; j <= block % 4 && next < COUNT; j++) {
                places[next++] = at++;
            }
            at += 1 + block * 5 % 7;
        }
    }
    return places[i];
}

static MPI_Datatype make_type(enum shape shape)
{
    MPI_Datatype type;
    int          lengths[COUNT], places[COUNT], blocks = 0;

    if (CONTIGUOUS == shape) {
        MPI_Type_contiguous(COUNT, MPI_DOUBLE, &type);
    } else if (VECTOR == shape) {
        MPI_Type_vector(COUNT, 1, STRIDE, MPI_DOUBLE, &type);
    } else {
        for (int i = 0; i < COUNT; i++) {
            if (i > 0 && place(shape, i) == place(shape, i - 1) + 1) {
                lengths[blocks - 1]++;
                continue;
            }
            places[blocks] = place(shape, i);
            lengths[blocks++] = 1;
        }
        MPI_Type_indexed(blocks, lengths, places, MPI_DOUBLE, &type);
    }
    MPI_Type_commit(&type);
    return type;
}

static void body(long n, void *context)
{
    struct transfer        *transfer = context;
    struct bench_operation *op = &transfer->operation;
    MPI_Aint                disp = bench_disp(&op->window, op->target, 0);
    MPI_Datatype            type = transfer->type;

    if (0 != bench.rank) {
        return;
    }
    for (long i = 0; i < n; i++) {
        if (BENCH_PUT == op->kind) {
            MPI_Put(op->data, 1, type, op->target, disp, 1, type, op->window.win);
        } else if (BENCH_GET == op->kind) {
            MPI_Get(op->result, 1, type, op->target, disp, 1, type, op->window.win);
        } else {
            MPI_Accumulate(op->data, 1, type, op->target, disp, 1, type, MPI_SUM, op->window.win);
        }
        MPI_Win_flush(op->target, op->window.win);
        op->done++;
    }
}

/* Every element arrived, and nothing between them. */
static bool check(const struct transfer *transfer, enum shape shape)
{
    const struct bench_operation *op = &transfer->operation;
    const double                 *at;
    long                          done = op->done;
    int                           next = 0;

    MPI_Bcast(&done, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_sync(op->window.win);
    if ((BENCH_GET == op->kind ? 0 : op->target) != bench.rank) {
        return true;
    }
    at = BENCH_GET == op->kind ? op->result : (const double *) op->window.base;
    for (int i = 0; i < COUNT * STRIDE; i++) {
        bool   ours = next < COUNT && place(shape, next) == i;
        double value = BENCH_ACC == op->kind ? (double) done : op->data[i];

        if (at[i] != (ours ? value : 0.0)) {
            return false;
        }
        next += ours;
    }
    return COUNT == next;
}

static void run(const struct bench_case *self)
{
    enum shape           shape = (enum shape) (self->argument / 8);
    enum bench_kind      kind = (enum bench_kind) (self->argument % 8);
    struct transfer      transfer;
    struct bench_measure measure = { .body = body, .context = &transfer };
    struct bench_result  result;

    bench_operation_begin(&transfer.operation, kind, bench.target);
    bench_operation_size(&transfer.operation, sizeof(double)); /* for the data; 10,000 of them are used */
    transfer.type = make_type(shape);
    result = bench_measure(&measure);
    if (bench_right(self->name, COUNT * sizeof(double), check(&transfer, shape))) {
        bench_row_us(self->name, COUNT * sizeof(double), result);
    }
    MPI_Type_free(&transfer.type);
    bench_operation_end(&transfer.operation);
}

const struct bench_case bench_type_cases[] = {
    { "types.contiguous_put", run, CONTIGUOUS * 8 + BENCH_PUT, false },
    { "types.strided_put", run, VECTOR * 8 + BENCH_PUT, false },
    { "types.strided_get", run, VECTOR * 8 + BENCH_GET, false },
    { "types.strided_accumulate", run, VECTOR * 8 + BENCH_ACC, false },
    { "types.indexed_put", run, INDEXED * 8 + BENCH_PUT, false },
    { NULL, NULL, 0, false },
};
