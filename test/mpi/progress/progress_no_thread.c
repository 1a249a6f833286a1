/* Without a service thread, a process that polls its own window by any call admits what others put there.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "polls.h"

static void __attribute__((constructor)) switch_off(void)
{
    setenv("OMPI_MCA_osc_ucp_async_progress", "never", 1);
}

static const char *const kind[2] = {"create", "allocate"};

/** Set the flag of rank 0, by a put. It needs that process's help, and may take as long as that polls. */
static void put(const struct test_poll *poll, const struct test_polled *polled)
{
    static const int one = 1;

    if (poll->own_epoch) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, polled->win));
    }
    MPI_OK(MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, polled->win));
    MPI_OK(poll->own_epoch ? MPI_Win_unlock(0, polled->win) : MPI_Win_flush(0, polled->win));
}

static void check(const struct test_poll *poll, int allocate)
{
    struct test_polled polled;

    test_polled_open(&polled, allocate);
    if (!poll->own_epoch) {
        MPI_OK(MPI_Win_lock_all(0, polled.win));
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (0 == test_rank) {
        CHECK(test_poll_until_set(poll, &polled, 0), "%s, window of MPI_Win_%s: a put does not come in", poll->name,
              kind[allocate]);
    } else if (1 == test_rank) {
        put(poll, &polled);
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!poll->own_epoch) {
        MPI_OK(MPI_Win_unlock_all(polled.win));
    }
    test_polled_close(&polled, allocate);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    for (int n = 0; n < TEST_POLLS; n++) {
        check(&test_polls[n], 0);
        check(&test_polls[n], 1);
    }
    return test_finish();
}
