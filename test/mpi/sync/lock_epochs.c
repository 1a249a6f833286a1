/* Lock epochs of every make, by all processes at once, on several windows: what was locked exclusively is nobody
 * else's, whatever travels together, and however long it is before the first operation.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

#include <stddef.h>

enum { WINDOWS = 3, ROUNDS = 60, LARGE = 40000 };

/* A target's memory: a counter, that only who holds the lock alone may change, and LARGE ints that are all alike. */
typedef struct place_t {
    long counter;
    int  alike[LARGE];
} place_t;

static struct test_window windows[WINDOWS];
static long added[WINDOWS];

static MPI_Aint counter_at(const struct test_window *window, int target)
{
    return test_at(window, target, offsetof(place_t, counter));
}

static MPI_Aint alike_at(const struct test_window *window, int target)
{
    return test_at(window, target, offsetof(place_t, alike));
}

/* Read, add, write: wrong if anybody else did the same meanwhile. `flushes`: how often to wait on the way. */
static void add_alone(const struct test_window *window, int target, int flushes)
{
    static long values[WINDOWS]; /* the caller's unlock may be what completes the put */
    long *value = &values[window - windows];

    MPI_OK(MPI_Get(value, 1, MPI_LONG, target, counter_at(window, target), 1, MPI_LONG, window->win));
    MPI_OK(0 == flushes % 2 ? MPI_Win_flush(target, window->win) : MPI_Win_flush_local(target, window->win));
    (*value)++;
    MPI_OK(MPI_Put(value, 1, MPI_LONG, target, counter_at(window, target), 1, MPI_LONG, window->win));
    if (flushes > 1) {
        MPI_OK(MPI_Win_flush(target, window->win));
    }
}

static void read_alike(const struct test_window *window, int target, int *values)
{
    MPI_OK(MPI_Get(values, LARGE, MPI_INT, target, alike_at(window, target), LARGE, MPI_INT, window->win));
}

static void check_alike(const int *values)
{
    int i = 1;

    while (i < LARGE && values[i] == values[0]) {
        i++;
    }
    CHECK(LARGE == i, "element %d is %d, the first %d", i, values[i % LARGE], values[0]);
}

static void epoch(int which, int round)
{
    const struct test_window *window = &windows[which];
    static int values[LARGE];
    int target = (round * 7 + which) % test_size, flag = 1;

    switch ((round + test_rank) % 6) {
    case 0: /* nothing at all */
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
        break;
    case 1:
    case 2: /* a long time between lock and operation */
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
        if (0 == round % 5) {
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
            test_compute(0.0005);
        }
        add_alone(window, target, round % 3);
        added[which]++;
        break;
    case 3: /* more than fits into a message */
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
        for (int i = 0; i < LARGE; i++) {
            values[i] = round * test_size + test_rank;
        }
        MPI_OK(MPI_Put(values, LARGE, MPI_INT, target, alike_at(window, target), LARGE, MPI_INT, window->win));
        break;
    case 4: /* readers */
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win));
        read_alike(window, target, values);
        break;
    default: /* many small operations */
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
        values[0] = round * test_size + test_rank;
        for (int i = 0; i < LARGE / 20; i++) {
            MPI_OK(MPI_Put(values, 1, MPI_INT, target, alike_at(window, target) + i * (MPI_Aint) sizeof(int), 1,
                           MPI_INT, window->win));
        }
        for (int i = 1; i < LARGE; i++) {
            values[i] = values[0];
        }
        MPI_OK(MPI_Put(values, LARGE, MPI_INT, target, alike_at(window, target), LARGE, MPI_INT, window->win));
    }
    MPI_OK(MPI_Win_unlock(target, window->win));
    if (4 == (round + test_rank) % 6) {
        check_alike(values);
    }
}

/* Two windows locked at the same time, in the same order by all. */
static void nested(int round)
{
    int target = round % test_size;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, windows[0].win));
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, windows[1].win));
    add_alone(&windows[1], target, 0);
    add_alone(&windows[0], target, 2);
    added[0]++;
    added[1]++;
    MPI_OK(MPI_Win_unlock(target, windows[0].win));
    MPI_OK(MPI_Win_unlock(target, windows[1].win));
}

static void check(int which)
{
    long sum, counter, all;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, windows[which].win));
    counter = ((const place_t *) (const void *) windows[which].base)->counter;
    MPI_OK(MPI_Win_unlock(test_rank, windows[which].win));
    MPI_Allreduce(&counter, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&added[which], &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == all, "window %d: counted %ld of %ld", which, sum, all);
}

int main(int argc, char **argv)
{
    static const enum test_flavor flavors[WINDOWS] = {TEST_CREATE, TEST_DYNAMIC, TEST_ALLOCATE};

    test_init(&argc, &argv);
    for (int i = 0; i < WINDOWS; i++) {
        test_window_open(&windows[i], flavors[i], sizeof(place_t), MPI_INFO_NULL, MPI_COMM_WORLD);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < WINDOWS; i++) {
            epoch(i, round);
        }
        nested(round);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < WINDOWS; i++) {
        check(i);
        test_window_close(&windows[i]);
    }
    return test_finish();
}
