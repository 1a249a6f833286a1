/* The checker's collection: loads and stores that only a program shows which was compiled with -fsanitize=thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "cases.h"

#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { MANY = 16 }; /* elements of an operation for which nobody waits by loading one of them */

static volatile int seen; /* what loads bring */

static int sum(const int *of, int count, int step)
{
    int total = 0;

    for (int i = 0; i < count; i++) {
        total += of[i * step];
    }
    return total;
}

static int cell(int i)
{
    return ((const volatile int *) cells)[i];
}

/* Loads beside updates, in active target epochs. */

static void load_put_pscw(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        seen = cells[5];
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        put(data, 1, 5);
        complete();
    }
}

static void load_around_pscw(void)
{
    if (TARGET == rank) {
        seen = cells[5];
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        MPI_Win_wait(win);
        seen = cells[5];
    } else if (ONE == rank) {
        start();
        put(data, 1, 5);
        complete();
    }
}

static void load_after_test_pscw(void)
{
    int flag = 0;

    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        while (!flag) {
            MPI_Win_test(win, &flag);
        }
        seen = cells[5];
    } else if (ONE == rank) {
        start();
        put(data, 1, 5);
        complete();
    }
}

static void load_accumulate_fence(void)
{
    fence();
    if (ONE == rank) {
        accumulate(data, 1, 5, MPI_SUM);
    } else if (TARGET == rank) {
        seen = cells[5];
    }
    fence();
}

static void load_get_fence(void)
{
    fence();
    if (ONE == rank) {
        get(result, MANY, 0);
    } else if (TARGET == rank) {
        seen = sum(cells, MANY, 1);
    }
    fence();
}

/** The own cells are stored to before a message, behind which the other process puts. */
static void store_message_put_fence(void)
{
    fence();
    if (TARGET == rank) {
        cells[5] = 3;
        tell(ONE);
    } else if (ONE == rank) {
        hear(TARGET);
        put(data, 1, 5);
    }
    fence();
}

/** A message does not complete a put. */
static void put_message_load_fence(void)
{
    fence();
    if (TARGET == rank) {
        hear(ONE);
        seen = cells[5];
    } else if (ONE == rank) {
        put(data, 1, 5);
        tell(TARGET);
    }
    fence();
}

static void store_get_pscw(void)
{
    if (TARGET == rank) {
        MPI_Win_post(group_of(1, ONE, 0), 0, win);
        cells[5] = 2;
        MPI_Win_wait(win);
    } else if (ONE == rank) {
        start();
        get(result, 1, 5);
        complete();
    }
}

/** A stencil: the inner cells are computed while puts come to the outer ones. */
static void halo_inner(void)
{
    for (int step = 0; step < 3; step++) {
        fence();
        if (ONE == rank) {
            put(data, 1, 0);
        } else if (OTHER == rank) {
            put(data, 1, CELLS - 1);
        } else {
            for (int i = 2; i < CELLS - 2; i++) {
                cells[i] = cells[i - 1] + cells[i + 1];
            }
        }
        fence();
        if (TARGET == rank) {
            cells[1] = cells[0] + cells[2];
            cells[CELLS - 2] = cells[CELLS - 1] + cells[CELLS - 3];
        }
    }
}

/** The same, with one cell too many. */
static void halo_outer(void)
{
    for (int step = 0; step < 3; step++) {
        fence();
        if (ONE == rank) {
            put(data, 1, 0);
        } else if (TARGET == rank) {
            for (int i = 1; i < CELLS - 2; i++) {
                cells[i] = cells[i - 1] + cells[i + 1];
            }
        }
        fence();
    }
}

/** Loads of every other cell, and puts to those between. */
static void load_between(void)
{
    fence();
    if (TARGET == rank) {
        seen = sum(cells, CELLS / 2, 2);
    } else if (ONE == rank) {
        for (int i = 1; i < CELLS; i += 2) {
            put(&data[i], 1, i);
        }
    }
    fence();
}

static void load_every_third(void)
{
    fence();
    if (TARGET == rank) {
        seen = sum(cells, CELLS / 3, 3);
    } else if (ONE == rank) {
        put(data, 1, 31);
        put(data, 1, 33);
    }
    fence();
}

/* In epochs of locks. */

static void load_barrier_lock(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, MANY, 5);
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_sync(win);
        seen = cells[7];
    }
    barrier();
    unlock_all();
}

