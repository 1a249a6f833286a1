/* MPI_Win_free, fence and second starts inside an epoch give MPI_ERR_RMA_SYNC; the epoch and the window go on. This
 * window and others keep their places among those that Fortran and MPI_Finalize know.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

/* The epoch still works: the put arrives with its end. */
static void put(struct test_window *window, long *value, long number)
{
    int right = test_neighbour(1);

    *value = number;
    MPI_OK(MPI_Put(value, 1, MPI_LONG, right, test_at(window, right, 0), 1, MPI_LONG, window->win));
}

static void must_be(const struct test_window *window, long number)
{
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(number == *(volatile long *) window->base, "%s: %ld, not %ld", test_flavor_name[window->flavor],
          *(volatile long *) window->base, number);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void no_free(struct test_window *window)
{
    MPI_Win win = window->win;

    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
    CHECK(win == window->win, "%s: the handle is gone", test_flavor_name[window->flavor]);
}

static void check(struct test_window *window, MPI_Group left, MPI_Group right)
{
    int target = test_neighbour(1);
    MPI_Win win = window->win;
    MPI_Request request;
    long value;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    no_free(window);
    put(window, &value, 1);
    MPI_OK(MPI_Win_unlock(target, win));
    must_be(window, 1);
    MPI_OK(MPI_Win_lock_all(0, win));
    no_free(window);
    put(window, &value, 2);
    MPI_OK(MPI_Win_unlock_all(win));
    must_be(window, 2);
    MPI_OK(MPI_Win_post(left, 0, win));
    no_free(window);
    MPI_OK(MPI_Win_start(right, 0, win));
    no_free(window);
    put(window, &value, 3);
    MPI_OK(MPI_Win_complete(win));
    MPI_OK(MPI_Win_wait(win));
    must_be(window, 3);
    MPI_OK(MPI_Win_fence(0, win));
    put(window, &value, 4); /* now the fence has begun an epoch */
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_lock_all(0, win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_start(right, 0, win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_flush(target, win));
    MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Rput(&value, 1, MPI_LONG, target, test_at(window, target, 0), 1, MPI_LONG, win,
                                         &request));
    no_free(window);
    MPI_OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
    must_be(window, 4);
}

/* A window that one process could not free is freed, and another one that was made in between is left open. So is one
 * that nobody tries to free again. */
static void leave_open(void)
{
    MPI_Win first, second, third, win;
    MPI_Fint number;

    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &third);
    MPI_Win_set_errhandler(first, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(third, MPI_ERRORS_RETURN);
    number = MPI_Win_c2f(first);
    if (0 == test_rank) {
        MPI_Win_lock_all(0, first);
        MPI_Win_lock_all(0, third);
        for (int i = 0; i < 2; i++) {
            win = first;
            MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
            win = third;
            MPI_FAILS(MPI_ERR_RMA_SYNC, MPI_Win_free(&win));
        }
        MPI_OK(MPI_Win_unlock_all(third));
        MPI_OK(MPI_Win_unlock_all(first));
    }
    MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    CHECK(first == MPI_Win_f2c(number), "number %d is another window's", number);
    MPI_OK(MPI_Win_free(&first));
    CHECK(second == MPI_Win_f2c(MPI_Win_c2f(second)), "the second window's number is lost");
}

int main(int argc, char **argv)
{
    struct test_window window;
    MPI_Group all, left, right;
    int rank;

    test_init(&argc, &argv);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    rank = test_neighbour(-1);
    MPI_Group_incl(all, 1, &rank, &left);
    rank = test_neighbour(1);
    MPI_Group_incl(all, 1, &rank, &right);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_set_errhandler(window.win, MPI_ERRORS_RETURN);
        check(&window, left, right);
        test_window_close(&window);
    }
    leave_open();
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    MPI_Group_free(&right);
    return test_finish();
}
