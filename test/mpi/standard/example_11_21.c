/* Example 11.21: processes that share memory hand a variable on by store, sync and send, and by receive, sync and load.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "windows.h"

enum { A = 0, ROUNDS = 500 };

/* Plain memory: no volatile, the calls of MPI_Win_sync are all that keeps it in order. */
static void writer(MPI_Win win, int *x)
{
    for (int i = 1; i <= ROUNDS; i++) {
        *x = i;
        MPI_OK(MPI_Win_sync(win));
        for (int to = 1; to < test_size; to++) {
            MPI_Send(NULL, 0, MPI_INT, to, i, MPI_COMM_WORLD);
        }
        for (int from = 1; from < test_size; from++) {
            MPI_Recv(NULL, 0, MPI_INT, from, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

static void reader(MPI_Win win, int *x)
{
    for (int i = 1; i <= ROUNDS; i++) {
        MPI_Recv(NULL, 0, MPI_INT, A, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_OK(MPI_Win_sync(win));
        CHECK(i == *x, "round %d: X is %d", i, *x);
        MPI_Send(NULL, 0, MPI_INT, A, i, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int *mine, *x, unit;
    MPI_Aint size;
    MPI_Win win;

    test_init(&argc, &argv);
    test_needs(2);
    if (!test_has_flavor(MPI_COMM_WORLD, TEST_SHARED)) {
        test_skip("no shared memory between all processes");
    }
    MPI_OK(MPI_Win_allocate_shared(A == test_rank ? sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                                   &win));
    MPI_OK(MPI_Win_shared_query(win, A, &size, &unit, &x));
    CHECK(sizeof(int) == (size_t) size && sizeof(int) == (size_t) unit, "size %ld, unit %d", (long) size, unit);
    MPI_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    if (A == test_rank) {
        writer(win, x);
    } else {
        reader(win, x);
    }
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