static void load_flush_barrier_lock(void)
{
    lock_all();
    if (ONE == rank) {
        put(data, MANY, 5);
        flush();
    }
    barrier();
    if (TARGET == rank) {
        MPI_Win_sync(win);
        seen = cells[7];
    }
    unlock_all();
}

static void load_shared_put_shared(void)
{
    if (TARGET == rank) {
        later();
        lock_shared();
        seen = sum(cells, MANY, 1);
        unlock();
    } else if (ONE == rank) {
        lock_shared();
        put(data, MANY, 0);
        unlock();
        later();
    }
}

static void load_shared_put_exclusive(void)
{
    if (TARGET == rank) {
        lock_shared();
        seen = sum(cells, MANY, 1);
        unlock();
    } else if (ONE == rank) {
        lock_exclusive();
        put(data, MANY, 0);
        unlock();
    }
}

static void load_exclusive_put_shared(void)
{
    if (TARGET == rank) {
        lock_exclusive();
        seen = sum(cells, MANY, 1);
        cells[3] = 4;
        unlock();
    } else if (ONE == rank) {
        lock_shared();
        put(data, MANY, 0);
        unlock();
    }
}

static void load_without_lock(void)
{
    if (TARGET == rank) {
        later();
        seen = sum(cells, MANY, 1);
    } else if (ONE == rank) {
        lock_exclusive();
        put(data, MANY, 0);
        unlock();
        later();
    }
}

static void store_get_lock(void)
{
    if (TARGET == rank) {
        later();
        cells[3] = 4;
    } else if (ONE == rank) {
        lock_shared();
        get(result, MANY, 0);
        unlock();
        later();
    }
}

static void load_get_lock(void)
{
    if (TARGET == rank) {
        seen = sum(cells, MANY, 1);
    } else if (ONE == rank) {
        lock_shared();
        get(result, MANY, 0);
        unlock();
    }
}

/** The counter is stored to again, while others count. */
static void counter_reset(void)
{
    lock_all();
    accumulate(data, 1, 5, MPI_SUM);
    if (TARGET == rank) {
        later();
        cells[5] = 0;
    }
    unlock_all();
    later();
}

static void counter_set_barrier(void)
{
    if (TARGET == rank) {
        cells[5] = 10;
        MPI_Win_lock(MPI_LOCK_SHARED, TARGET, 0, win);
        MPI_Win_sync(win);
        unlock();
    }
    barrier();
    lock_all();
    accumulate(data, 1, 5, MPI_SUM);
    unlock_all();
    barrier();
    if (TARGET == rank) {
        seen = cells[5];
    }
}

/* Waiting by loads, which MPI permits, and what may be done behind it. */

static void data_and_flag(void)
{
    data[0] = 1;
    put(data, MANY, 20);
    flush();
    put(data, 1, 5);
    flush();
}

static void wait_volatile(void)
{
    lock_all();
    if (ONE == rank) {
        data_and_flag();
    } else if (TARGET == rank) {
        while (0 == cell(5)) {
            continue;
        }
        seen = sum(&cells[20], MANY, 1);
    }
    unlock_all();
}

static void wait_atomic(void)
{
    lock_all();
    if (ONE == rank) {
        data_and_flag();
    } else if (TARGET == rank) {
        while (0 == __atomic_load_n(&cells[5], __ATOMIC_ACQUIRE)) {
            continue;
        }
        seen = sum(&cells[20], MANY, 1);
    }
    unlock_all();
}

static void wait_sync(void)
{
    lock_all();
    if (ONE == rank) {
        data_and_flag();
    } else if (TARGET == rank) {
        while (0 == cells[5]) {
            MPI_Win_sync(win);
        }
        seen = sum(&cells[20], MANY, 1);
    }
    unlock_all();
}

/** The last element of a put says nothing of the others. */
static void wait_for_part(void)
{
    lock_all();
    if (ONE == rank) {
        data[MANY - 1] = 1;
        put(data, MANY, 20);
    } else if (TARGET == rank) {
        while (0 == cell(20 + MANY - 1)) {
            continue;
        }
        seen = cells[20];
    }
    unlock_all();
}

/** The other process waits, for a store. */
static void wait_by_get(void)
{
    lock_all();
    if (TARGET == rank) {
        for (int i = 20; i < 20 + MANY; i++) {
            cells[i] = i;
        }
        MPI_Win_sync(win);
        ((volatile int *) cells)[5] = 1;
        MPI_Win_sync(win);
    } else if (ONE == rank) {
        while (0 == result[0]) {
            fetch(result, 5);
            flush();
        }
        put(data, MANY, 20);
    }
    unlock_all();
}

