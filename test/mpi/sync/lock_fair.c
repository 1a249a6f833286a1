/* Nobody starves: an exclusive lock comes under a stream of shared ones, and of lock_all, that overlap each other; and
 * lock_all under a stream of exclusive ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 is the patient; ranks 1 and 2 lock and unlock until it has told them that it is done. Each of them keeps the
 * lock until the other has it, too: if it does not have it within some milliseconds, it is kept out.
 */
#include "mpitest.h"

#include <unistd.h>

#define A_WHILE 0.02 /**< seconds */

enum { TIMES = 20, DONE = 0, HAS_IT = 1, BATON = 2 };

enum stream { SHARED, ALL, EXCLUSIVE, STREAMS };
static const char *const stream_name[STREAMS] = {"shared locks", "lock_all", "exclusive locks"};

static MPI_Win win;

/** Rank 0 gets what it wants so many times. */
static void want(enum stream stream)
{
    double begin = MPI_Wtime(), now = begin;
    int times = 0, one = 1;

    while (times < TIMES && now - begin < test_patience()) {
        if (EXCLUSIVE == stream) {
            MPI_OK(MPI_Win_lock_all(0, win));
            MPI_OK(MPI_Put(&times, 1, MPI_INT, 1, 0, 1, MPI_INT, win));
            MPI_OK(MPI_Win_unlock_all(win));
        } else {
            MPI_OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
            MPI_OK(MPI_Put(&times, 1, MPI_INT, 1, 0, 1, MPI_INT, win));
            MPI_OK(MPI_Win_unlock(1, win));
        }
        times++;
        now = MPI_Wtime();
    }
    CHECK(times == TIMES, "under a stream of %s: %d times in %.1f s", stream_name[stream], times, now - begin);
    for (int rank = 1; rank < test_size; rank++) {
        MPI_OK(MPI_Send(&one, 1, MPI_INT, rank, DONE, MPI_COMM_WORLD));
    }
}

/** Has the other sent a message with that tag? Waits for it for so long. */
static int heard(int tag, double seconds)
{
    double begin = MPI_Wtime();
    int other = 3 - test_rank, there = 0;

    do {
        MPI_Iprobe(other, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    } while (!there && MPI_Wtime() - begin < seconds);
    if (there) {
        MPI_Recv(NULL, 0, MPI_INT, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return there;
}

static void tell(int tag)
{
    MPI_Send(NULL, 0, MPI_INT, 3 - test_rank, tag, MPI_COMM_WORLD);
}

/** Afterwards the lock is there: lock_all locks a target at its first use. */
static void stream_lock(enum stream stream, int target)
{
    int value;

    if (ALL == stream) {
        MPI_OK(MPI_Win_lock_all(0, win));
    } else {
        MPI_OK(MPI_Win_lock(SHARED == stream ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, win));
    }
    MPI_OK(MPI_Get(&value, 1, MPI_INT, target, 0, 1, MPI_INT, win));
    MPI_OK(MPI_Win_flush(target, win));
}

static void stream_unlock(enum stream stream, int target)
{
    if (ALL == stream) {
        MPI_OK(MPI_Win_unlock_all(win));
    } else {
        MPI_OK(MPI_Win_unlock(target, win));
    }
}

/** One of the two has the baton, and the lock, until the other has the lock and takes the baton over. */
static void stream_on(enum stream stream)
{
    int baton = 1 == test_rank, over = 0, target = EXCLUSIVE == stream ? test_rank : 1;
    double begin = MPI_Wtime();

    while (!over) {
        stream_lock(stream, target);
        if (!baton) {
            tell(HAS_IT);
            baton = heard(BATON, A_WHILE);
        }
        /* If rank 0 gets nothing, the stream runs dry after a while, and it finds out. */
        MPI_Iprobe(0, DONE, MPI_COMM_WORLD, &over, MPI_STATUS_IGNORE);
        over = over || MPI_Wtime() - begin > test_patience() + 2;
        if (baton && (over || heard(HAS_IT, A_WHILE))) {
            while (heard(HAS_IT, 0)) {
                continue; /* of earlier times, when it was given up in vain */
            }
            tell(BATON);
            baton = 0;
        }
        stream_unlock(stream, target);
    }
    MPI_Recv(&over, 1, MPI_INT, 0, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tell(DONE);
    MPI_Recv(NULL, 0, MPI_INT, 3 - test_rank, DONE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    while (heard(HAS_IT, 0) || heard(BATON, 0)) {
        continue;
    }
}

int main(int argc, char **argv)
{
    int *memory;

    test_init(&argc, &argv);
    if (3 != test_size) {
        test_skip("needs three processes");
    }
    MPI_OK(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    for (enum stream stream = 0; stream < STREAMS; stream++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == test_rank) {
            usleep(10000);
            want(stream);
        } else {
            stream_on(stream);
        }
    }
    MPI_OK(MPI_Win_free(&win));
    return test_finish();
}
