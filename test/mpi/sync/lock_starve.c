/* A writer gets in under a stream of readers that may pass the queue, because they hold another lock already: of
 * another window, for as long as they stream, or of other targets, by lock_all.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 writes, the others read. What counts is not the time, which a busy machine stretches, but the turns that
 * readers have while the writer has its own. A reader that has had far too many stops, so that a writer that starves
 * gets in. So would one do that the machine does not let run for some seconds: it starves if that happens each time.
 */
#include "mpitest.h"

#include <unistd.h>

enum { PAUSE_US = 1000, OVER = 0, TRIES = 3 };

/** A meeting. Readers keep the lock for much longer than they are without it, so that one of them always has it. They
 *  begin one after the other, so as not to leave together. */
static struct meeting {
    int turns;    /* of the writer */
    int too_many; /* turns of a reader, after which it stops */
    useconds_t hold_us;
} meeting;

static MPI_Win other, win;

static void write_on(int target)
{
    int over = 1;

    for (int turn = 0; turn < meeting.turns; turn++) {
        MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
        MPI_OK(MPI_Put(&turn, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        MPI_OK(MPI_Win_unlock(target, win));
        usleep(PAUSE_US);
    }
    for (int reader = 1; reader < test_size; reader++) {
        MPI_OK(MPI_Send(&over, 1, MPI_INT, reader, OVER, MPI_COMM_WORLD));
    }
}

/** Returns the number of turns. */
static int read_on(int target, int all)
{
    int turns = 0, over = 0, value;

    while (!over && turns < meeting.too_many) {
        MPI_OK(all ? MPI_Win_lock_all(0, win) : MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win));
        MPI_OK(MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
        MPI_OK(MPI_Win_flush(target, win));
        usleep(meeting.hold_us);
        MPI_Iprobe(0, OVER, MPI_COMM_WORLD, &over, MPI_STATUS_IGNORE);
        turns++;
        MPI_OK(all ? MPI_Win_unlock_all(win) : MPI_Win_unlock(target, win));
    }
    MPI_OK(MPI_Recv(&over, 1, MPI_INT, 0, OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return turns;
}

/** `lifelong`: everyone is in lock_all of another window. Returns the most turns of a reader, to all. */
static int meet_once(int target, int lifelong, int all)
{
    int turns = 0, most;

    if (lifelong) {
        MPI_OK(MPI_Win_lock_all(0, other));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    usleep((useconds_t) (0 == test_rank ? test_size : test_rank) * meeting.hold_us / 2);
    if (0 == test_rank) {
        write_on(target);
    } else {
        turns = read_on(target, all);
    }
    if (lifelong) {
        MPI_OK(MPI_Win_unlock_all(other));
    }
    MPI_Allreduce(&turns, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void meet(int target, int lifelong, int all)
{
    int most = meeting.too_many;

    for (int tries = 0; tries < TRIES && most >= meeting.too_many; tries++) {
        most = meet_once(target, lifelong, all);
    }
    CHECK(most < meeting.too_many || 0 != test_rank, "target %d, %s%s: a reader had %d turns before the writer had %d",
          target, all ? "lock_all" : "lock", lifelong ? ", in lock_all of another window" : "", most, meeting.turns);
}

/** In the NIC domain there is no bound if readers keep the lock for long. */
static int is_nic(void)
{
    const char *domain = getenv("OMPI_MCA_osc_ucp_atomic_domain");

    return NULL != domain && 0 == strcmp(domain, "nic");
}

int main(int argc, char **argv)
{
    const struct meeting brief = { 20, 500, 5000 }, lengthy = { 1, 25, 300000 };
    int *memory;

    test_init(&argc, &argv);
    test_needs(3);
    MPI_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &other));
    MPI_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    meeting = lengthy;
    if (!is_nic()) {
        meet(0, 1, 0);
        meet(1, 1, 1);
    }
    meeting = brief;
    for (int target = 0; target < 2; target++) {
        meet(target, 0, 0);
        meet(target, 0, 1);
        meet(target, 1, 0);
        meet(target, 1, 1);
    }
    MPI_OK(MPI_Win_free(&win));
    MPI_OK(MPI_Win_free(&other));
    return test_finish();
}