/* Functions of the C library. */

static void copy_of_cells(void)
{
    fence();
    if (TARGET == rank) {
        memcpy(more, cells, MANY * sizeof(int));
    } else if (ONE == rank) {
        put(data, 1, MANY - 1);
    }
    fence();
}

static void copy_beside(void)
{
    fence();
    if (TARGET == rank) {
        memcpy(more, cells, MANY * sizeof(int));
        memmove(&cells[40], &cells[41], 4 * sizeof(int));
    } else if (ONE == rank) {
        put(data, 1, MANY);
    }
    fence();
}

static void cells_set(void)
{
    fence();
    if (TARGET == rank) {
        memset(cells, 0, CELLS * sizeof(int));
    } else if (ONE == rank) {
        get(result, 1, CELLS - 1);
    }
    fence();
}

struct quad {
    int of[4];
};

static void quad_copied(void)
{
    fence();
    if (TARGET == rank) {
        *(struct quad *) &cells[8] = *(const struct quad *) &more[8];
    } else if (ONE == rank) {
        get(result, 1, 10);
    }
    fence();
}

/* Buffers of operations. */

static void origin_copied_over(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, MANY, 5);
        memcpy(&data[4], more, 4 * sizeof(int));
        unlock();
    }
}

static void origin_loaded(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, MANY, 5);
        seen = sum(data, MANY, 1);
        unlock();
    }
}

static void beside_origin(void)
{
    if (ONE == rank) {
        lock_shared();
        put(&data[4], 4, 5);
        data[3] = data[8] = 1;
        unlock();
    }
}

/** What is stored is what was there. */
static void origin_same_value(void)
{
    if (ONE == rank) {
        lock_shared();
        put(data, MANY, 5);
        data[2] = seen * 0;
        unlock();
    }
}

static void result_copied_early(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, MANY, 5);
        memcpy(more, result, sizeof(result));
        unlock();
    }
}

static void result_copied(void)
{
    if (ONE == rank) {
        lock_shared();
        get(result, MANY, 5);
        flush();
        memcpy(more, result, sizeof(result));
        unlock();
    }
}

static void ticket_early(void)
{
    lock_all();
    MPI_Fetch_and_op(data, result, MPI_INT, TARGET, at + unit * 5, MPI_SUM, win);
    if (result[0] >= 0) {
        seen = 1;
    }
    unlock_all();
}

static void ticket(void)
{
    lock_all();
    MPI_Fetch_and_op(data, result, MPI_INT, TARGET, at + unit * 5, MPI_SUM, win);
    MPI_Win_flush_local(TARGET, win);
    if (result[0] >= 0) {
        seen = 1;
    }
    unlock_all();
}

static void rget_early(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rget(result, MANY, MPI_INT, TARGET, at, MANY, MPI_INT, win, &request);
        seen = sum(result, MANY, 1);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        unlock();
    }
}

static void rget_waited(void)
{
    MPI_Request request;

    if (ONE == rank) {
        lock_shared();
        MPI_Rget(result, MANY, MPI_INT, TARGET, at, MANY, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seen = sum(result, MANY, 1);
        unlock();
    }
}

/** The results of a loop of gets are used one step behind the calls, and the flush is forgotten. */
static void pipeline(int flushes)
{
    lock_all();
    for (int i = 0; i < 4; i++) {
        get(&result[i % 2 * MANY], MANY, 0);
        if (i > 0) {
            seen = sum(&result[(i - 1) % 2 * MANY], MANY, 1);
        }
        if (flushes) {
            flush();
        }
    }
    unlock_all();
}

static void pipeline_early(void)
{
    pipeline(0);
}

static void pipeline_flushed(void)
{
    pipeline(1);
}

/* Handlers of signals, which may interrupt calls of MPI and of the C library. */

static volatile sig_atomic_t ticked;

static void tick(int number)
{
    (void) number;
    cells[CELLS - 1]++;
}

static void handler_stores(void)
{
    const struct sigaction action = { .sa_handler = tick, .sa_flags = SA_RESTART };
    const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };

    if (ONE != rank) {
        return;
    }
    lock_shared();
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 20000; i++) {
        free(malloc(100 * (size_t) (i % 100)));
        put(data, 1, 5);
        flush();
    }
    setitimer(ITIMER_REAL, &never, NULL);
    unlock();
}

