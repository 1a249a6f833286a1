/* busy.*: lock, put, fetch_and_op, unlock on a target that computes and calls no MPI, and what that costs the target.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * For comparison, the target first waits in MPI ("polling"); last, it has left MPI a moment ago ("leaving"). Each case
 * prints the median of the epochs' times as its row. Further rows have their 99th percentile (.p99), how many times
 * longer the target's computation takes with requests (.slowdown), and the share of CPU time that the process spent
 * beside its computation (.serving).
 */

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST_EPOCHS = 1000000, SPACING_US = 100, WAITED_US = 5000, LEFT_US = 20, COMPUTED_US = 20000 };
enum mode { POLLING = 1, SPACED = 2 }; /* bits of a case's argument */

struct serving {
    struct bench_window window;
    double             *times;          /* of the epochs that count */
    long                count;
    long                done;           /* with the warm-up */
};

static volatile double number = 1; /* a fixed point of the computation, which the compiler cannot know */

/* Compute for `seconds`, or until somebody puts a value to `stop`. Returns the rounds per second. */
static double compute(double seconds, const volatile int64_t *stop)
{
    double begin = bench_now(), now;
    long   rounds = 0;

    do {
        for (int i = 0; i < 10; i++) {
            double x = number;

            for (int j = 0; j < 1000; j++) {
                x = x * 0.999999 + 1e-6;
            }
            number = x;
        }
        rounds += 10;
        now = bench_now();
    } while (0 == *stop && now - begin < seconds);
    return (double) rounds / (now - begin);
}

/* How long one run takes, about. */
static double seconds(void)
{
    return 10 * bench.seconds / BENCH_RUNS;
}

static double cpu_seconds(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static double thread_cpu_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

static void epoch(struct serving *serving)
{
    static const int64_t one = 1;
    int64_t              value = serving->done + 1, before;
    int                  target = bench.target;
    MPI_Win              win = serving->window.win;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
    MPI_Put(&value, 1, MPI_INT64_T, target, bench_disp(&serving->window, target, 0), 1, MPI_INT64_T, win);
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, bench_disp(&serving->window, target, 8), MPI_SUM, win);
    MPI_Win_unlock(target, win);
    if (before != serving->done) {
        bench.wrong = true;
    }
    serving->done++;
}

/* The origin: epochs for so many seconds, at least one. */
static void epochs(struct serving *serving, double seconds, bool spaced)
{
    double now = bench_now(), end = now + seconds;

    do {
        double next;

        epoch(serving);
        next = bench_now();
        serving->times[serving->count++] = next - now;
        if (spaced) {
            double until = next + 1e-6 * SPACING_US;

            while ((next = bench_now()) < until) {
                continue;
            }
        }
        now = next;
    } while (now < end && serving->count < MOST_EPOCHS);
}

/* Word 2 of the target's window tells it to stop. */
static void stop(struct serving *serving, int64_t value)
{
    int target = bench.target;

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, serving->window.win);
    MPI_Put(&value, 1, MPI_INT64_T, target, bench_disp(&serving->window, target, 16), 1, MPI_INT64_T,
            serving->window.win);
    MPI_Win_unlock(target, serving->window.win);
}

/* What is known of a computation, on rank 0. */
struct pace {
    double rounds;                      /* per second */
    double beside;                      /* CPU time that the process spent beside, by time */
};

/* The target computes; the origin does epochs for half of that time, and then ends it, or leaves it alone. */
static struct pace computation(struct serving *serving, double seconds, bool serve, bool spaced)
{
    double values[2] = { 0, 0 };

