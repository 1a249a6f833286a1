/* No error leaves a lock behind: after each kind of error in an epoch, all get the exclusive lock of that target.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { RANGE, SYNC, RANK, TYPE, OP, LOCK_TWICE, BAD_LOCK_TYPE, BAD_ASSERT, TRUNCATE, KINDS };

/* One error of each kind on a window whose `target` is locked; it must be one. */
static void fail(struct test_window *window, int kind, int target)
{
    MPI_Aint disp = test_at(window, target, 0);
    MPI_Win win = window->win;
    long value = 1, result;
    int rc = MPI_SUCCESS;

    switch (kind) {
    case RANGE:
        rc = MPI_Get(&result, 1, MPI_LONG, target, disp + 8000000, 1, MPI_LONG, win);
        if (MPI_SUCCESS == rc) { /* told by the call that completes it */
            rc = MPI_Win_flush(target, win);
        }
        break;
    case SYNC: rc = MPI_Win_fence(0, win); break;
    case RANK: rc = MPI_Put(&value, 1, MPI_LONG, test_size, disp, 1, MPI_LONG, win); break;
    case TYPE: rc = MPI_Fetch_and_op(&value, &result, MPI_DATATYPE_NULL, target, disp, MPI_SUM, win); break;
    case OP: rc = MPI_Accumulate(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, MPI_MAXLOC, win); break;
    case LOCK_TWICE: rc = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win); break;
    case BAD_LOCK_TYPE: rc = MPI_Win_lock(12345, target, 0, win); break;
    case BAD_ASSERT: rc = MPI_Win_lock(MPI_LOCK_SHARED, target, MPI_MODE_NOPRECEDE, win); break;
    default: rc = MPI_Put(&value, 1, MPI_LONG, target, disp, 0, MPI_LONG, win);
    }
    CHECK(MPI_SUCCESS != rc, "%s: error %d is none", test_flavor_name[window->flavor], kind);
}

/* A counter at the target, which only an exclusive lock protects. */
static void count(struct test_window *window, int target)
{
    MPI_Aint disp = test_at(window, target, 0);
    long value = -1;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win));
    MPI_OK(MPI_Get(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_flush(target, window->win));
    value++;
    MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, disp, 1, MPI_LONG, window->win));
    MPI_OK(MPI_Win_unlock(target, window->win));
}

static void check(struct test_window *window)
{
    static const int types[] = {MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE};

    for (int i = 0; i < 2 * KINDS; i++) {
        int target = test_neighbour(i);

        MPI_OK(MPI_Win_lock(types[i % 2], target, 0, window->win));
        fail(window, i / 2, target);
        MPI_OK(MPI_Win_unlock(target, window->win));
        count(window, target);
        MPI_OK(MPI_Win_lock_all(0, window->win));
        fail(window, i / 2, target);
        MPI_OK(MPI_Win_unlock_all(window->win));
    }
}

int main(int argc, char **argv)
{
    struct test_window window;
    long mine, all;

    test_init(&argc, &argv);
    test_refusals = 1; /* the errors of range that the target finds */
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        check(&window);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, test_rank, 0, window.win));
        mine = *(long *) window.base;
        MPI_OK(MPI_Win_unlock(test_rank, window.win));
        MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(2 * KINDS * test_size == all, "%s: counted to %ld", test_flavor_name[flavor], all);
        test_window_close(&window);
    }
    return test_finish();
}
