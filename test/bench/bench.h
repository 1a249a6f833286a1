/* What the files of the benchmark share: the window under test, how a measurement is made, how its result is printed.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Plain MPI 3.1, so that any MPI library can be measured. Rank 0 is the origin, bench.target the process that it works
 * on; the other processes wait in MPI unless the measurement is one that all take part in.
 */

#ifndef BENCH_H
#define BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BENCH_WINDOW_BYTES = 8 << 20, BENCH_MOST_SLOTS = 10000, BENCH_MOST_SAMPLES = 31, BENCH_RUNS = 3 };

enum bench_flavour { BENCH_ALLOCATE, BENCH_CREATE, BENCH_DYNAMIC, BENCH_SHARED };

/** The run's settings, the same on all processes. */
struct bench {
    int                rank, size;
    int                target;          /**< the rank that rank 0 works on: the last */
    enum bench_flavour flavour;
    const char        *flavour_name;
    const size_t      *sizes;           /**< bytes, ascending */
    int                num_sizes;
    double             seconds;         /**< for one measurement, about */
    int                samples;         /**< that it is split into */
    bool               wrong;           /**< some data were not what they had to be */
    const char        *turns;           /**< the pipe that gives this job its turns, or NULL: it is always its turn */
    const char        *case_name;       /**< what runs now, */
    int                part;            /**< and its how-manieth measurement, from 0 */
};

extern struct bench bench;

/** A case that can be selected by name; `run` is collective over MPI_COMM_WORLD and prints its results. */
struct bench_case {
    const char *name;
    void      (*run)(const struct bench_case *self);
    int         argument;               /**< what `run` makes of it: an operation, mostly */
    bool        whole;                  /**< a run makes one sample, and there are BENCH_RUNS */
};

extern const struct bench_case bench_latency_cases[], bench_type_cases[], bench_epoch_cases[], bench_window_cases[],
    bench_busy_cases[], bench_many_cases[], bench_application_cases[], bench_unused_cases[],
    bench_operations_cases[], bench_notify_cases[];

/* ---- measure.c ---- */

/** How something is timed: `body(n, context)` does it n times. It runs on all processes; those without a part in it
 *  return at once. The time is that of the slowest process. */
struct bench_measure {
    void (*body)(long n, void *context);
    void (*prepare)(void *context);     /**< before each sample, untimed, on all processes; may be NULL */
    void (*check)(long n, void *context); /**< after each sample, likewise */
    void  *context;
    long   max_n;                       /**< of one call; 0: any number */
    bool   nap;                         /**< processes without a part sleep, and look every 50 us */
};

/** The result: what the samples took, in seconds for one of n; valid on rank 0. */
struct bench_result {
    int    count;
    double values[BENCH_MOST_SAMPLES];
};

double bench_now(void);

/** Collective: wait until this job may run `sample` of what bench.case_name and bench.part name. Jobs that take turns
 *  stand still out of MPI meanwhile. */
void bench_turn(int sample);

/** Collective: warm up, find n so that a sample takes its part of bench.seconds, and take the samples, each in a turn
 *  of its own. */
struct bench_result bench_measure(const struct bench_measure *measure);

/** The result of a case that makes one sample in each run. */
struct bench_result bench_one(double value);

/** Sort `values`, for bench_quantile. */
void bench_sort(double *values, long count);

/** The value at `fraction` (0 to 1) of sorted values. */
double bench_quantile(const double *sorted, long count, double fraction);

/** Rank 0 prints a row: the samples times `scale`, in `unit`. A size of 0 means that there is none. */
void bench_row(const char *name, size_t size, struct bench_result result, double scale, const char *unit);

/** bench_row in microseconds. */
void bench_row_us(const char *name, size_t size, struct bench_result result);

/** Collective: a row only if `right` on all processes; else the run is marked wrong and `name` printed as such. */
bool bench_right(const char *name, size_t size, bool right);

/* ---- window.c ---- */

/** A window of the run's flavour. */
struct bench_window {
    MPI_Win   win;
    char     *base;                     /**< this process's memory */
    size_t    bytes;
    MPI_Aint *offsets;                  /**< what to add to a displacement, by rank; NULL: nothing */
};

/** Collective: make a window of `bytes` on each process, zeroed. disp_unit is 1. */
void bench_window_make(struct bench_window *window, size_t bytes);

/** Collective: free it and its memory. */
void bench_window_free(struct bench_window *window);

/** Collective: make the window's first bytes zero, seen by all, in the epoch of a lock_all. */
void bench_window_clear(struct bench_window *window, size_t bytes);

/** The displacement of byte `offset` at `rank`. */
static inline MPI_Aint bench_disp(const struct bench_window *window, int rank, MPI_Aint offset)
{
    return window->offsets ? window->offsets[rank] + offset : offset;
}

/** Memory for one window's worth of data, aligned to a page. */
double *bench_buffer(void);

/* ---- operation.c ---- */

enum bench_kind { BENCH_PUT, BENCH_GET, BENCH_ACC, BENCH_GACC, BENCH_FOP, BENCH_CAS };

/** Operations of one kind and size on one target, in the epoch of a lock_all. The buffers are as large as the window,
 *  and `offset` is in bytes, the same in all of them. */
struct bench_operation {
    struct bench_window window;
    enum bench_kind     kind;
    int                 target;
    size_t              bytes;          /**< of one operation */
    double             *data, *result;
    long                done;           /**< how many were issued, on this process */
    size_t              used;           /**< bytes of the window that they may go to, from its beginning */
    long                slots;          /**< how many different offsets, 0, bytes, 2 bytes, ..., they went to */
    int64_t             compare, swap;  /**< operands of compare_and_swap, in use until the flush */
};

/** Collective: a window of BENCH_WINDOW_BYTES, locked, the buffers, and data for the operations to be checked by. */
void bench_operation_begin(struct bench_operation *operation, enum bench_kind kind, int target);

/** Collective: forget what was done, for operations of another size. */
void bench_operation_size(struct bench_operation *operation, size_t bytes);

/** Issue one. Only one process issues compare_and_swap, and flushes after each. */
void bench_operation_issue(struct bench_operation *operation, size_t offset);

/** Collective: did the operations of all processes together do what they had to? */
bool bench_operation_check(struct bench_operation *operation);

/** Collective. */
void bench_operation_end(struct bench_operation *operation);

#endif /* BENCH_H */
