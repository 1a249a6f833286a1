/* unused.*: a ping-pong and a computation that have nothing to do with windows, before there was any ("without") and
 * while one is open ("with"), over which all processes have met.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "bench.h"

#include <stdlib.h>

static void ping_pong(long n, void *context)
{
    int64_t *bad = context, sent, got = 0;
    int      other = 0 == bench.rank ? bench.target : 0;

    if (0 != bench.rank && bench.target != bench.rank) {
        return;
    }
    for (long i = 0; i < n; i++) {
        sent = i;
        if (0 == bench.rank) {
            MPI_Send(&sent, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD);
        }
        MPI_Recv(&got, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (0 != bench.rank) {
            MPI_Send(&got, 1, MPI_INT64_T, other, 0, MPI_COMM_WORLD);
        }
        *bad += got != i;
    }
}

static void compute(long n, void *context)
{
    double *x = context;

    if (0 == bench.rank) {
        for (long i = 0; i < n; i++) {
            for (int j = 0; j < 1000; j++) {
                *x = *x * 0.999999 + 1e-6;
            }
        }
    }
}

static void both(const char *ping_pong_name, const char *compute_name)
{
    int64_t             bad = 0;
    double              x = 1; /* a fixed point of the computation */
    struct bench_result result = bench_measure(&(struct bench_measure) { .body = ping_pong, .context = &bad });

    if (bench_right(ping_pong_name, 8, 0 == bad)) {
        bench_row_us(ping_pong_name, 8, result);
    }
    result = bench_measure(&(struct bench_measure) { .body = compute, .context = &x });
    if (bench_right(compute_name, 0, x > 0.9 && x < 1.1)) {
        bench_row_us(compute_name, 0, result);
    }
}

static void run(const struct bench_case *self)
{
    struct bench_window window;
    double              value;

    (void) self;
    both("unused.ping_pong_without", "unused.compute_without");
    bench_window_make(&window, 4096);
    MPI_Win_lock_all(0, window.win);
    for (int rank = 0; rank < bench.size; rank++) {
        MPI_Get(&value, 1, MPI_DOUBLE, rank, bench_disp(&window, rank, 0), 1, MPI_DOUBLE, window.win);
        MPI_Win_flush(rank, window.win);
    }
    MPI_Win_unlock_all(window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    both("unused.ping_pong_with", "unused.compute_with");
    bench_window_free(&window);
}

const struct bench_case bench_unused_cases[] = {
    { "unused", run, 0, false },
    { NULL, NULL, 0, false },
};
