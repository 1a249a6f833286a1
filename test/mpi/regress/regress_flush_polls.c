/* A process that only gets a flag and flushes, until the flag is set, must progress all of Open MPI: the target sets
 * the flag when it has sent a long message to this process, which takes part in that.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "mpitest.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 4 << 20, ROUNDS = 20, FLUSHES_MAX = 1000 };

static int flag, slow;
static MPI_Win win;

/** Has the sender run since the last call? What is flushed while it waits for a processor tells nothing. */
static int sender_ran(pid_t sender)
{
    static struct timespec before;
    struct timespec now;
    clockid_t clock;
    int ran;

    if (0 != clock_getcpuclockid(sender, &clock) || 0 != clock_gettime(clock, &now)) {
        return 1;
    }
    ran = now.tv_sec != before.tv_sec || now.tv_nsec != before.tv_nsec;
    before = now;
    return ran;
}

static void receive(char *data, pid_t sender)
{
    MPI_Request request;
    int got = 0, flushes = 0;

    MPI_OK(MPI_Irecv(data, BYTES, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request));
    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    while (0 == got) {
        MPI_OK(MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win));
        MPI_OK(MPI_Win_flush(1, win));
        flushes += sender_ran(sender);
    }
    MPI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    slow += flushes > FLUSHES_MAX;
    CHECK(1 == data[BYTES - 1], "the last byte is %d, not 1", data[BYTES - 1]);
}

static void send(const char *data)
{
    int one = 1;

    MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    MPI_OK(MPI_Send(data, BYTES, MPI_BYTE, 0, 0, MPI_COMM_WORLD));
    MPI_OK(MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win));
    MPI_OK(MPI_Win_flush(1, win));
}

int main(int argc, char **argv)
{
    char *data = malloc(BYTES);
    int sender;

    test_init(&argc, &argv);
    test_needs(2);
    sender = (int) getpid();
    MPI_OK(MPI_Bcast(&sender, 1, MPI_INT, 1, MPI_COMM_WORLD));
    memset(data, 1 == test_rank, BYTES);
    MPI_OK(MPI_Win_create(&flag, sizeof(flag), sizeof(flag), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_lock_all(0, win));
    for (int n = 0; n < ROUNDS; n++) {
        flag = 0;
        MPI_OK(MPI_Win_sync(win));
        MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
        if (0 == test_rank) {
            receive(data, sender);
        } else if (1 == test_rank) {
            send(data);
        } else {
            MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    CHECK(slow <= ROUNDS / 2, "%d of %d messages took more than %d flushes", slow, ROUNDS, FLUSHES_MAX);
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_free(&win));
    free(data);
    return test_finish();
}
