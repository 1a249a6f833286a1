/* contention.*: all processes, rank 0 too, on rank 0's window at once. threads.*: one and two threads of rank 0, which
 * flush each operation, or in threads.lock_* make an epoch of MPI_Win_lock of each, on windows of their own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The time of one is the time of all, divided by how many all did.
 */

#include "bench.h"

#include <pthread.h>

/* ---- contention ---- */

static void contend(long n, void *context)
{
    struct bench_operation *operation = context;

    operation->slots = 1;
    for (long i = 0; i < n; i++) {
        bench_operation_issue(operation, 0);
        MPI_Win_flush(0, operation->window.win);
    }
}

static void contention(const struct bench_case *self)
{
    struct bench_operation operation;
    struct bench_measure   measure = { .body = contend, .context = &operation };
    struct bench_result    result;

    bench_operation_begin(&operation, (enum bench_kind) self->argument, 0);
    bench_operation_size(&operation, 8);
    result = bench_measure(&measure);
    if (bench_right(self->name, 8, bench_operation_check(&operation))) {
        bench_row(self->name, 8, result, 1e6 / bench.size, "us");
    }
    bench_operation_end(&operation);
}

struct counter {
    struct bench_window window;
    int64_t             done;
};

/* Read, add and write by get and put: only the lock makes that safe. */
static void lock_and_add(long n, void *context)
{
    struct counter      *counter = context;
    struct bench_window *window = &counter->window;
    MPI_Aint             disp = bench_disp(window, 0, 0);
    int64_t              value;

    for (long i = 0; i < n; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window->win);
        MPI_Get(&value, 1, MPI_INT64_T, 0, disp, 1, MPI_INT64_T, window->win);
        MPI_Win_flush(0, window->win);
        value++;
        MPI_Put(&value, 1, MPI_INT64_T, 0, disp, 1, MPI_INT64_T, window->win);
        MPI_Win_unlock(0, window->win);
    }
    counter->done += n;
}

static void locking(const struct bench_case *self)
{
    struct counter       counter = { .done = 0 };
    struct bench_measure measure = { .body = lock_and_add, .context = &counter };
    struct bench_result  result;
    int64_t              sum, total;

    bench_window_make(&counter.window, 4096);
    MPI_Barrier(MPI_COMM_WORLD);
    result = bench_measure(&measure);
    MPI_Allreduce(&counter.done, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, bench.rank, 0, counter.window.win);
    sum = *(int64_t *) counter.window.base;
    MPI_Win_unlock(bench.rank, counter.window.win);
    if (bench_right(self->name, 8, 0 != bench.rank || sum == total)) {
        bench_row(self->name, 8, result, 1e6 / bench.size, "us");
    }
    bench_window_free(&counter.window);
}

/* ---- threads ---- */

enum { MOST_THREADS = 2 };

/* What a thread writes lies this far from what another one uses: processors fetch cache lines in pairs. */
enum { APART = 128 };

struct part {
    _Alignas(APART) struct bench_operation operation;
};

struct crew {
    struct part            members[MOST_THREADS]; /* the same window and buffers, each with its own count */
    pthread_barrier_t      start;
    int                    threads;
    long                   n;
};

struct member {
    struct crew *crew;
    int          number;
};

/* One thread's work, on a part of the window that is its own, cache lines away from the others'. */
static void *work(void *argument)
{
    struct member          *member = argument;
    struct bench_operation *operation = &member->crew->members[member->number].operation;

    pthread_barrier_wait(&member->crew->start);
    for (long i = 0; i < member->crew->n; i++) {
        bench_operation_issue(operation, (size_t) member->number * 4096);
        MPI_Win_flush(operation->target, operation->window.win);
    }
    return NULL;
}

static void all_threads(long n, void *context)
{
    struct crew  *crew = context;
    struct member members[MOST_THREADS];
    pthread_t     threads[MOST_THREADS];

    if (0 != bench.rank) {
        return;
    }
    crew->n = n;
    pthread_barrier_init(&crew->start, NULL, (unsigned) crew->threads);
    for (int i = 0; i < crew->threads; i++) {
        members[i] = (struct member) { crew, i };
        if (i > 0) {
            pthread_create(&threads[i], NULL, work, &members[i]);
        }
    }
    work(&members[0]);
    for (int i = 1; i < crew->threads; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&crew->start);
}