    MPI_Barrier(MPI_COMM_WORLD);
    if (bench.rank == bench.target) {
        double begin = bench_now(), cpu = cpu_seconds(), own = thread_cpu_seconds();

        values[0] = compute(seconds, (const volatile int64_t *) serving->window.base + 2);
        values[1] = (cpu_seconds() - cpu - (thread_cpu_seconds() - own)) / (bench_now() - begin);
    } else if (0 == bench.rank && serve) {
        usleep(2000); /* the target is computing by then */
        epochs(serving, seconds / 2, spaced);
        stop(serving, 1);
    } else {
        usleep((useconds_t) (1e6 * seconds));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == bench.rank) {
        stop(serving, 0);
    }
    MPI_Allreduce(MPI_IN_PLACE, values, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return (struct pace) { values[0], values[1] > 0 ? values[1] : 0 };
}

static void rows(const struct bench_case *self, struct serving *serving, double slowdown, double share)
{
    char name[64];

    if (0 != bench.rank) {
        return;
    }
    bench_sort(serving->times, serving->count);
    bench_row_us(self->name, 8, bench_one(bench_quantile(serving->times, serving->count, 0.5)));
    snprintf(name, sizeof(name), "%s.p99", self->name);
    bench_row_us(name, 8, bench_one(bench_quantile(serving->times, serving->count, 0.99)));
    if (!(self->argument & POLLING)) {
        snprintf(name, sizeof(name), "%s.slowdown", self->name);
        bench_row(name, 8, bench_one(slowdown), 1, "ratio");
        snprintf(name, sizeof(name), "%s.serving", self->name);
        bench_row(name, 8, bench_one(share), 1, "ratio");
    }
}

/* One after the other, so that a change of the machine's speed mostly affects both. */
static void measure(struct serving *serving, bool polling, bool spaced, struct pace *alone, struct pace *served)
{
    if (0 == bench.rank) {
        epochs(serving, seconds() / 3, spaced); /* warm up */
        serving->count = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!polling) {
        *alone = computation(serving, seconds(), false, spaced);
        *served = computation(serving, seconds(), true, spaced);
        return;
    }
    if (0 == bench.rank) {
        epochs(serving, seconds(), spaced);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run(const struct bench_case *self)
{
    struct serving serving = { .times = malloc((MOST_EPOCHS + 1) * sizeof(double)) };
    struct pace    alone = { 0, 0 }, served = { 0, 0 };
    bool           right = true;

    bench_window_make(&serving.window, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
    measure(&serving, self->argument & POLLING, self->argument & SPACED, &alone, &served);
    MPI_Bcast(&serving.done, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (bench.rank == bench.target) {
        MPI_Win_lock(MPI_LOCK_SHARED, bench.rank, 0, serving.window.win);
        right = ((int64_t *) serving.window.base)[0] == serving.done &&
                ((int64_t *) serving.window.base)[1] == serving.done;
        MPI_Win_unlock(bench.rank, serving.window.win);
    }
    if (bench_right(self->name, 8, right && !bench.wrong)) {
        rows(self, &serving, alone.rounds / served.rounds, served.beside);
    }
    bench_window_free(&serving.window);
    free(serving.times);
}

static void spin(int us)
{
    for (double end = bench_now() + 1e-6 * us; bench_now() < end;) {
        continue;
    }
}

/* One epoch on a target that has waited in MPI for a while, and now computes until the epoch is done. Its service
 * thread still assumes that the program polls. (Without a service thread the target gives up after a while.) */
static void leave(struct serving *serving)
{
    const volatile int64_t *count = (const volatile int64_t *) serving->window.base + 1;

    if (0 == bench.rank) {
        spin(WAITED_US);
        MPI_Send(NULL, 0, MPI_BYTE, bench.target, 0, MPI_COMM_WORLD);
        spin(LEFT_US);
        epochs(serving, 0, false);
    } else if (bench.rank == bench.target) {
        double  end;
        int64_t before = *count;

        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        end = bench_now() + 1e-6 * COMPUTED_US;
        while (before == *count && bench_now() < end) {
            continue;
        }
    }
}

static void leaving(const struct bench_case *self)
{
    struct serving serving = { .times = malloc(MOST_EPOCHS * sizeof(double)) };
    double         end = bench_now() + seconds();
    int            more;

    bench_window_make(&serving.window, 4096);
    do {
        leave(&serving);
        more = bench_now() < end;
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } while (more);
    if (bench_right(self->name, 8, !bench.wrong)) {
        rows(self, &serving, 0, 0);
    }
    bench_window_free(&serving.window);
    free(serving.times);
}

const struct bench_case bench_busy_cases[] = {
    { "busy.polling_spaced", run, POLLING | SPACED, true },
    { "busy.polling", run, POLLING, true },
    { "busy.computing_spaced", run, SPACED, true },
    { "busy.computing", run, 0, true },
    { "busy.leaving", leaving, POLLING, true },
    { NULL, NULL, 0, false },
};
