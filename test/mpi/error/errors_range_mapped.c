/* An operation that its target refuses before the origin knows the target's memory, and has it mapped: the completing
 * call says so even if the origin maps it in between.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { FEW = 8, MANY = 16 }; /* longs of the windows of others, and of rank 0 */

enum { BY_QUERY, BY_CALL, WAYS };

enum { PUT, GET, OPERATIONS };

/* Have the origin learn where the target's memory is. The target is in MPI meanwhile. */
static void learn(int way, int target, MPI_Win win)
{
    long value = 7;
    MPI_Aint size;
    void *base;
    int unit, flag;

    if (BY_QUERY == way) {
        MPI_OK(MPI_Win_shared_query(win, target, &size, &unit, &base));
        return;
    }
    for (int i = 0; i < 20; i++) {
        test_compute(0.001);
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3; i++) {
        MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win));
    }
}

static void refuse(int operation, int way)
{
    long *memory, value = 7;
    int target = 1, rc;
    MPI_Win win;

    MPI_OK(MPI_Win_allocate((0 == test_rank ? MANY : FEW) * (MPI_Aint) sizeof(long), sizeof(long), MPI_INFO_NULL,
                            MPI_COMM_WORLD, &memory, &win));
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    if (0 == test_rank) {
        MPI_OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
        rc = PUT == operation ? MPI_Put(&value, 1, MPI_LONG, target, FEW, 1, MPI_LONG, win)
                              : MPI_Get(&value, 1, MPI_LONG, target, FEW, 1, MPI_LONG, win);
        learn(way, target, win);
        rc = MPI_SUCCESS == rc ? MPI_Win_flush(target, win) : rc;
        CHECK(MPI_ERR_RMA_RANGE == test_class(rc), "operation %d, way %d: error class %d", operation, way,
              test_class(rc));
        value = 8;
        MPI_OK(MPI_Put(&value, 1, MPI_LONG, target, FEW - 1, 1, MPI_LONG, win));
        MPI_OK(MPI_Win_unlock_all(win));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(target != test_rank || 8 == memory[FEW - 1], "%ld", memory[FEW - 1]);
    MPI_OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
    test_init(&argc, &argv);
    test_needs(2);
    test_refusals = 1;
    for (int i = 0; i < OPERATIONS * WAYS; i++) {
        refuse(i / WAYS, i % WAYS);
    }
    return test_finish();
}
