/* latency.*: one operation and its flush. rate.*: as many as fit between two flushes. Both by size.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "bench.h"

static void one_by_one(long n, void *context)
{
    struct bench_operation *operation = context;

    if (0 != bench.rank) {
        return;
    }
    operation->slots = 1;
    for (long i = 0; i < n; i++) {
        bench_operation_issue(operation, 0);
        MPI_Win_flush(operation->target, operation->window.win);
    }
}

static void many_at_once(long n, void *context)
{
    struct bench_operation *operation = context;
    long                    slot = 0, slots = (long) (BENCH_WINDOW_BYTES / operation->bytes) - 1;

    if (0 != bench.rank) {
        return;
    }
    slots = slots < 1 ? 1 : slots < BENCH_MOST_SLOTS ? slots : BENCH_MOST_SLOTS;
    for (long i = 0; i < n; i++) {
        bench_operation_issue(operation, (size_t) slot * operation->bytes);
        slot++;
        operation->slots = slot > operation->slots ? slot : operation->slots;
        if (slot == slots) {
            MPI_Win_flush(operation->target, operation->window.win);
            slot = 0;
        }
    }
    MPI_Win_flush(operation->target, operation->window.win);
}

static void by_size(const struct bench_case *self, void (*body)(long, void *))
{
    struct bench_operation operation;
    struct bench_measure   measure = { .body = body, .context = &operation };

    bench_operation_begin(&operation, (enum bench_kind) self->argument, bench.target);
    for (int i = 0; i < bench.num_sizes; i++) {
        size_t              bytes = self->argument >= BENCH_FOP ? 8 : bench.sizes[i];
        struct bench_result result;

        bench_operation_size(&operation, bytes);
        result = bench_measure(&measure);
        if (bench_right(self->name, bytes, bench_operation_check(&operation))) {
            bench_row_us(self->name, bytes, result);
        }
        if (self->argument >= BENCH_FOP) {
            break;
        }
    }
    bench_operation_end(&operation);
}

static void latency(const struct bench_case *self)
{
    by_size(self, one_by_one);
}

static void rate(const struct bench_case *self)
{
    by_size(self, many_at_once);
}

const struct bench_case bench_latency_cases[] = {
    { "latency.put", latency, BENCH_PUT, false },
    { "latency.get", latency, BENCH_GET, false },
    { "latency.accumulate", latency, BENCH_ACC, false },
    { "latency.get_accumulate", latency, BENCH_GACC, false },
    { "latency.fetch_and_op", latency, BENCH_FOP, false },
    { "latency.compare_and_swap", latency, BENCH_CAS, false },
    { "rate.put", rate, BENCH_PUT, false },
    { "rate.get", rate, BENCH_GET, false },
    { "rate.accumulate", rate, BENCH_ACC, false },
    { "rate.fetch_and_op", rate, BENCH_FOP, false },
    { NULL, NULL, 0, false },
};
