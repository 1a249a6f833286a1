/* Windows over processes that did not start together: what programs with spawned or connected processes do.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef MERGED_H
#define MERGED_H

#include "mpitest.h"

/** Everybody adds to everybody's counter, by passive target, and then by fence. */
static inline void use_window(MPI_Comm comm)
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
    for (int i = 0; i < 20; i++) {
        for (int target = 0; target < size; target++) {
            MPI_Accumulate(&one, 1, MPI_INT64_T, target, 0, 1, MPI_INT64_T, MPI_SUM, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_fence(0, win);
    wanted = (int64_t) size * 20;
    CHECK(wanted == base[0], "counter is %lld, not %lld", (long long) base[0], (long long) wanted);
    MPI_Put(&wanted, 1, MPI_INT64_T, (rank + 1) % size, 1, 1, MPI_INT64_T, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(wanted == base[1], "neighbour put %lld, not %lld", (long long) base[1], (long long) wanted);
    MPI_Win_free(&win);
}

/** Collective over both sides of `between`, which it disconnects: use a window over all processes. */
static inline void use_both(MPI_Comm between, int high)
{
    MPI_Comm all;

    MPI_Intercomm_merge(between, high, &all);
    use_window(all);
    MPI_Comm_free(&all);
    MPI_Comm_disconnect(&between);
}

#endif /* MERGED_H */
