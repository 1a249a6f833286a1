/* A process that holds an exclusive lock does not give its processor away in a flush of that target: all who want the
 * lock would wait until it has one again. Now and then a flush or an unlock makes progress, and Open MPI then yields:
 * that must wait until the lock is free.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 locks itself many times. When it yields in MPI_Win_unlock, rank 1 must be able to lock it.
 */
#include "windows.h"

#include <sched.h>
#include <time.h>

enum { ROUNDS = 4000, ASKS = 0, HAS_HAD_IT = 1, END = -1 };

static struct test_window window;
static int *words; /**< of both processes: how often rank 0 has asked for rank 1's lock, and how often there was one */
static int holds, unlocks, while_held, while_free, kept;

static void pause_shortly(void)
{
    nanosleep(&(struct timespec) { .tv_nsec = 50000 }, NULL);
}

/** Let rank 1 lock this process. */
static void ask(void)
{
    double end = MPI_Wtime() + test_patience();
    int    number = __atomic_add_fetch(&words[ASKS], 1, __ATOMIC_SEQ_CST);

    while (number != __atomic_load_n(&words[HAS_HAD_IT], __ATOMIC_SEQ_CST) && MPI_Wtime() < end) {
        pause_shortly();
    }
    kept += number != __atomic_load_n(&words[HAS_HAD_IT], __ATOMIC_SEQ_CST);
}

/** Instead of the C library's. */
__attribute__((visibility("default")))
int sched_yield(void)
{
    while_held += holds;
    if (unlocks && 0 == kept) {
        while_free++;
        ask();
    }
    return 0;
}

static void lock_many_times(void)
{
    const int one = 1;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win));
        holds = 1;
        MPI_OK(MPI_Put(&one, 1, MPI_INT, 0, test_at(&window, 0, 0), 1, MPI_INT, window.win));
        for (int flushes = i % 3; flushes >= 0; flushes--) {
            MPI_OK(MPI_Win_flush(0, window.win));
        }
        holds   = 0;
        unlocks = 1;
        MPI_OK(MPI_Win_unlock(0, window.win));
        unlocks = 0;
    }
    CHECK(0 == while_held, "%s: yields while it holds the lock: %d", test_flavor_name[window.flavor], while_held);
    CHECK(0 == kept, "%s: it yields in MPI_Win_unlock, and keeps the lock", test_flavor_name[window.flavor]);
    CHECK(while_free > 0, "%s: it never yields: nothing was tested", test_flavor_name[window.flavor]);
    __atomic_store_n(&words[ASKS], END, __ATOMIC_SEQ_CST);
}

static void lock_when_asked(void)
{
    int asked, seen = 0;

    while (END != (asked = __atomic_load_n(&words[ASKS], __ATOMIC_SEQ_CST))) {
        if (asked != seen) {
            MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win));
            MPI_OK(MPI_Win_unlock(0, window.win));
            seen = asked;
            __atomic_store_n(&words[HAS_HAD_IT], seen, __ATOMIC_SEQ_CST);
        } else {
            pause_shortly();
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Win  flags;
    MPI_Aint size;
    int      unit;

    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    test_init(&argc, &argv);
    test_needs_no_report();
    MPI_OK(MPI_Win_allocate_shared(0 == test_rank ? 2 * sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                                   &words, &flags));
    MPI_OK(MPI_Win_shared_query(flags, 0, &size, &unit, &words));
    for (enum test_flavor flavor = TEST_ALLOCATE; flavor <= TEST_SHARED; flavor++) {
        test_window_open(&window, flavor, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD);
        words[0 == test_rank ? ASKS : HAS_HAD_IT] = 0;
        while_held = while_free = kept = 0;
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == test_rank) {
            lock_many_times();
        } else if (1 == test_rank) {
            lock_when_asked();
        }
        MPI_Barrier(MPI_COMM_WORLD);
        test_window_close(&window);
    }
    MPI_OK(MPI_Win_free(&flags));
    return test_finish();
}
