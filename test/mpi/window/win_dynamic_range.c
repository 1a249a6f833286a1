/* Dynamic windows: memory that is not attached gives MPI_ERR_RMA_RANGE by the end of the epoch; the window lives on.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

enum { WORDS = 16 };

static MPI_Win win;
static long memory[3 * WORDS]; /* only the middle third is attached */

enum { PUT, GET, ACCUMULATE, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, CALLS };

static int call(int which, int target, MPI_Aint disp, int count)
{
    static long values[3 * WORDS], results[3 * WORDS];

    switch (which) {
    case PUT:
        return MPI_Put(values, count, MPI_LONG, target, disp, count, MPI_LONG, win);
    case GET:
        return MPI_Get(results, count, MPI_LONG, target, disp, count, MPI_LONG, win);
    case ACCUMULATE:
        return MPI_Accumulate(values, count, MPI_LONG, target, disp, count, MPI_LONG, MPI_SUM, win);
    case GET_ACCUMULATE:
        return MPI_Get_accumulate(values, count, MPI_LONG, results, count, MPI_LONG, target, disp, count, MPI_LONG,
                                  MPI_SUM, win);
    case FETCH_AND_OP:
        return MPI_Fetch_and_op(values, results, MPI_LONG, target, disp, MPI_SUM, win);
    default:
        return MPI_Compare_and_swap(values, values + 1, results, MPI_LONG, target, disp, win);
    }
}

/* The error comes from the call or from the synchronization that completes it. */
static void must_fail(int which, int target, MPI_Aint disp, int count, int by_unlock)
{
    int rc, later;

    MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
    rc = call(which, target, disp, count);
    later = by_unlock ? MPI_SUCCESS : MPI_Win_flush(target, win);
    rc = MPI_SUCCESS != rc ? rc : later;
    later = MPI_Win_unlock(target, win);
    rc = MPI_SUCCESS != rc ? rc : later;
    CHECK(MPI_ERR_RMA_RANGE == test_class(rc), "call %d, %d words at %ld: error class %d", which, count, (long) disp,
          test_class(rc));
}

static void must_work(int target, MPI_Aint disp)
{
    long value = 1, got = 0;

    MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    MPI_OK(MPI_Fetch_and_op(&value, &got, MPI_LONG, target, disp, MPI_SUM, win));
    MPI_OK(MPI_Win_flush(target, win));
    MPI_OK(MPI_Get(&got, 1, MPI_LONG, target, disp, 1, MPI_LONG, win));
    MPI_OK(MPI_Win_unlock(target, win));
    CHECK(got > 0, "the window does not work after an error");
}

int main(int argc, char **argv)
{
    MPI_Aint address, *addresses;
    int target;

    test_init(&argc, &argv);
    test_refusals = 1;
    target = test_neighbour(1);
    addresses = malloc(test_size * sizeof(MPI_Aint));
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Get_address(memory + WORDS, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses, 1, MPI_AINT, MPI_COMM_WORLD);
    must_fail(PUT, target, addresses[target], 1, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_attach(win, memory + WORDS, WORDS * sizeof(long)));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int which = 0; which < CALLS; which++) {
        for (int by_unlock = 0; by_unlock < 2; by_unlock++) {
            must_fail(which, target, addresses[target] - 8, 1, by_unlock);
            must_fail(which, target, addresses[target] + WORDS * 8, 1, by_unlock);
            must_fail(which, target, addresses[target] + WORDS * 8 - 4, 1, by_unlock);
            if (which < FETCH_AND_OP) {
                must_fail(which, target, addresses[target] - 8, WORDS + 2, by_unlock);
                must_fail(which, target, addresses[target] + 8, WORDS, by_unlock);
            }
            must_work(target, addresses[target]);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_OK(MPI_Win_detach(win, memory + WORDS));
    MPI_Barrier(MPI_COMM_WORLD);
    must_fail(GET, target, addresses[target], 1, 1);
    for (int i = 0; i < 3 * WORDS; i++) {
        CHECK(WORDS == i || 0 == memory[i], "word %d was written", i);
    }
    MPI_OK(MPI_Win_free(&win));
    /* Where windows may be lean, the kernel copies, and the origin sees by itself what is attached. */
    CHECK(1 == test_size || NULL == getenv("OMPI_MCA_osc_ucp_node") || test_counter_read(&test_refused) > 0,
          "nothing was refused");
    free(addresses);
    return test_finish();
}
