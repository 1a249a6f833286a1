/* Example 11.22: chunks are fetched, worked on and written back with rget and rput, several on their way at a time.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { BUFFERS = 4, CHUNK = 500 };

static double before(int rank, int i)
{
    return rank * 1e6 + i;
}

static void compute(int step, double *chunk)
{
    for (int i = 0; i < CHUNK; i++) {
        chunk[i] = 2 * chunk[i] + step;
    }
}

/* All chunks of process `target`, by way of BUFFERS buffers. */
static void pipeline(int target, int steps, MPI_Win win)
{
    static double data[BUFFERS][CHUNK];
    MPI_Request put[BUFFERS], get;
    int buffer;

    for (int i = 0; i < BUFFERS; i++) {
        put[i] = MPI_REQUEST_NULL;
    }
    for (int step = 0; step < steps; step++) {
        MPI_Aint disp = (MPI_Aint) step * CHUNK;

        buffer = step;
        if (step >= BUFFERS) {
            MPI_OK(MPI_Waitany(BUFFERS, put, &buffer, MPI_STATUS_IGNORE));
            CHECK(buffer >= 0 && buffer < BUFFERS && MPI_REQUEST_NULL == put[buffer], "waitany gave %d", buffer);
        }
        MPI_OK(MPI_Rget(data[buffer], CHUNK, MPI_DOUBLE, target, disp, CHUNK, MPI_DOUBLE, win, &get));
        MPI_OK(MPI_Wait(&get, MPI_STATUS_IGNORE));
        compute(step, data[buffer]);
        MPI_OK(MPI_Rput(data[buffer], CHUNK, MPI_DOUBLE, target, disp, CHUNK, MPI_DOUBLE, win, &put[buffer]));
    }
    MPI_OK(MPI_Waitall(BUFFERS, put, MPI_STATUSES_IGNORE));
}

static void example(int distance, int steps)
{
    MPI_Win win;
    double *base;

    MPI_OK(MPI_Win_allocate((MPI_Aint) steps * CHUNK * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                            &base, &win));
    MPI_OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < steps * CHUNK; i++) {
        base[i] = before(test_rank, i);
    }
    MPI_OK(MPI_Win_sync(win));
    MPI_Barrier(MPI_COMM_WORLD);
    pipeline(test_neighbour(distance), steps, win);
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, test_rank, 0, win));
    for (int i = 0; i < steps * CHUNK; i++) {
        CHECK(2 * before(test_rank, i) + i / CHUNK == base[i], "distance %d, %d steps: [%d] is %g", distance, steps, i,
              base[i]);
    }
    MPI_OK(MPI_Win_unlock(test_rank, win));
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    for (int distance = 0; distance < test_size; distance++) {
        example(distance, 40);
        example(distance, 2); /* fewer than buffers */
    }
    return test_finish();
}
