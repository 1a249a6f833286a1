/* Timing: turns, warm-up, samples, and the rows of the result.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "bench.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TURN = -1, WARMING = 4 };

double bench_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

void bench_turn(int sample)
{
    static int pipe = -1;
    char       turn;

    if (!bench.turns) {
        return;
    }
    if (pipe < 0) {
        pipe = open(bench.turns, O_RDONLY);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == bench.rank) {
        printf("# turn %s %d %d\n", bench.case_name, bench.part, sample);
        fflush(stdout);
    }
    if (1 != read(pipe, &turn, 1)) {
        MPI_Abort(MPI_COMM_WORLD, 2); /* who gives turns has ended */
    }
}

/* Rank 0 tells all what comes next; the others wait for it in MPI, or nap. */
static long agree(long n, bool nap)
{
    MPI_Request request;
    int         done = 0;

    if (!nap || 0 == bench.rank) {
        MPI_Ibcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return n;
    }
    MPI_Ibcast(&n, 1, MPI_LONG, 0, MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done) {
            return n;
        }
        usleep(50);
    }
}

/* One sample: the time that the slowest process took, on rank 0. All wait for it as agree() does. */
static double sample(const struct bench_measure *measure, long n)
{
    double begin, mine, slowest = 0;

    if (measure->prepare) {
        measure->prepare(measure->context);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    begin = bench_now();
    measure->body(n, measure->context);
    mine = bench_now() - begin;
    agree(0, measure->nap);
    MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (measure->check) {
        measure->check(n, measure->context);
    }
    return slowest;
}

/* How many make a sample of `wanted` seconds. The number doubles from one until the time is a good part of it, twice:
 * the first operation may have to connect, and any may be interrupted. This is also the warm-up. `spent` counts the
 * time. */
static long calibrate(const struct bench_measure *measure, double wanted, double *spent)
{
    long   n = 1, most = measure->max_n > 0 ? measure->max_n : 1L << 40;
    double time, again = 0;

    for (;;) {
        agree(n, false);
        time = sample(measure, n);
        *spent += time;
        if (time <= wanted / 4 && n < most) {
            n = 2 * n < most ? 2 * n : most;
            again = 0;
        } else if (again > 0) {
            time = time < again ? time : again;
            break;
        } else {
            again = time;
        }
    }
    if (time > 0) {
        double exact = (double) n * wanted / time;

        n = exact < 1 ? 1 : exact > (double) most ? most : (long) exact;
    }
    return n;
}

/* What all but rank 0 do: what it says. */
static void follow(const struct bench_measure *measure)
{
    long n;

    while (0 != (n = agree(0, false))) {
        if (TURN == n) {
            bench_turn(0);
        } else {
            sample(measure, n);
        }
    }
}

struct bench_result bench_measure(const struct bench_measure *measure)
{
    struct bench_result result = { 0 };
    double              time, spent = 0, limit = 4 * bench.seconds;
    long                n;

    if (0 != bench.rank) {
        follow(measure);
        return result;
    }
    n = calibrate(measure, bench.seconds / bench.samples, &spent);
    /* If one alone takes longer than all samples should, there are fewer samples. */
    while (result.count < bench.samples && (result.count < 3 || spent < limit) &&
           (0 == result.count || spent < 8 * limit)) {
        if (bench.turns) {
            agree(TURN, false);
            bench_turn(result.count);
        }
        if (bench.turns && n >= WARMING) { /* the caches have what others left there */
            agree(n / WARMING, false);
            spent += sample(measure, n / WARMING);
        }
        agree(n, false);
        time = sample(measure, n);
        spent += time;
        result.values[result.count++] = time / (double) n;
    }
    agree(0, false);
    bench.part++;
    return result;
}

struct bench_result bench_one(double value)
{
    return (struct bench_result) { 1, { value } };
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return x < y ? -1 : x > y;
}

double bench_quantile(const double *sorted, long count, double fraction)
{
    return sorted[(long) (fraction * (double) (count - 1) + 0.5)];
}

void bench_sort(double *values, long count)
{
    qsort(values, (size_t) count, sizeof(*values), compare);
}

void bench_row(const char *name, size_t size, struct bench_result result, double scale, const char *unit)
{
    if (0 == bench.rank) {
        printf("%s,%s,%zu,%d,%s,", bench.flavour_name, name, size, bench.size, unit);
        for (int i = 0; i < result.count; i++) {
            printf(i > 0 ? " %.6g" : "%.6g", result.values[i] * scale);
        }
        printf("\n");
        fflush(stdout);
    }
}

void bench_row_us(const char *name, size_t size, struct bench_result result)
{
    bench_row(name, size, result, 1e6, "us");
}

bool bench_right(const char *name, size_t size, bool right)
{
    int mine = right, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    if (!all) {
        bench.wrong = true;
        bench_row(name, size, (struct bench_result) { 0 }, 1, "wrong");
    }
    return all;
}
