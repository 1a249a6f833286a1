/* osc_ucp_check_schedule: calls become so old that progress carries them out, while a flush_local carries out earlier
 * ones to the same target. Each is carried out once.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock is this program's: it jumps in the midst of the flush.
 */
#include "windows.h"

#include <sys/syscall.h>
#include <unistd.h>

/** More calls than are kept, so that some are under way; each on an element of its own. */
enum { CALLS = 300, ROUNDS = 10, OVER = CALLS, CELLS = 2 * (CALLS + 1) };

static int looks; /* at the clock: 0 before it jumps */
static int jumps;

__attribute__((visibility("default")))
int clock_gettime(clockid_t clock, struct timespec *time)
{
    int rc = (int) syscall(SYS_clock_gettime, clock, time);

    if (jumps && 0 != looks++) {
        time->tv_sec += 10;
    }
    return rc;
}

static int cells[CELLS];
static MPI_Win win;

static void add(int cell)
{
    static const int one = 1;

    MPI_OK(MPI_Accumulate(&one, 1, MPI_INT, 1, 2 * cell, 1, MPI_INT, MPI_SUM, win));
}

static void origin(void)
{
    add(OVER - 1); /* the target waits in MPI, and is seen to poll */
    MPI_OK(MPI_Win_flush(1, win));
    MPI_OK(MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD));
    for (int i = 0; i < OVER - 1; i++) {
        add(i);
    }
    looks = 0;
    jumps = 1;
    MPI_OK(MPI_Win_flush_local(1, win));
    jumps = 0;
    MPI_OK(MPI_Win_flush(1, win));
    add(OVER);
    MPI_OK(MPI_Win_flush(1, win));
}

/** Looks now and then for what was handed off to it. */
static void target(int round)
{
    int flag;

    MPI_OK(MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    while (round > ((volatile int *) cells)[2 * OVER]) {
        test_compute(50e-6);
        MPI_OK(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    }
    for (int i = 0; i < OVER; i++) {
        CHECK(round == cells[2 * i], "element %d: %d instead of %d", i, cells[2 * i], round);
        cells[2 * i] = round;
    }
}

int main(int argc, char **argv)
{
    setenv("OMPI_MCA_osc_ucp_check_schedule", "1", 1);
    test_init(&argc, &argv);
    test_needs(2);
    MPI_OK(MPI_Win_create(cells, sizeof(cells), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    MPI_OK(MPI_Win_lock_all(0, win));
    for (int round = 1; round <= ROUNDS; round++) {
        MPI_OK(MPI_Barrier(MPI_COMM_WORLD));
        if (0 == test_rank) {
            origin();
        } else if (1 == test_rank) {
            target(round);
        }
    }
    MPI_OK(MPI_Win_unlock_all(win));
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
