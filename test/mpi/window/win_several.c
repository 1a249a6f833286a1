/* Several windows at once: operations and flushes interleaved, each window completes only its own, none is mixed up.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { WINDOWS = 6, ROUNDS = 50 };

static struct test_window windows[WINDOWS];
static int count;

/* Word 0 is a sum by all; word 1 + r belongs to origin r. */
static void round_of(int round)
{
    long values[WINDOWS], one = 1, got;

    for (int i = 0; i < count; i++) {
        int target = (test_rank + i + round) % test_size;

        values[i] = 1000 * round + 10 * test_rank + i;
        MPI_Put(&values[i], 1, MPI_LONG, target, test_at(&windows[i], target, (1 + test_rank) * sizeof(long)), 1,
                MPI_LONG, windows[i].win);
        MPI_Accumulate(&one, 1, MPI_LONG, target, test_at(&windows[i], target, 0), 1, MPI_LONG, MPI_SUM,
                       windows[i].win);
    }
    for (int i = count - 1; i >= 0; i--) {
        int target = (test_rank + i + round) % test_size;

        MPI_Win_flush(target, windows[i].win);
        MPI_Get(&got, 1, MPI_LONG, target, test_at(&windows[i], target, (1 + test_rank) * sizeof(long)), 1, MPI_LONG,
                windows[i].win);
        MPI_Win_flush_local(target, windows[i].win);
        CHECK(values[i] == got, "window %d, round %d: got %ld, not %ld", i, round, got, values[i]);
    }
}

int main(int argc, char **argv)
{
    long total, sum;

    test_init(&argc, &argv);
    for (int i = 0; i < WINDOWS; i++) {
        enum test_flavor flavor = i % TEST_FLAVORS;

        if (test_has_flavor(MPI_COMM_WORLD, flavor)) {
            test_window_open(&windows[count], flavor, (1 + test_size) * sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
            MPI_Win_lock_all(0, windows[count].win);
            count++;
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        round_of(round);
    }
    for (int i = 0; i < count; i += 2) {
        MPI_Win_unlock_all(windows[i].win);
    }
    for (int i = 1; i < count; i += 2) {
        MPI_Win_unlock_all(windows[i].win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, windows[i].win);
        sum = *(long *) windows[i].base;
        MPI_Win_unlock(test_rank, windows[i].win);
        MPI_Allreduce(&sum, &total, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK((long) ROUNDS * test_size == total, "window %d: the sum is %ld", i, total);
    }
    for (int i = 0; i < count; i++) {
        test_window_close(&windows[(i + 3) % count]);
    }
    return test_finish();
}