/** Stores to origin buffers of pending operations, most of them in the middle of malloc: telling of one there would
 *  wait for a lock of malloc for ever. Each is a finding of its own. */
static void origin_tick(int number)
{
    static volatile sig_atomic_t ticks;

    (void) number;
    switch (ticks++) {
    case 0: data[0] = 1; break;
    case 1: data[1] = 1; break;
    case 2: data[2] = 1; break;
    case 3: data[3] = 1; break;
    case 4: data[4] = 1; break;
    case 5: data[5] = 1; break;
    case 6: data[6] = 1; break;
    case 7: data[7] = 1; break;
    default: ticked = 1;
    }
}

static void handler_changes_origin(void)
{
    const struct sigaction action = { .sa_handler = origin_tick, .sa_flags = SA_RESTART };
    const struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
    void *volatile memory;

    if (ONE != rank) {
        return;
    }
    lock_shared();
    for (int i = 0; i < 8; i++) {
        put(&data[i], 1, i);
    }
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (!ticked) {
        memory = malloc(5000);
        free(memory);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    unlock();
}

/* Children that are forked while a thread of their parent stores. */

static int over; /* atomic */

static void *store(void *unused)
{
    while (0 == __atomic_load_n(&over, __ATOMIC_RELAXED)) {
        cells[CELLS - 1]++;
    }
    return unused;
}

static void child_loads(void)
{
    pthread_t thread;
    pid_t child;

    if (ONE != rank) {
        return;
    }
    pthread_create(&thread, NULL, store, NULL);
    for (int i = 0; i < 100; i++) {
        child = fork();
        if (0 == child) {
            seen = cells[5];
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    static const struct test_case all[] = {
        MISTAKE(load_put_pscw, "put-load"), CORRECT(load_around_pscw), CORRECT(load_after_test_pscw),
        MISTAKE(load_accumulate_fence, "accumulate-load"), CORRECT(load_get_fence), CORRECT(store_message_put_fence),
        MISTAKE(put_message_load_fence, "put-load"), MISTAKE(store_get_pscw, "get-store"), CORRECT(halo_inner),
        MISTAKE(halo_outer, "put-load"), CORRECT(load_between), MISTAKE(load_every_third, "put-load"),
        MISTAKE(load_barrier_lock, "put-load"), CORRECT(load_flush_barrier_lock),
        MISTAKE(load_shared_put_shared, "put-load"), CORRECT(load_shared_put_exclusive),
        CORRECT(load_exclusive_put_shared), MISTAKE(load_without_lock, "put-load"),
        MISTAKE(store_get_lock, "get-store"), CORRECT(load_get_lock), MISTAKE(counter_reset, "accumulate-store"),
        CORRECT(counter_set_barrier), CORRECT(wait_volatile), CORRECT(wait_atomic), CORRECT(wait_sync),
        MISTAKE(wait_for_part, "put-load"), CORRECT(wait_by_get), MISTAKE(copy_of_cells, "put-load"),
        CORRECT(copy_beside), MISTAKE(cells_set, "get-store"), MISTAKE(quad_copied, "get-store"),
        MISTAKE(origin_copied_over, "buffer-changed"), CORRECT(origin_loaded), CORRECT(beside_origin),
        MISTAKE(origin_same_value, "buffer-changed"), MISTAKE(result_copied_early, "buffer-read"),
        CORRECT(result_copied), MISTAKE(ticket_early, "buffer-read"), CORRECT(ticket),
        MISTAKE(rget_early, "buffer-read"), CORRECT(rget_waited), MISTAKE(pipeline_early, "buffer-read|buffer-shared"),
        CORRECT(pipeline_flushed), MISTAKE_IN(CREATE, load_accumulate_fence, "accumulate-load"),
        MISTAKE_IN(DYNAMIC, load_put_pscw, "put-load"), CORRECT_IN(CREATE, halo_inner),
        CORRECT_IN(DYNAMIC, load_flush_barrier_lock), MISTAKE_IN(DYNAMIC, load_barrier_lock, "put-load"),
        MISTAKE_IN(CREATE, load_shared_put_shared, "put-load"), CORRECT_IN(CREATE, wait_volatile),
        CORRECT_IN(DYNAMIC, load_exclusive_put_shared), CORRECT_IN(CREATE, store_message_put_fence),
        CORRECT(handler_stores), MISTAKE(handler_changes_origin, "buffer-changed"), CORRECT(child_loads)
    };

    return cases_run(argc, argv, all, sizeof(all) / sizeof(all[0]));
}
