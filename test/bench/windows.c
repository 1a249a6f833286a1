/* windows.*: what it costs to make, to have and to free windows of 64 bytes. first.*: a process's first window, and the
 * first put to it with its flush.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BYTES = 64, MOST = 256, WARM = 16 };

/* The resident set of this process, in bytes, or 0. */
static double resident(void)
{
    unsigned long size, pages = 0;
    FILE         *statm = fopen("/proc/self/statm", "r");

    if (statm) {
        if (2 != fscanf(statm, "%lu %lu", &size, &pages)) {
            pages = 0;
        }
        fclose(statm);
    }
    return (double) pages * (double) sysconf(_SC_PAGESIZE);
}

static void make_and_free(long n, void *context)
{
    (void) context;
    for (long i = 0; i < n; i++) {
        struct bench_window window;

        bench_window_make(&window, BYTES);
        bench_window_free(&window);
    }
}

static void pair(const struct bench_case *self)
{
    bench_row_us(self->name, BYTES, bench_measure(&(struct bench_measure) { .body = make_and_free }));
}

/* A window works if what its left neighbour puts there arrives. */
static bool works(struct bench_window *window, int64_t value)
{
    int     right = (bench.rank + 1) % bench.size;
    int64_t arrived;

    MPI_Win_fence(0, window->win);
    MPI_Put(&value, 1, MPI_INT64_T, right, bench_disp(window, right, 0), 1, MPI_INT64_T, window->win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
    MPI_Win_lock(MPI_LOCK_SHARED, bench.rank, 0, window->win);
    arrived = *(int64_t *) window->base;
    MPI_Win_unlock(bench.rank, window->win);
    return arrived == value;
}

/* How many windows to have at once: as many as can be made within some time, by the first WARM of them. */
static long how_many(double seconds)
{
    double possible = 20 * bench.seconds / seconds;
    long   count = possible > MOST ? MOST : possible < 32 ? 32 : (long) possible;

    MPI_Bcast(&count, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    return count;
}

static void row(const char *name, double value, double scale, const char *unit)
{
    double most;

    MPI_Reduce(&value, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    bench_row(name, BYTES, bench_one(most), scale, unit);
}

/* Many at once: the time for each to be made and to be freed, and the memory that each takes. */
static void hold(const struct bench_case *self)
{
    struct bench_window windows[WARM + MOST];
    double              begin, made, memory, freed;
    long                count;
    bool                right = true;

    begin = bench_now();
    for (long i = 0; i < WARM; i++) {
        bench_window_make(&windows[i], BYTES);
    }
    count = how_many((bench_now() - begin) / WARM);
    MPI_Barrier(MPI_COMM_WORLD);
    memory = resident();
    begin = bench_now();
    for (long i = WARM; i < WARM + count; i++) {
        bench_window_make(&windows[i], BYTES);
    }
    made = bench_now() - begin;
    memory = resident() - memory;
    for (long i = 0; i < WARM + count; i++) {
        right = works(&windows[i], i + 1) && right;
    }
    begin = bench_now();
    for (long i = 0; i < WARM + count; i++) {
        bench_window_free(&windows[i]);
    }
    freed = bench_now() - begin;
    if (bench_right(self->name, BYTES, right)) {
        row("windows.make", made / (double) count, 1e6, "us");
        row("windows.free", freed / (double) (WARM + count), 1e6, "us");
        row("windows.memory", memory / (double) count, 1, "B");
    }
}

/* Nothing may run before, so this case has a job of its own. */
static void first(const struct bench_case *self)
{
    static const int64_t value = 1;
    struct bench_window  window;
    double               memory   = resident();
    double               times[4] = { bench_now() };

    bench_window_make(&window, BYTES);
    times[1] = bench_now();
    memory   = resident() - memory;
    MPI_Win_lock_all(0, window.win);
    MPI_Barrier(MPI_COMM_WORLD);
    times[2] = bench_now();
    if (0 == bench.rank) {
        MPI_Put(&value, 1, MPI_INT64_T, bench.target, bench_disp(&window, bench.target, 0), 1, MPI_INT64_T, window.win);
        MPI_Win_flush(bench.target, window.win);
    }
    times[3] = bench_now();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window.win);
    if (bench_right(self->name, BYTES, bench.rank != bench.target || value == *(int64_t *) window.base)) {
        row("first.window", times[1] - times[0], 1e6, "us");
        row("first.memory", memory, 1, "B");
        row("first.put", times[3] - times[2], 1e6, "us");
    }
    MPI_Win_unlock_all(window.win);
    bench_window_free(&window);
}

const struct bench_case bench_window_cases[] = {
    { "windows.make_free", pair, 0, false },
    { "windows.many", hold, 0, false },
    { "first", first, 0, false },
    { NULL, NULL, 0, false },
};