/* What the threads did is checked as if one had done it: the second one's sums are in a slot of its own. */
static bool check_crew(struct crew *crew)
{
    struct bench_operation *operation = &crew->members[0].operation;

    for (int i = 1; i < crew->threads; i++) {
        operation->done += crew->members[i].operation.done;
    }
    if (BENCH_PUT == operation->kind) {
        const double *base = (const double *) operation->window.base, *data = operation->data;

        MPI_Win_sync(operation->window.win);
        return bench.rank != bench.target ||
               (base[0] == data[0] && base[512] == (crew->threads < 2 ? 0.0 : data[512]));
    }
    operation->slots = crew->threads; /* more than one: nobody was alone */
    return bench_operation_check(operation);
}

static void threads(const struct bench_case *self)
{
    struct crew            crew = { .threads = self->argument / 8 };
    struct bench_operation operation;
    struct bench_measure   measure = { .body = all_threads, .context = &crew, .nap = true };
    struct bench_result    result;

    bench_operation_begin(&operation, (enum bench_kind) (self->argument % 8), bench.target);
    bench_operation_size(&operation, 8);
    for (int i = 0; i < MOST_THREADS; i++) {
        crew.members[i].operation = operation;
    }
    result = bench_measure(&measure);
    if (bench_right(self->name, 8, check_crew(&crew))) {
        bench_row(self->name, 8, result, 1e6 / crew.threads, "us");
    }
    bench_operation_end(&operation);
}

struct locker {
    _Alignas(APART) struct bench_window window; /* the thread's own */
    pthread_barrier_t  *start;
    long                n;
    double              value;
};

static void *lock_and_put(void *argument)
{
    struct locker *locker = argument;
    MPI_Aint       disp = bench_disp(&locker->window, bench.target, 0);

    pthread_barrier_wait(locker->start);
    for (long i = 0; i < locker->n; i++) {
        locker->value++;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, bench.target, 0, locker->window.win);
        MPI_Put(&locker->value, 1, MPI_DOUBLE, bench.target, disp, 1, MPI_DOUBLE, locker->window.win);
        MPI_Win_unlock(bench.target, locker->window.win);
    }
    return NULL;
}

struct lockers {
    struct locker each[MOST_THREADS];
    int           threads;
};

static void all_lockers(long n, void *context)
{
    struct lockers   *lockers = context;
    pthread_barrier_t start;
    pthread_t         threads[MOST_THREADS];

    if (0 != bench.rank) {
        return;
    }
    pthread_barrier_init(&start, NULL, (unsigned) lockers->threads);
    for (int i = lockers->threads - 1; i >= 0; i--) {
        lockers->each[i].start = &start;
        lockers->each[i].n = n;
        if (i > 0) {
            pthread_create(&threads[i], NULL, lock_and_put, &lockers->each[i]);
        }
    }
    lock_and_put(&lockers->each[0]);
    for (int i = 1; i < lockers->threads; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&start);
}

/* Collective: has the target what rank 0's thread has put last? */
static bool check_locker(struct locker *locker)
{
    double last = locker->value, found;

    MPI_Bcast(&last, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, bench.rank, 0, locker->window.win);
    found = *(double *) locker->window.base;
    MPI_Win_unlock(bench.rank, locker->window.win);
    return bench.rank != bench.target || found == last;
}

static void thread_epochs(const struct bench_case *self)
{
    struct lockers       lockers = { .threads = self->argument };
    struct bench_measure measure = { .body = all_lockers, .context = &lockers, .nap = true };
    struct bench_result  result;
    bool                 right = true;

    for (int i = 0; i < lockers.threads; i++) {
        bench_window_make(&lockers.each[i].window, 4096);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    result = bench_measure(&measure);
    for (int i = 0; i < lockers.threads; i++) {
        right = check_locker(&lockers.each[i]) && right;
    }
    if (bench_right(self->name, 8, right)) {
        bench_row(self->name, 8, result, 1e6 / lockers.threads, "us");
    }
    for (int i = 0; i < lockers.threads; i++) {
        bench_window_free(&lockers.each[i].window);
    }
}

const struct bench_case bench_many_cases[] = {
    { "contention.accumulate", contention, BENCH_ACC, false },
    { "contention.fetch_and_op", contention, BENCH_FOP, false },
    { "contention.lock", locking, 0, false },
    { "threads.put_1", threads, 1 * 8 + BENCH_PUT, false },
    { "threads.put_2", threads, 2 * 8 + BENCH_PUT, false },
    { "threads.fetch_and_op_1", threads, 1 * 8 + BENCH_FOP, false },
    { "threads.fetch_and_op_2", threads, 2 * 8 + BENCH_FOP, false },
    { "threads.lock_1", thread_epochs, 1, false },
    { "threads.lock_2", thread_epochs, 2, false },
    { NULL, NULL, 0, false },
};
