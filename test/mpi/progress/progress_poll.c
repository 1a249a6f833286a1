/* Whoever polls progresses everything: rank 0 waits for a flag, by every call that can look at it, and owes its part in
 * a long message, which rank 1 has to get rid of before it sets the flag.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "polls.h"

enum { BYTES = 4 << 20 };

static const char *const kind[2] = {"create", "allocate"};
static char *data;

static void receive_and_poll(const struct test_poll *poll, const struct test_polled *polled, int owner, int allocate)
{
    MPI_Request request;

    MPI_OK(MPI_Irecv(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request));
    MPI_OK(MPI_Send(NULL, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
    CHECK(test_poll_until_set(poll, polled, owner), "%s, window of MPI_Win_%s, flag of rank %d: no progress",
          poll->name, kind[allocate], owner);
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

static void send_and_set(const struct test_poll *poll, const struct test_polled *polled, int owner)
{
    MPI_OK(MPI_Recv(NULL, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    MPI_OK(MPI_Send(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
    test_poll_set(poll, polled, owner);
}

/** Rank 0 looks at the flag of `owner`. The processes have met before: first contact makes progress of its own. */
static void check(const struct test_poll *poll, int owner, int allocate)
{
    struct test_polled polled;
    int got;

    test_polled_open(&polled, allocate);
    test_poll_lock_all(&polled, owner, &got);
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    if (!poll->own_epoch) {
        MPI_OK(MPI_Win_lock_all(0, polled.win));
    }
    if (0 == test_rank) {
        receive_and_poll(poll, &polled, owner, allocate);
    } else if (1 == test_rank) {
        send_and_set(poll, &polled, owner);
    }
    if (!poll->own_epoch) {
        MPI_OK(MPI_Win_unlock_all(polled.win));
    }
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    test_polled_close(&polled, allocate);
}

int main(int argc, char **argv)
{
    test_init(&argc, &argv);
    test_needs(2);
    data = calloc(1, BYTES);
    for (int n = 0; n < TEST_POLLS; n++) {
        for (int allocate = 0; allocate < 2; allocate++) {
            check(&test_polls[n], 0, allocate);
            if (!test_polls[n].own_only) {
                check(&test_polls[n], 1, allocate);
            }
        }
    }
    free(data);
    return test_finish();
}
