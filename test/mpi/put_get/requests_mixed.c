/* Requests: buffers are free after wait, requests of all kinds in one waitall, waited for after flush and after unlock.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { COUNT = 20000 }; /* longer than what is sent at once */

static long values[COUNT], got[COUNT];

static void fill(long number)
{
    for (int i = 0; i < COUNT; i++) {
        values[i] = number + i;
    }
}

static void must_be(const char *name, const char *what, const long *words, long number, int step)
{
    int wrong = -1;

    for (int i = 0; wrong < 0 && i < COUNT; i++) {
        wrong = number + (long) i * step != words[i] ? i : -1;
    }
    CHECK(wrong < 0, "%s, %s: word %d is %ld", name, what, wrong, wrong < 0 ? 0 : words[wrong]);
}

/* The origin's buffer is changed as soon as the request has ended: the target has what was in it before. */
static void reuse(struct test_window *window, int target, MPI_Aint disp)
{
    const char *name = test_flavor_name[window->flavor];
    MPI_Request request;
    MPI_Status status;

    fill(1000);
    MPI_Rput(values, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, window->win, &request);
    status.MPI_ERROR = MPI_ERR_OTHER;
    MPI_OK(MPI_Waitall(1, &request, &status));
    fill(0);
    MPI_Win_flush(target, window->win);
    MPI_Raccumulate(values, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, MPI_SUM, window->win, &request);
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    memset(values, -1, sizeof(values));
    MPI_Win_flush(target, window->win);
    fill(-1000);
    MPI_Rget_accumulate(values, COUNT, MPI_LONG, got, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, MPI_SUM,
                        window->win, &request);
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    must_be(name, "rget_accumulate", got, 1000, 2);
    memset(values, -1, sizeof(values));
    MPI_Win_flush(target, window->win);
    MPI_Rget(got, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, window->win, &request);
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    must_be(name, "rget", got, 0, 3);
}

/* Point-to-point, collective and one-sided requests end together. */
static void mixed(struct test_window *window, int target, MPI_Aint disp)
{
    int left = test_neighbour(-1), from = -1, sum = 0;
    MPI_Request requests[5];

    MPI_Irecv(&from, 1, MPI_INT, left, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Rget(got, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, window->win, &requests[1]);
    MPI_Isend(&test_rank, 1, MPI_INT, target, 0, MPI_COMM_WORLD, &requests[2]);
    MPI_Iallreduce(&test_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
    MPI_Rput(values, 0, MPI_LONG, target, disp, 0, MPI_LONG, window->win, &requests[4]);
    MPI_OK(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE));
    must_be(test_flavor_name[window->flavor], "mixed", got, 0, 3);
    CHECK(left == from && test_size * (test_size - 1) / 2 == sum, "%d came, the sum is %d", from, sum);
}

/* What a flush or the end of the epoch has completed can be waited for, later. */
static void late(struct test_window *window, int target, MPI_Aint disp)
{
    MPI_Request requests[2];
    int flag = 0;

    MPI_Rget(got, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, window->win, &requests[0]);
    MPI_Win_flush_local(target, window->win);
    must_be(test_flavor_name[window->flavor], "flush_local", got, 0, 3);
    MPI_OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    MPI_Rget(got, COUNT, MPI_LONG, target, disp, COUNT, MPI_LONG, window->win, &requests[0]);
    fill(5);
    MPI_Raccumulate(values, 0, MPI_LONG, target, disp, 0, MPI_LONG, MPI_SUM, window->win, &requests[1]);
    MPI_Win_unlock(target, window->win);
    must_be(test_flavor_name[window->flavor], "unlock", got, 0, 3);
    MPI_OK(MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE));
    CHECK(flag, "the request has not ended with the epoch");
    MPI_OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    struct test_window window;

    test_init(&argc, &argv);
    for (enum test_flavor flavor = 0; flavor < TEST_FLAVORS; flavor++) {
        int target = test_neighbour(1);

        if (!test_has_flavor(MPI_COMM_WORLD, flavor)) {
            continue;
        }
        test_window_open(&window, flavor, sizeof(values), MPI_INFO_NULL, MPI_COMM_WORLD);
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window.win);
        reuse(&window, target, test_at(&window, target, 0));
        mixed(&window, target, test_at(&window, target, 0));
        late(&window, target, test_at(&window, target, 0));
        test_window_close(&window);
    }
    return test_finish();
}
