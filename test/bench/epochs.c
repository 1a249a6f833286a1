/* epochs.*: what a synchronization costs, with one put of 8 bytes (or more) in it.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fence and post/start/complete/wait work in a ring: each process puts to its right neighbour. The values count up, so
 * the last one shows that the last epoch was complete.
 */

#include "bench.h"

#include <stdlib.h>

enum kind { LOCK, LOCK_FOP, LOCK_SHARED, LOCK_ALL, FENCE, FENCE_EMPTY, PSCW };

struct epoch {
    struct bench_window window;
    enum kind           kind;
    int                 left, right;
    MPI_Group           left_group, right_group;
    long                done;
};

static void put(struct epoch *epoch, int target)
{
    static int64_t value; /* has to stay until the epoch ends */

    value = ++epoch->done;
    MPI_Put(&value, 1, MPI_INT64_T, target, bench_disp(&epoch->window, target, 0), 1, MPI_INT64_T, epoch->window.win);
}

static void locked(struct epoch *epoch)
{
    static const int64_t one = 1;
    int64_t              before;
    int                  target = bench.target;
    MPI_Win              win = epoch->window.win;

    if (LOCK_ALL == epoch->kind) {
        MPI_Win_lock_all(0, win);
        put(epoch, target);
        MPI_Win_unlock_all(win);
        return;
    }
    MPI_Win_lock(LOCK_SHARED == epoch->kind ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win);
    put(epoch, target);
    if (LOCK_FOP == epoch->kind) {
        MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, bench_disp(&epoch->window, target, 8), MPI_SUM, win);
    }
    MPI_Win_unlock(target, win);
    if (LOCK_FOP == epoch->kind && before != epoch->done - 1) {
        bench.wrong = true;
    }
}

static void body(long n, void *context)
{
    struct epoch *epoch = context;
    MPI_Win       win = epoch->window.win;

    if (epoch->kind <= LOCK_ALL && 0 != bench.rank) {
        return;
    }
    for (long i = 0; i < n; i++) {
        switch (epoch->kind) {
        case FENCE:
            put(epoch, epoch->right); /* falls through */
        case FENCE_EMPTY:
            MPI_Win_fence(0, win);
            break;
        case PSCW:
            MPI_Win_post(epoch->left_group, 0, win);
            MPI_Win_start(epoch->right_group, 0, win);
            put(epoch, epoch->right);
            MPI_Win_complete(win);
            MPI_Win_wait(win);
            break;
        default:
            locked(epoch);
        }
    }
}

/* The window holds the number of the last epoch. Our own lock lets us look. */
static bool check(struct epoch *epoch)
{
    long    done = epoch->done;
    int64_t value, fetched;

    MPI_Bcast(&done, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, bench.rank, 0, epoch->window.win);
    value = *(int64_t *) epoch->window.base;
    fetched = ((int64_t *) epoch->window.base)[1];
    MPI_Win_unlock(bench.rank, epoch->window.win);
    if (epoch->kind <= LOCK_ALL && bench.rank != bench.target) {
        return 0 == value && !bench.wrong;
    }
    return value == done && fetched == (LOCK_FOP == epoch->kind ? done : 0);
}

static void run(const struct bench_case *self)
{
    struct epoch         epoch = { .kind = (enum kind) self->argument };
    struct bench_measure measure = { .body = body, .context = &epoch };
    struct bench_result  result;
    MPI_Group            world;

    epoch.left = (bench.rank + bench.size - 1) % bench.size;
    epoch.right = (bench.rank + 1) % bench.size;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &epoch.left, &epoch.left_group);
    MPI_Group_incl(world, 1, &epoch.right, &epoch.right_group);
    bench_window_make(&epoch.window, 4096);
    if (FENCE == epoch.kind || FENCE_EMPTY == epoch.kind) {
        MPI_Win_fence(0, epoch.window.win);
    }
    result = bench_measure(&measure);
    if (FENCE == epoch.kind || FENCE_EMPTY == epoch.kind) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, epoch.window.win);
    }
    if (bench_right(self->name, 8, check(&epoch))) {
        bench_row_us(self->name, FENCE_EMPTY == epoch.kind ? 0 : 8, result);
    }
    bench_window_free(&epoch.window);
    MPI_Group_free(&epoch.left_group);
    MPI_Group_free(&epoch.right_group);
    MPI_Group_free(&world);
}

const struct bench_case bench_epoch_cases[] = {
    { "epochs.lock", run, LOCK, false },
    { "epochs.lock_fetch", run, LOCK_FOP, false },
    { "epochs.lock_shared", run, LOCK_SHARED, false },
    { "epochs.lock_all", run, LOCK_ALL, false },
    { "epochs.fence", run, FENCE, false },
    { "epochs.fence_empty", run, FENCE_EMPTY, false },
    { "epochs.post_start", run, PSCW, false },
    { NULL, NULL, 0, false },
};
