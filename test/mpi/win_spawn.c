/* Windows over processes that were spawned, merged into one communicator; the children leave, and others come.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { CHILDREN = 2, GENERATIONS = 3, ADDS = 20 };

/** Everybody adds to everybody's counter, by passive target, and then by fence. */
static void use_window(MPI_Comm comm)
{
    int64_t *base, one = 1, wanted;
    int rank, size;
    MPI_Win win;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_OK(MPI_Win_allocate(2 * sizeof(*base), sizeof(*base), MPI_INFO_NULL, comm, &base, &win));
    base[0] = base[1] = 0;
    MPI_Win_fence(0, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < ADDS; i++) {
        for (int target = 0; target < size; target++) {
            MPI_Accumulate(&one, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, MPI_SUM, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    wanted = (int64_t) size * ADDS;
    CHECK(wanted == base[0], "counter is %lld, not %lld", (long long) base[0], (long long) wanted);
    MPI_Put(&wanted, 1, MPI_INT64_T, (rank + 1) % size, 1, 1, MPI_INT64_T, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(wanted == base[1], "neighbour put %lld, not %lld", (long long) base[1], (long long) wanted);
    MPI_Win_free(&win);
}

/** The merged communicator of parents and children. */
static void use_both(MPI_Comm between, int children)
{
    MPI_Comm all;

    MPI_Intercomm_merge(between, children, &all);
    use_window(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
}

int main(int argc, char **argv)
{
    MPI_Comm between;

    test_init(&argc, &argv);
    MPI_Comm_get_parent(&between);
    if (MPI_COMM_NULL != between) {
        use_both(between, 1);
        return test_finish();
    }
    use_window(MPI_COMM_WORLD);
    for (int generation = 0; generation < GENERATIONS; generation++) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, CHILDREN, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between,
                       MPI_ERRCODES_IGNORE);
        use_both(between, 0);
        use_window(MPI_COMM_WORLD);
    }
    return test_finish();
}
